/** Scripts of all that the shell of containers understands, drawn at random. */
import fc from 'fast-check';

const PIECES = 4;

const variable = fc.constantFrom('x', 'y', 'NAME', 'NONE', 'PAD');
const number = fc.integer({ min: 0, max: 40 }).map(String);
const plain = fc.constantFrom('a', 'b', 'ab', '1', '02', 'a-b', '=', '.', '%', '@', ':');

const sum: fc.Arbitrary<string> = fc.letrec<{ sum: string; atom: string }>((tie) => ({
  atom: fc.oneof(number, fc.constantFrom('n', '$n', 'm', '017', '0x1f')),
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
    fc.tuple(plain, fc.constantFrom('$PAD', '"$PAD"'), plain).map((parts) => parts.join('')),
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
    fc
      .tuple(tie('command'), tie('word'), fc.constantFrom('a*', '[!a]*', 'none'))
      .map(([before, word, form]) => `${before}; case ${word} in (${form}) ;; esac; echo "<$?>"`),
    fc.integer({ min: 1, max: 4 }).map((levels) => deepLoop(`echo $x$y$m; break ${levels}`)),
    tie('list').map((inner) => `f() { ${inner}; }`),
    fc.tuple(tie('list'), number).map(([inner, code]) => `g() { ${inner}; return ${code}; }`),
    tie('list').map((inner) => `{ ${inner}; } | cat`),
    tie('command').map((inner) => `${inner} | { read x y; echo "<$x|$y>"; }`),
    plain.map((word) => `{ echo ${word} >&2; echo out; } 2>&1`),
  ),
  list: fc.array(tie('command'), { minLength: 1, maxLength: 3 }).map((all) => all.join('; ')),
}));

const deepLoop = (inner: string): string =>
  `for x in 1 2; do for y in 3 4; do for m in 5 6; do ${inner}; done; echo in; done; echo out; done`;

/** What has quotes itself does not come into others. */
const inQuotes = (word: string): string => (/["']/.test(word) ? '"q"' : `"${word}"`);

/** Without what a command of the machine would be. */
export const shellScript: fc.Arbitrary<string> = fc
  .array(grammar.command, { minLength: 1, maxLength: PIECES, size: 'max' })
  .map((all) => all.join('\n'));
