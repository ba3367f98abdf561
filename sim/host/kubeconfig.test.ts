import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writePrivate } from './kubeconfig.ts';

test('a kubeconfig that was there is closed to others, and a link is not followed', () => {
  const directory = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
  const file = join(directory, 'config');
  writeFileSync(file, 'a longer text that was there before');
  chmodSync(file, 0o644);
  writePrivate(file, 'token');
  expect(readFileSync(file, 'utf8')).toBe('token');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  symlinkSync(file, join(directory, 'link'));
  expect(() => writePrivate(join(directory, 'link'), 'other')).toThrow(/ELOOP/);
  expect(readFileSync(file, 'utf8')).toBe('token');
  rmSync(directory, { recursive: true });
});
