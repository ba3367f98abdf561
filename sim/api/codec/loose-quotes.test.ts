/** What Go's reader makes of quoted texts that are hardly indented, as a real 1.31 server was found to take them. */
import { expect, it } from 'vitest';
import { DecodeError } from './decode-error.ts';
import { yamlToJson } from './yaml.ts';

const read = (...lines: readonly string[]): unknown => yamlToJson(`${lines.join('\n')}\n`).value;

it.each(["'", '"'])('a text in %s may go on at the column of its key, and left of it', (quote) => {
  expect(
    read(
      'a:',
      `    b: ${quote}one`,
      '    two: it',
      '',
      '  three',
      `four${quote}`,
      `    c: ${quote}x`,
      `    y${quote}`,
      '    d: 1',
    ),
  ).toEqual({ a: { b: 'one two: it\nthree four', c: 'x y', d: 1 } });
});

it('quotes within it do not end it', () => {
  expect(read('a:', "  b: 'it''s", "  one: ''two'''", '  c: 1')).toEqual({
    a: { b: "it's one: 'two'", c: 1 },
  });
  expect(read('a:', '  b: "it', '  \\"is\\" one"', '  c: 1')).toEqual({ a: { b: 'it "is" one', c: 1 } });
});

it('what is never closed, or closed in another document, is refused as before', () => {
  expect(() => read('a:', "  b: 'one", '  c: 1')).toThrow(DecodeError);
  expect(() => read('a:', "  b: 'one", '---', "  c'")).toThrow(DecodeError);
});

it('texts without end are not read again without end', () => {
  const many = Array.from({ length: 20_000 }, (_none, index) => [`  k${index}: 'a`, "  b'"]).flat();
  const start = performance.now();
  expect(() => read('a:', ...many)).toThrow(DecodeError);
  expect(performance.now() - start).toBeLessThan(15_000);
});
