import { describe, expect, it } from 'vitest';
import { expanded, parseShell, ShellSyntaxError } from './shell-words.ts';

const VALUES: Readonly<Record<string, string>> = { NAME: 'a b', '?': '0' };
const valueOf = (name: string): string => VALUES[name] ?? '';

describe('the little shell', () => {
  it.each([
    ['echo a  b', [['always', 'echo', 'a', 'b']]],
    [`echo 'a  b' "c \\"d\\"" e\\ f`, [['always', 'echo', 'a  b', 'c "d"', 'e f']]],
    [
      'a; b && c || d\ne',
      [
        ['always', 'a'],
        ['always', 'b'],
        ['succeeded', 'c'],
        ['failed', 'd'],
        ['always', 'e'],
      ],
    ],
    [`echo ''`, [['always', 'echo', '']]],
    ['echo $NAME-${NAME} "$NAME" \'$NAME\'', [['always', 'echo', 'a', 'b-a', 'b', 'a b', '$NAME']]],
    ['echo $NONE "$NONE" $?', [['always', 'echo', '', '0']]],
    ['echo "\\$NAME" \\$NAME', [['always', 'echo', '$NAME', '$NAME']]],
    ['  ', []],
  ])('reads %j', (script, expected) => {
    expect(parseShell(script).map(({ when, words }) => [when, ...expanded(words, valueOf)])).toEqual(
      expected,
    );
  });

  it('knows which output goes on', () => {
    expect(parseShell('a | b; c').map(({ isPiped }) => isPiped ?? false)).toEqual([true, false, false]);
  });

  it.each(['if true', 'for i in a', 'while true', 'set -e', 'export a=1', 'cd /'])(
    'says that %j is not modelled',
    (script) => {
      expect(() => parseShell(script)).toThrow(/^\S+ is not modelled/);
    },
  );

  it.each(['echo $(date)', '| b', 'a |', 'a > b', 'a &', '`a`', 'echo "`x`"', 'ls *', "echo 'a"])(
    'refuses %j',
    (script) => {
      expect(() => parseShell(script)).toThrow(ShellSyntaxError);
    },
  );
});
