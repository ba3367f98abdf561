import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { counterexampleIn } from './counterexample.ts';

/** What a property says that breaks. */
function messageOf(check: () => void): string {
  try {
    check();
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  throw new Error('nothing broke');
}

describe('what a property tells that broke', () => {
  it('is a list of acts, however much each of them says', () => {
    const act = actsOn<{ count: number }>();
    const message = messageOf(() => {
      holdsInAnyOrder<{ count: number }>({
        begin: () => ({ count: 0 }),
        acts: [
          act('rest', NOTHING, () => undefined),
          act(
            'add',
            fc.constant({ by: 1, why: 'a, "b" and (c)]', to: [1, 2] }),
            (subject) => (subject.count += 1),
          ),
        ],
        compare: ({ count }) => expect(count).toBeLessThan(3),
        most: 20,
        runs: 50,
      });
    });
    const { steps, text = '' } = counterexampleIn(message) ?? {};
    expect(steps).toBe(3);
    expect(text.match(/add\(/g)).toHaveLength(3);
  });

  it.each([
    ['Counterexample: [1,"a,b"]\nShrunk 3 time(s)', 1],
    ['Counterexample: ["[a,b]"]\nShrunk 3 time(s)', 1],
    ['Counterexample: [[]]', 0],
    ['Counterexample: [[{"a":[1,2]},"\\"x,"]]', 2],
    ['expected 1 to be 2', undefined],
  ])('is counted in %s', (message, steps) => {
    expect(counterexampleIn(message)?.steps).toBe(steps);
  });
});
