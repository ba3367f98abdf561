import { describe, expect, it } from 'vitest';
import { parseScript } from './parse-script.ts';
import { Shell } from './shell.ts';
import type { ShellHost } from './shell-state.ts';
import { Output } from './streams.ts';
import { IncompleteScript, ShellSyntaxError } from './syntax.ts';

/** What a script writes and its exit code, where there are no programs but `true`, `false` and `cat`. */
function outcome(
  script: string,
  given: readonly string[] = [],
): { readonly text: string; readonly code: number } {
  const files = new Map<string, Uint8Array>();
  const host: ShellHost = {
    voice: { name: 'sh', isBusyBox: false },
    *run([name], streams) {
      if (name === 'true' || name === 'false') return name === 'true' ? 0 : 1;
      if (name !== 'cat') return undefined;
      for (let piece = yield* streams.read(); piece; piece = yield* streams.read()) streams.write(piece);
      return 0;
    },
    environment: (name) => (name === 'NAME' ? 'a b' : undefined),
    readFile: (path) => files.get(path),
    writeFile: (path, bytes) => (files.set(path, bytes), undefined),
    nowMs: () => 0,
  };
  const output = new Output();
  const shell = Shell.at(host, given);
  const streams = {
    write: (piece: string | Uint8Array) => output.write(piece),
    writeError: (text: string) => output.write(`!${text}`),
    *read() {
      return undefined;
    },
  };
  expect(shell.run(parseScript(script), streams).next().done).toBe(true);
  return { text: output.text, code: shell.exitCode };
}

describe('words', () => {
  it.each([
    ['echo a  b', 'a b'],
    [`echo 'a  b' "c \\"d\\"" e\\ f`, 'a  b c "d" e f'],
    ['echo $NAME-${NAME} "$NAME" \'$NAME\'', 'a b-a b a b $NAME'],
    ['for x in $NAME-${NAME}; do echo "[$x]"; done', '[a]\n[b-a]\n[b]'],
    ['echo [$NONE] "$NONE" $?', '[]  0'],
    ['echo ${NONE:-none} ${NAME:+some} ${#NAME} "${X=x y}" $X', 'none some 3 x y x y'],
    ['echo "\\$NAME" \\$NAME $ a$', '$NAME $NAME $ a$'],
    ['echo $(echo a; echo b) "$(echo c; echo d)" `echo e`', 'a b c\nd e'],
    ['echo "$(echo "$(echo in)" ")")"', 'in )'],
    ['x=3; echo $((x * (2 + 1) - 10 / 4 % 2)) $((x>2 && 1)) $(( -x ))', '9 1 -3'],
    ['echo a#b # c', 'a#b'],
    ['echo a\\\nb', 'ab'],
    ['a=\'1  2\'; b=$a; echo $b "$b"', '1 2 1  2'],
  ])('%j', (script, expected) => {
    expect(outcome(script).text.trimEnd()).toBe(expected);
  });
});

