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

it('counts directories, and forgets them with their container', () => {
  const written = new WrittenFiles();
  expect(written.makeDirectory('a', '/d')).toBe(true);
  expect(written.write('b', '/x', new Uint8Array(64 * 2 ** 20 - 130))).toBe(true);
  expect(written.makeDirectory('a', '/e')).toBe(false);
  written.drop('a');
  expect(written.directoriesOf('a').size).toBe(0);
  expect(written.makeDirectory('b', '/e')).toBe(true);
  written.removeDirectory('b', '/e');
  expect(written.makeDirectory('b', '/f')).toBe(true);
});
