import { describe, expect, it } from 'vitest';
import { parseShell, ShellSyntaxError } from './shell-words.ts';

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
    ['  ', []],
  ])('reads %j', (script, expected) => {
    expect(parseShell(script).map(({ when, words }) => [when, ...words])).toEqual(expected);
  });

  it.each(['echo $HOME', 'a | b', 'a > b', 'a &', '`a`', 'echo "$x"', 'ls *', "echo 'a"])(
    'refuses %j',
    (script) => {
      expect(() => parseShell(script)).toThrow(ShellSyntaxError);
    },
  );
});
