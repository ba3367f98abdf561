import { parseAst } from 'rolldown/parseAst';
import { expect, it } from 'vitest';
import { spreadMembersOfChunks, spreadMembersOfFiles } from '../../.ci/spread-members.ts';

const parser = {
  parse: (code: string, { lang }: { readonly lang: 'ts' | 'js' }): unknown => parseAst(code, { lang }),
};
const changed = (code: string): string =>
  spreadMembersOfChunks().renderChunk.call(parser, code)?.code ?? code;

it.each([
  ['({ ...a, b: 1 })', '({ ...null, ...a, b: 1 })'],
  ['({ ...a, ...{ ...b, c } })', '({ ...null, ...a, ...{ ...null, ...b, c } })'],
  ['({ ...a })', '({ ...a })'],
  ['({ b: 1, ...a })', '({ b: 1, ...a })'],
  ['const { ...rest } = a', 'const { ...rest } = a'],
  ['"{ ...a, b }"; /* { ...a, b } */ [...a, b]', '"{ ...a, b }"; /* { ...a, b } */ [...a, b]'],
])('nothing is spread before what an object begins with: %s', (before, after) => {
  expect(changed(before)).toBe(after);
});

it('files are read as TypeScript, and others are left alone', () => {
  const transformed = (id: string): string | undefined =>
    spreadMembersOfFiles().transform.call(parser, 'const x: T = { ...a, b };', id)?.code;
  expect(transformed('x.ts')).toBe('const x: T = { ...null, ...a, b };');
  expect(transformed('x.js')).toBeUndefined();
});

it('the tests themselves run so', () => {
  const base = { a: 1 };
  const made = (): object => ({ ...base, b: 2 });
  expect(made.toString()).toContain('...null');
  expect(made()).toEqual({ a: 1, b: 2 });
});
