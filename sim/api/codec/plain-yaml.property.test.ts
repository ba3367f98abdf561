import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeYaml } from './encode-yaml.ts';
import { parsePlainYaml } from './plain-yaml.ts';
import { parseAnyYaml } from './yaml.ts';

const outcome = (read: () => unknown): unknown => {
  try {
    return JSON.stringify(read(), (_name, value: unknown) =>
      typeof value === 'bigint' ? `${value}n` : value,
    );
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
};

/** Whatever the short way reads, the reader of the whole language reads alike. */
const expectAgreement = (text: string): void => {
  const plain = parsePlainYaml(text);
  if (plain)
    expect(
      outcome(() => plain),
      JSON.stringify(text),
    ).toBe(outcome(() => parseAnyYaml(text)));
};

it('gives what the whole language gives, of whole manifests', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      expectAgreement(encodeYaml(value));
    }),
    { numRuns: 400, seed: 1 },
  );
});

const PIECES = [
  ...[
    'a:',
    'b: ',
    '- ',
    '-',
    '  ',
    '\n',
    '\n  ',
    '\n    ',
    ' ',
    '#',
    ' # c',
    '|',
    '|-',
    '|+',
    '>',
    '"x"',
    "'y'",
  ],
  ...[
    "'it''s'",
    '"\\n"',
    '"\\u0041"',
    '[]',
    '{}',
    '[1, "b"]',
    '{"a": 1}',
    '---',
    '...',
    '\n---\n',
    '1',
    '-1',
    '~',
  ],
  ...[
    'true',
    'no',
    '1.5',
    '2024-01-02',
    'a b',
    'x:y',
    'a: b',
    '&a ',
    '*a',
    '!!str ',
    '? ',
    ': ',
    '"k": ',
    'é',
    '1:',
  ],
  ...[
    'a.b/c-d: ',
    '-x',
    '--f=1',
    'a#b',
    ',',
    '%',
    '0x1F',
    '1_000',
    '08',
    '.5',
    '<<: ',
    'y:',
    '""',
    "''",
    ':',
  ],
];

it('gives what the whole language gives, of texts put together by chance', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }), (pieces) => {
      expectAgreement(pieces.join(''));
      expectAgreement(`${pieces.join('')}\n`);
    }),
    { numRuns: 30_000, seed: 2 },
  );
});

it('reads manifests as they are written by hand', () => {
  const text = [
    '# a comment',
    '---',
    'apiVersion: v1',
    'kind: ConfigMap # another',
    'metadata:',
    '  name: "a"',
    '  labels: {"x": "y"}',
    'data:',
    '  text: |',
    '    one',
    '',
    '      two',
    '  end: |-',
    '    three',
    '',
    'list:',
    '- a: 1',
    '  b:',
    '  - c',
    '  -   d: yes',
    '-',
    '  - - e',
    'list:',
    '  - no',
    '...',
    'nobody: [reads',
  ].join('\n');
  const plain = parsePlainYaml(text);
  expect(plain).toEqual(parseAnyYaml(text));
  expect(plain?.value).toMatchObject({ data: { text: 'one\n\n  two\n', end: 'three' }, list: [false] });
  expect(plain?.duplicates).toEqual(['line 23: key "list" already set in map']);
});

it.each([
  ['many keys', `a:\n${'  key: value\n'.repeat(12_000)}`],
  ['many items', `a:\n${'- b: c\n'.repeat(12_000)}`],
  ['one long text', `a: |\n${'  line of text\n'.repeat(12_000)}`],
  ['quotes that do not end', `a: ${'"x '.repeat(12_000)}`],
])('takes time in proportion to a text of %s', (_what, text) => {
  const cpuMs = (source: string): number => {
    const from = process.cpuUsage();
    parsePlainYaml(source);
    return process.cpuUsage(from).user / 1_000;
  };
  const leastMs = (source: string): number => Math.min(...Array.from({ length: 4 }, () => cpuMs(source)));
  // Of what takes time by the square of its length the eightfold takes 64 times as long.
  const eightfold = Array.from({ length: 8 }, (_, at) => text.replace('a:', `a${at}:`)).join('');
  expect(leastMs(eightfold)).toBeLessThan(24 * leastMs(text) + 50);
});