describe('commands', () => {
  it.each([
    ['false || echo no && echo yes; true && false', 'no\nyes\n', 1],
    ['! false && echo a; ! true || echo b', 'a\nb\n', 0],
    ['if false; then echo a; elif true; then echo b; else echo c; fi', 'b\n', 0],
    ['if false; then echo a; fi; echo $?', '0\n', 0],
    ['for i in 1 2 3; do if [ $i = 2 ]; then continue; fi; echo $i; done', '1\n3\n', 0],
    ['for i in 1 2; do for j in a b; do echo $i$j; break 2; done; done; echo end', '1a\nend\n', 0],
    ['for i in 1 2; do for j in a b; do echo $i$j; break 3; done; done; echo end', '1a\nend\n', 0],
    ['break; echo a; for i in 1 2; do while echo $i; break; do echo never; done; done', 'a\n1\n2\n', 0],
    [
      'i=0; while i=$((i+1)); [ $i -lt 4 ] || break; [ $i != 2 ] || continue; do echo $i; done; echo end $i',
      '1\n3\nend 4\n',
      0,
    ],
    ['i=0; until [ $i -ge 2 ]; do echo $i; i=$((i+1)); done', '0\n1\n', 0],
    ['case "$NAME" in x|y) echo no;; a*) echo yes;; *) echo other;; esac', 'yes\n', 0],
    ['case ab in "a*") echo no;; [!b]?) echo yes; esac', 'yes\n', 0],
    ['f() { echo "$1 $#"; return 3; }; f x y; echo $?', 'x 2\n3\n', 0],
    ['(a=1; exit 4); echo "$a $?"; { echo b; }', ' 4\nb\n', 0],
    ['echo a | cat | { read x; echo "<$x>"; }', '<a>\n', 0],
    ['printf "a b\\nc\\n" | while read x y; do echo "$y-$x"; done', 'b-a\n-c\n', 0],
    ['set -e; false || echo goes on; if false; then :; fi; false; echo never', 'goes on\n', 1],
    ['echo a > /f; { echo b; echo c >&2; } >> /f 2>&1; cat < /f', 'a\nb\nc\n', 0],
    ['echo "$@" "$2" $#; shift; echo "$*"', 'x y z y z 2\ny z\n', 0],
    ['eval "echo \\$NAME"; exit 5; echo never', 'a b\n', 5],
    ['printf "%-4s|%03d|%x%%\\n" ab 7 255', 'ab  |007|ff%\n', 0],
    ['nothing', '!sh: 1: nothing: not found\n', 127],
  ])('%j', (script, text, code) => {
    expect(outcome(script, script.includes('$@') ? ['x', 'y z'] : [])).toEqual({ text, code });
  });

  it('ends a function that calls itself without end', () => {
    expect(() => outcome('f() { f; }; f')).toThrow('functions that call themselves more than 100 times');
  });
});

describe('what it does not read', () => {
  it.each([
    'echo a &',
    'ls *',
    'cat << x',
    '[[ a && b ]]',
    'cd /',
    'echo ${a%b}',
    'echo {a'.replace('{', '<>'),
    'x=a; while :; do x=$x$x; done',
    'x=a; while :; do case $x$x in b) ;; esac; x="$x$x"; done',
    'set -- a; while :; do set -- "$@" "$@"; done',
    'x=aaaaaaaa; while :; do x=$x$x$x$x; for i in 1 2 3 4 5 6 7 8; do echo $x; done; done > f',
    'echo a > f; while :; do cat < f >> g; cat < g >> f; done',
  ])('says that something in %j is not modelled', (script) => {
    expect(() => outcome(script)).toThrow(/ is not modelled in simulated containers$/);
  });

  it.each(['| a', 'a | | b', 'fi', 'if true; fi', 'a ;; b', 'for 1 in a; do b; done', 'a )', '&& a'])(
    'refuses %j',
    (script) => {
      expect(() => parseScript(script)).toThrow(ShellSyntaxError);
      expect(() => parseScript(script)).not.toThrow(IncompleteScript);
    },
  );

  it.each([
    "echo 'a",
    'if true',
    'while true; do',
    'for i in a',
    'case a in',
    '(a',
    'a |',
    'a &&',
    'echo $(b',
    'f() {',
  ])('waits for more behind %j', (script) => {
    expect(() => parseScript(script)).toThrow(IncompleteScript);
  });

  it('bounds how deep it goes, however it is asked to', () => {
    for (const [open, close] of [
      ['(', ')'],
      ['echo $(', ')'],
      ['if true; then ', '; fi'],
      ['! { ', '; }'],
    ] as const)
      expect(() => parseScript(`${open.repeat(3_000)}echo a${close.repeat(3_000)}`)).toThrow(
        ShellSyntaxError,
      );
    expect(() => outcome(`echo $((${'('.repeat(3_000)}1${')'.repeat(3_000)}))`)).toThrow(ShellSyntaxError);
  });
});
