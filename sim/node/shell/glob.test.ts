import { expect, test } from 'vitest';
import { fitsSource, globSource, literalSource } from './glob.ts';

const fits = (text: string, glob: string): boolean | undefined => fitsSource(text, globSource(glob));

test('stars, question marks and sets stand for what they do in a shell, everything else for itself', () => {
  expect([fits('web-0', 'web-?'), fits('web-10', 'web-?'), fits('a\nb', 'a*b')]).toEqual([true, false, true]);
  expect([fits('b', '[abc]'), fits('b', '[!abc]'), fits('d', '[^abc]')]).toEqual([true, false, true]);
  expect([fits('a+b', 'a+b'), fits('aab', 'a+b'), fits('(x)', '(*)')]).toEqual([true, false, true]);
  expect([fitsSource('a*', literalSource('a*')), fitsSource('ab', literalSource('a*'))]).toEqual([
    true,
    false,
  ]);
  expect(fits('a', '[b-a]')).toBeUndefined();
});

test('a pattern of many stars takes no longer than others', () => {
  const text = 'a'.repeat(2_000);
  expect(fits(text, `${'a*'.repeat(60)}b`)).toBe(false);
});
