import { describe, expect, it } from 'vitest';
import { encodeYaml } from './encode-yaml.ts';
import { yamlToJson } from './yaml.ts';

describe('YAML is read as version 1.1', () => {
  it.each([
    ['a: yes\nb: off\nc: "yes"\nd: n', { a: true, b: false, c: 'yes', d: false }],
    ['n: 1\n2: x\n1.5: w\ntrue: z', { false: 1, '2': 'x', '1.5': 'w', true: 'z' }],
    ['a: 017\nb: 0x1F\nc: 0b11\nd: 0o17\ne: 1_000\nf: 08', { a: 15, b: 31, c: 3, d: 15, e: 1000, f: 8 }],
    ['a: ~\nb:\nc: Null\nd: ""', { a: null, b: null, c: null, d: '' }],
    ['a: 1.5\nb: .5\nc: 1e3\nd: 12:30', { a: 1.5, b: 0.5, c: 1000, d: '12:30' }],
    ['a: 2024-01-02\nb: 2024-01-02T03:04:05Z', { a: '2024-01-02', b: '2024-01-02T03:04:05Z' }],
    ['a: !!str 5\nb: !!binary YWJj\nc: !x y', { a: '5', b: 'abc', c: 'y' }],
    ['a: &x {b: 1}\nc: *x', { a: { b: 1 }, c: { b: 1 } }],
    ['<<: {a: 1, b: 1}\nb: 2', { a: 1, b: 2 }],
    ['a: |\n  x\n  y\nb: >-\n  c\n  d', { a: 'x\ny\n', b: 'c d' }],
    ['a: 1\n---\nb: [', { a: 1 }],
    ['---\n', null],
    ['', null],
    ['- a\n- {}', ['a', {}]],
  ])('%j', (text, value) => {
    expect(yamlToJson(text).value).toEqual(value);
  });

  it('with repeated keys reported by line, and the last one kept', () => {
    const text = 'kind: X\ndata:\n  a: "1"\n  a: "2"\nflag: true\nflag: false\n';
    expect(yamlToJson(text)).toEqual({
      value: { kind: 'X', data: { a: '2' }, flag: false },
      duplicates: ['line 4: key "a" already set in map', 'line 6: key "flag" already set in map'],
    });
  });

  it('with whole numbers of 64 bits exact', () => {
    const large = { a: 9007199254740993n };
    expect(yamlToJson('a: 9007199254740993').value).toEqual(large);
    expect(encodeYaml(large)).toBe('a: 9007199254740993\n');
  });

  it('without touching prototypes', () => {
    const { value } = yamlToJson('__proto__: {polluted: true}');
    expect(Object.keys(value ?? {})).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('malformed YAML is refused in the words of Go', () => {
  it.each([
    ['[', 'yaml: line 1: did not find expected node content'],
    ['a: [1, 2', "yaml: line 1: did not find expected ',' or ']'"],
    ['{a: 1', "yaml: line 1: did not find expected ',' or '}'"],
    ['a: b: c', 'yaml: mapping values are not allowed in this context'],
    ['a: 1\n b: 2', 'yaml: line 2: mapping values are not allowed in this context'],
    ['a: 1\nb', "yaml: line 3: could not find expected ':'"],
    ['a:\n\tb: 1', 'yaml: line 2: found character that cannot start any token'],
    ['\t', 'yaml: found character that cannot start any token'],
    ['# only\n  \ta: 1', 'yaml: line 2: found character that cannot start any token'],
    ['x: 1\n@', 'yaml: line 2: found character that cannot start any token'],
    ['a: "x', 'yaml: found unexpected end of stream'],
    ['a: "\\q"', 'yaml: found unknown escape character'],
    ['a:\n  b: 1\n c: 2', 'yaml: line 2: did not find expected key'],
    ['- a\nb: 1', "yaml: line 1: did not find expected '-' indicator"],
    ['a: - x', 'yaml: block sequence entries are not allowed in this context'],
    ['a: *x', "yaml: unknown anchor 'x' referenced"],
    ['a: &x [*x]', "yaml: anchor 'x' value contains itself"],
    ['a: \x01', 'yaml: control characters are not allowed'],
    ['a: .nan', 'json: unsupported value: NaN'],
  ])('%j', (text, message) => {
    expect(() => yamlToJson(text)).toThrow(message);
  });

  it('bombs of aliases and of brackets do no harm', () => {
    const levels = ['a: &a [x,x,x,x,x,x,x,x,x,x]'];
    for (let level = 1; level < 9; level++) {
      const previous = `*${String.fromCharCode(96 + level)}`;
      const name = String.fromCharCode(97 + level);
      levels.push(`${name}: &${name} [${Array(10).fill(previous).join(',')}]`);
    }
    expect(() => yamlToJson(levels.join('\n'))).toThrow('yaml: document contains excessive aliasing');
    expect(() => yamlToJson('['.repeat(200_000))).toThrow(expect.objectContaining({ name: 'DecodeError' }));
  });
});

const WORDS = 'word word word word word word word word word word word word word word word word word word';

describe('YAML is written as the server does', () => {
  it.each<readonly [unknown, string]>([
    [{ b: 1, a: [{ d: 'x', c: [] }, []], e: {} }, 'a:\n- c: []\n  d: x\n- []\nb: 1\ne: {}\n'],
    [{ a10: 1, a2: 1, B: 1, a: 1, '.': 1 }, '.: 1\nB: 1\na: 1\na2: 1\na10: 1\n'],
    [
      { n: 'yes', a: '1', b: '', c: '~', d: 'null', e: '2024-01-02', f: '12:30:00' },
      'a: "1"\nb: ""\nc: "~"\nd: "null"\ne: "2024-01-02"\nf: "12:30:00"\n"n": "yes"\n',
    ],
    [
      { a: '- x', b: 'x: y', c: '#x', d: ' x', e: "it's", f: 'a\tb', g: '😀', h: 'é' },
      `a: '- x'\nb: 'x: y'\nc: '#x'\nd: ' x'\ne: it's\nf: "a\\tb"\ng: "\\U0001F600"\nh: é\n`,
    ],
    [
      { a: 'x\ny', b: 'x\ny\n', c: 'x\n\n', d: ' x\ny', e: 'x \ny' },
      'a: |-\n  x\n  y\nb: |\n  x\n  y\nc: |+\n  x\n\nd: |2-\n   x\n  y\ne: "x \\ny"\n',
    ],
    [
      { a: 1e21, b: 1e-7, c: 1234567.5, d: 0.0001, e: 1e20, g: 1.5, h: null },
      'a: 1e+21\nb: 1e-07\nc: 1.2345675e+06\nd: 0.0001\ne: 1e+20\ng: 1.5\nh: null\n',
    ],
    [{ a: WORDS }, `a: ${WORDS.slice(0, 79)}\n  ${WORDS.slice(80)}\n`],
    [['a', ['b', { c: 'd', e: 'f' }]], '- a\n- - b\n  - c: d\n    e: f\n'],
    [{ ['k'.repeat(129)]: { a: 1, b: 2 } }, `? ${'k'.repeat(129)}\n: a: 1\n  b: 2\n`],
    ['x', 'x\n'],
  ])('%j', (value, text) => {
    expect(encodeYaml(value)).toBe(text);
  });
});

it.each([
  ['~: 1', '1'],
  ['~: a', '"a"'],
  ['~:', '<nil>'],
  ['~: 1e30', '1e+30'],
  ['metadata: {~: [1, a, true, 1.5]}', '[]interface {}{1, "a", true, 1.5}'],
  ['~: {b: 1, a: x}', 'map[interface {}]interface {}{"a":"x", "b":1}'],
])('nothing is no key: %j', (text, value) => {
  expect(() => yamlToJson(text)).toThrow(
    `unsupported map key of type: %!s(<nil>), key: <nil>, value: ${value}`,
  );
});
