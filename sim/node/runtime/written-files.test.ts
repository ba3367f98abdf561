import { expect, it } from 'vitest';
import { WrittenFiles } from './written-files.ts';

it('has room for so many bytes on a machine, and again for those of containers that are gone', () => {
  const written = new WrittenFiles();
  const half = new Uint8Array(32 * 2 ** 20);
  expect([written.write('a', '/x', half), written.write('b', '/x', half)]).toEqual([true, true]);
  expect([written.write('a', '/y', half.subarray(1)), written.write('a', '/x', half)]).toEqual([false, true]);
  expect(written.of('a').has('/y')).toBe(false);
  written.remove('a', '/x');
  expect(written.write('a', '/y', half)).toBe(true);
  written.drop('b');
  written.remove('b', '/z');
  expect(written.write('c', '/x', half)).toBe(true);
  written.clear();
  expect([written.write('a', '/x', half), written.write('a', '/y', half)]).toEqual([true, true]);
});
