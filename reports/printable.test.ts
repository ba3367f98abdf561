import { expect, test } from 'vitest';
import { printable } from './printable.ts';

test.each([
  ['plain text: ✓ äöü 日本\n\tnext', 'plain text: ✓ äöü 日本\n\tnext'],
  ['\u001b[2J\u001b]0;title\u0007', '\\u{1b}[2J\\u{1b}]0;title\\u{7}'],
  ['over\rwritten', 'over\\u{d}written'],
  ['\u009b31m', '\\u{9b}31m'],
  ['a\u202eb\u2066c', 'a\\u{202e}b\\u{2066}c'],
])('%j', (text, shown) => {
  expect(printable(text)).toBe(shown);
});
