/**
 * Scripts of all that the shell of containers understands, drawn at random, beside the shell of the machine that the test
 * runs on: they write the same and end alike. Where there is no `/bin/sh`, there is nothing to compare with.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseScript } from './parse-script.ts';
import { Shell } from './shell.ts';
import type { ShellHost } from './shell-state.ts';
import { Output } from './streams.ts';

const REAL = '/bin/sh';
const NAME = 'a b';
const GIVEN = ['x', 'y z'];
const PIECES = 4;

interface Outcome {
  readonly text: string;
  readonly code: number;
}

function realOutcome(script: string): Outcome {
  const cwd = mkdtempSync(join(tmpdir(), 'shell-'));
  try {
    const { stdout, status } = spawnSync(REAL, ['-c', script, REAL, ...GIVEN], {
      cwd,
      env: { NAME, PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      encoding: 'utf8',
      timeout: 10_000,
    });
    return { text: stdout, code: status ?? -1 };
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

/** Undefined: something in it is not modelled. */
function ownOutcome(script: string): Outcome | undefined {
  const files = new Map<string, Uint8Array>();
  const host: ShellHost = {
    *run([name], streams) {
      if (name === 'true' || name === 'false') return name === 'true' ? 0 : 1;
      if (name !== 'cat') return undefined;
      for (let piece = yield* streams.read(); piece; piece = yield* streams.read()) streams.write(piece);
      return 0;
    },
    environment: (name) => (name === 'NAME' ? NAME : undefined),
    readFile: (path) => files.get(path),
    writeFile: (path, bytes) => (files.set(path, bytes), undefined),
    nowMs: () => 0,
  };
  const output = new Output();
  const shell = Shell.at(host, GIVEN);
  const streams = {
    write: (piece: string | Uint8Array) => output.write(piece),
    writeError: () => undefined,
    *read() {
      return undefined;
    },
  };
  try {
    expect(shell.run(parseScript(script), streams).next().done).toBe(true);
  } catch (error) {
    if (error instanceof Error && error.message.includes('is not modelled')) return undefined;
    throw error;
  }
  return { text: output.text, code: shell.exitCode };
}

const variable = fc.constantFrom('x', 'y', 'NAME', 'NONE');
const number = fc.integer({ min: 0, max: 40 }).map(String);
const plain = fc.constantFrom('a', 'b', 'ab', '1', '02', 'a-b', '=', '.', '%', '@', ':');

const sum: fc.Arbitrary<string> = fc.letrec<{ sum: string; atom: string }>((tie) => ({
  atom: fc.oneof(number, fc.constantFrom('n', '$n', 'm')),
  sum: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('atom'),
    fc
      .tuple(
        tie('sum'),
        fc.constantFrom(...'+ - * / % < <= > >= == != && || & | ^ << >>'.split(' ')),
        tie('sum'),
      )
      .map(([left, sign, right]) =>
        sign === '/' || sign === '%' ? `${left} ${sign} 7` : `${left} ${sign} ${right}`,
      ),
    tie('sum').map((inner) => `(${inner})`),
    tie('sum').map((inner) => `- ${inner}`),
    tie('sum').map((inner) => `!(${inner})`),
    fc.tuple(tie('sum'), tie('sum'), tie('sum')).map(([a, b, c]) => `(${a}) ? (${b}) : (${c})`),
  ),
})).sum;

/** Loops are left from within only: elsewhere every shell has its own mind. */
const leaving = fc.constantFrom(
  ':',
  ':',
  '[ "$x" = a ] && continue',
  '[ $n = 2 ] && break',
  'break',
  '[ $x$n = a ] && break 2',
);

