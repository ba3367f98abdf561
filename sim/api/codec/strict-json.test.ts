import { describe, expect, it } from 'vitest';
import { encodeJson, encodePrettyJson } from './encode.ts';
import { hugeNumberOf, parseJson } from './strict-json.ts';

it.each([
  ['{"a":1e309}', '1e309'],
  ['[-1.5E+0400]', '-1.5E+0400'],
  [`{"a": ${'9'.repeat(310)}}`, '9'.repeat(310)],
  ['{"a":1e308,"b":[2e-999]}', undefined],
  ['{"uid":"3e999000-1e99-4fff-8000-000000000000","text":"a:1e999"}', undefined],
])('the first number that no double can hold in %s', (text, number) => {
  expect(hugeNumberOf(text)).toBe(number);
});

describe('malformed texts are refused in the words of Go', () => {
  it.each([
    ['', 'unexpected end of JSON input'],
    ['{', 'unexpected end of JSON input'],
    ['{"a":1', 'unexpected end of JSON input'],
    ['{}{', "invalid character '{' after top-level value"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
    ['[1 2]', "invalid character '2' after array element"],
    ['nil', "invalid character 'i' in literal null (expecting 'u')"],
    ['tru', "invalid character ' ' in literal true (expecting 'e')"],
    ['01', "invalid character '1' after top-level value"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1ex', "invalid character 'x' in exponent of numeric literal"],
    ['-x', "invalid character 'x' in numeric literal"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
    ["'", "invalid character '\\'' looking for beginning of value"],
    ['\ufeff{}', "invalid character 'ï' looking for beginning of value"],
    ['['.repeat(10_001), "invalid character '[' exceeded max depth"],
    ['[1e999]', 'json: cannot unmarshal number 1e999 into Go value of type float64'],
  ])('%j', (text, message) => {
    expect(() => parseJson(text)).toThrow(message);
  });

  it('deep texts that are allowed are read', () => {
    expect(() => parseJson('['.repeat(10_000) + ']'.repeat(10_000))).not.toThrow();
  });
});

describe('texts without a schema', () => {
  it('tell repeated members by path', () => {
    const text = '{"a":{"b":[{"c":1,"c":2}]},"a":1,"x\\"":1,"x\\"":2}';
    expect(parseJson(text)).toEqual({
      value: { a: 1, 'x"': 2 },
      duplicates: ['duplicate field "a.b[0].c"', 'duplicate field "a"', 'duplicate field "x\\""'],
      isPlain: false,
    });
  });

  it('keep whole numbers of 64 bits, and read larger ones as doubles', () => {
    const text = '[9007199254740993,-9223372036854775808,100000000000000000000,1.0]';
    expect(parseJson(text).value).toEqual([9007199254740993n, -9223372036854775808n, 1e20, 1]);
  });

  it('turn half surrogate pairs into the replacement character', () => {
    expect(parseJson('["\\ud800x","\\ud83d\\ude00"]').value).toEqual(['\ufffdx', '😀']);
  });
});

describe('written texts', () => {
  it('escape what browsers could take for markup', () => {
    expect(encodeJson({ a: '<b>&\u2028"\\' })).toBe('{"a":"\\u003cb\\u003e\\u0026\\u2028\\"\\\\"}');
  });

  it('hold large whole numbers in full', () => {
    expect(encodeJson({ a: [1n << 62n], b: undefined })).toBe('{"a":[4611686018427387904]}');
  });

  it('are indented on request', () => {
    expect(encodePrettyJson({ a: [1, {}], b: [] })).toBe('{\n  "a": [\n    1,\n    {}\n  ],\n  "b": []\n}');
  });
});

it('takes time in proportion to the length of a text without escapes', () => {
  const text = `{${Array.from({ length: 60_000 }, (_, at) => `"k${at}":"v"`).join(',')}}`;
  for (let round = 0; round < 5; round++) parseJson(text);
  const from = process.cpuUsage();
  parseJson(text);
  expect(process.cpuUsage(from).user / 1_000).toBeLessThan(1_000);
});
