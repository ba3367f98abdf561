import { expect, it } from 'vitest';
import { unifiedDiff } from './unified-diff.ts';

const lines = (text: string): string[] => text.split('');

it('lines that are the same have no hunks', () => {
  expect(unifiedDiff(lines('abc'), lines('abc'))).toBe('');
});

it('a change is shown with three lines around it, and changes that are close together', () => {
  expect(unifiedDiff(lines('abcdefgh'), lines('abcXefgh'))).toBe(
    '@@ -1,7 +1,7 @@\n a\n b\n c\n-d\n+X\n e\n f\n g\n',
  );
  expect(unifiedDiff(lines('abcdefghijkl'), lines('Xbcdefghijk'))).toBe(
    '@@ -1,4 +1,4 @@\n-a\n+X\n b\n c\n d\n@@ -9,4 +9,3 @@\n i\n j\n k\n-l\n',
  );
});

it('one line and none are told as such', () => {
  expect(unifiedDiff(lines('a'), [])).toBe('@@ -1 +0,0 @@\n-a\n');
});
