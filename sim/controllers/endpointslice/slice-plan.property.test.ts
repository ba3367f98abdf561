import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import { group, plan, slice } from './slice-plan.fixture.ts';

it('slices list every endpoint once after the plan, whatever was there', () => {
  const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { maxLength: 20 });
  fc.assert(
    fc.property(
      numbers,
      fc.array(fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { maxLength: 5 })),
      (wanted, lists) => {
        const seen = new Set<number>();
        const present = lists.map((list, index) =>
          slice(
            `s${index}`,
            list.filter((number) => !seen.has(number) && seen.add(number)),
          ),
        );
        const groups = wanted.length === 0 ? [] : [group(wanted)];
        const { writes, removals } = plan(groups, present);
        const written = writes.flatMap(({ slice: of }) => of ?? []);
        const kept = present.filter((each) => !written.includes(each) && !removals.includes(each));
        const all = [...writes, ...kept].flatMap(({ endpoints }) =>
          endpoints.map(({ addresses }) => addresses[0]),
        );
        expect(new Set(all)).toEqual(new Set(wanted.map((number) => `10.0.0.${number}`)));
        expect(all).toHaveLength(wanted.length);
        expect(writes.every(({ endpoints }) => endpoints.length <= 5)).toBe(true);
      },
    ),
    asOftenAs(100),
  );
});
