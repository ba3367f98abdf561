import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asOftenAs } from '../engine/any-order.arbitrary.ts';
import { RE2JS } from 're2js';
import { goPattern, weightOf } from './go-pattern.ts';

const part = fc.constantFrom(
  'a',
  'b',
  '.',
  '[ab]',
  '[^a]',
  '^',
  '$',
  '|',
  '(',
  ')',
  '*',
  '+',
  '?',
  '{2}',
  '{0,3}',
  '\\b',
  '\\w',
);
const source = fc.array(part, { maxLength: 10 }).map((parts) => parts.join(''));
const text = fc.stringMatching(/^[abc -]{0,8}$/);

describe('patterns', () => {
  it('are found where the engine finds them step by step', () => {
    fc.assert(
      fc.property(source, text, (pattern, among) => {
        const made = goPattern(pattern);
        if (made.kind === 'pattern')
          expect(made.pattern.test(among)).toBe(RE2JS.compile(pattern).matcher(among).find());
        else expect(() => RE2JS.compile(pattern)).toThrow();
      }),
      asOftenAs(3_000, 1),
    );
  });

  it.each([
    ['abc', 3],
    ['(ab)+', 5],
    ['[a-z]{1,63}', 63],
    ['(a{10}b){100}', 1_300],
    ['\\p{Lu}{5}', 5],
    ['a{0}', 1],
    ['[^]a]{3}', 3],
  ])('%s comes to about %d instructions', (pattern, weight) => {
    expect(weightOf(pattern)).toBe(weight);
  });

  it.each([
    ['a?'.repeat(5_001)],
    ['a{0,1000}'.repeat(100)],
    ['((a{0,100}){0,10}){0,1000}'],
    ['(a{0,100}){0,1000}'],
  ])('is refused where it is too large', (pattern) => {
    expect(goPattern(pattern)).toMatchObject({
      kind: 'problem',
      problem: expect.stringContaining('expression too large') as string,
    });
  });

  it.each([['a?'], ['[:['], ['[\\p{L}'], ['[\\pL]'], ['('], ['(?i)[a-z]'], ['a{0,9}'], ['\\p{']])(
    'of as many %s as there may be costs no more than a moment',
    (unit) => {
      const start = process.cpuUsage();
      goPattern(unit.repeat(Math.floor(10_000 / unit.length)));
      const { user } = process.cpuUsage(start);
      expect(user).toBeLessThan(1_500_000);
    },
  );
});