const grammar = fc.letrec<{ word: string; command: string; list: string }>((tie) => ({
  word: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    plain,
    variable.map((name) => `$${name}`),
    fc.constantFrom(
      '$#',
      '$1',
      '$2',
      '"$2"',
      '"$@"',
      '$@',
      '"$*"',
      '$?',
      '""',
      "' '",
      '"a  b"',
      'a\\ b',
      '"\\$x"',
    ),
    variable.map((name) => `"\${${name}}"`),
    fc
      .tuple(variable, fc.constantFrom(':-', '-', ':+', '+', ':='), plain)
      .map((of) => `"\${${of.join('')}}"`),
    variable.map((name) => `\${#${name}}`),
    fc.tuple(plain, tie('word')).map((parts) => parts.join('')),
    sum.map((text) => `$((${text}))`),
    tie('command').map((text) => `$( ${text})`),
    tie('command').map((text) => `"$( ${text})"`),
  ),
  command: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.array(tie('word'), { maxLength: 3 }).map((words) => `echo [ ${words.join(' ')} ]`),
    fc.tuple(variable, tie('word')).map(([name, word]) => `${name.toLowerCase()}=${word}`),
    fc.tuple(fc.constantFrom('n', 'm'), sum).map(([name, text]) => `${name}=$((${text}))`),
    fc
      .tuple(
        fc.constantFrom('%s\\n', '<%s>\\n', '%5s|%-4s|\\n', '%d %03d\\n', '%x %o %%\\n', '%c\\n', 'a\\tb\\n'),
        number,
        number,
      )
      .map(([form, ...values]) => `printf '${form}' ${values.join(' ')}`),
    fc
      .tuple(tie('word'), fc.constantFrom('=', '!='), tie('word'))
      .map(([left, sign, right]) => `[ ${inQuotes(left)} ${sign} ${inQuotes(right)} ]`),
    fc
      .tuple(sum, fc.constantFrom('-eq', '-ne', '-lt', '-le', '-gt', '-ge'), number)
      .map(([left, sign, right]) => `test $((${left})) ${sign} ${right}`),
    fc.tuple(fc.constantFrom('-n', '-z'), tie('word')).map(([sign, word]) => `[ ${sign} ${inQuotes(word)} ]`),
    fc.constantFrom(
      'true',
      'false',
      ':',
      '[ $# -gt 0 ] && shift',
      'set -- p "q r" s',
      'unset x',
      'f a b',
      'g',
      'exit 3',
    ),
    fc.constantFrom('cat < out', 'echo more >> out', 'echo one > out', 'export y'),
    tie('command').map((inner) => `! { ${inner}; }`),
    fc
      .tuple(tie('command'), fc.constantFrom(' && ', ' || '), tie('command'))
      .map(([a, sign, b]) => a + sign + b),
    tie('list').map((inner) => `{ ${inner}; }`),
    tie('list').map((inner) => `( ${inner})`),
    plain.map((word) => `{ echo ${word}; echo 2; } > other; cat < other`),
    fc
      .tuple(tie('command'), tie('list'), tie('list'))
      .map(([of, then, otherwise]) => `if ${of}; then ${then}; else ${otherwise}; fi`),
    fc
      .tuple(tie('command'), tie('list'), tie('command'), tie('list'))
      .map(([of, then, or, also]) => `if ${of}; then ${then}; elif ${or}; then ${also}; fi`),
    fc
      .tuple(fc.array(tie('word'), { maxLength: 3 }), tie('list'), leaving)
      .map(([words, inner, leave]) => `for x in ${words.join(' ')}; do ${leave}; ${inner}; done`),
    tie('list').map((inner) => `for y; do ${inner}; done`),
    fc
      .tuple(tie('list'), leaving)
      .map(([inner, leave]) => `n=0; while [ $n -lt 2 ]; do n=$((n + 1)); ${leave}; ${inner}; done`),
    fc
      .tuple(
        tie('word'),
        fc.constantFrom('a', 'a*', '?', '[ab]*', '"a"', '[!a]', '1|b'),
        tie('list'),
        tie('list'),
      )
      .map(([word, form, inner, others]) => `case ${word} in (${form}) ${inner} ;; (*) ${others};; esac`),
    tie('list').map((inner) => `f() { ${inner}; }`),
    fc.tuple(tie('list'), number).map(([inner, code]) => `g() { ${inner}; return ${code}; }`),
    tie('list').map((inner) => `{ ${inner}; } | cat`),
    tie('command').map((inner) => `${inner} | { read x y; echo "<$x|$y>"; }`),
    plain.map((word) => `{ echo ${word} >&2; echo out; } 2>&1`),
  ),
  list: fc.array(tie('command'), { minLength: 1, maxLength: 3 }).map((all) => all.join('; ')),
}));

/** What has quotes itself does not come into others. */
const inQuotes = (word: string): string => (/["']/.test(word) ? '"q"' : `"${word}"`);

const script = fc
  .array(grammar.command, { minLength: 1, maxLength: PIECES, size: 'max' })
  .map((all) => all.join('\n'));

it.runIf(existsSync(REAL))('does what a shell does', () => {
  fc.assert(
    fc.property(script, fc.boolean(), (drawn, isStrict) => {
      // What there is nothing of, shells count differently.
      const text = `${isStrict ? 'set -e; ' : ''}n=3; m=5\n${drawn}`;
      const own = ownOutcome(text);
      if (own) expect(own).toEqual(realOutcome(text));
    }),
    { seed: 7, numRuns: (fc.readConfigureGlobal()?.numRuns ?? 20) * 10 },
  );
});
