/** Those who update become no more than ten: the oldest are one from then on, by version, and nothing that they own is lost. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import { FieldSet } from './field-set.ts';
import { capUpdaters, type Manager, managerId, type Managers, MAX_UPDATERS } from './managers.ts';

const VERSIONS = ['v1', 'v2'] as const;
const FIELDS = ['f:a', 'f:b', 'f:c', 'f:d'] as const;

const manager = fc.record({
  name: fc.nat(19).map((number) => `m${number}`),
  operation: fc.constantFrom('Update', 'Update', 'Update', 'Apply' as const),
  apiVersion: fc.constantFrom(...VERSIONS),
  subresource: fc.constantFrom('', '', 'status'),
  time: fc.integer({ min: 10, max: 59 }).map((second) => `2025-01-01T00:00:${second}Z`),
  fields: fc
    .subarray([...FIELDS], { minLength: 1 })
    .map((paths) => FieldSet.ofPaths(paths.map((path) => [path]))),
});
const managers = fc
  .array(manager, { maxLength: 30, size: 'max' })
  .map(
    (all): Managers =>
      new Map(
        all.map((each): [ReturnType<typeof managerId>, Manager] => [
          managerId(each),
          { ...each, entry: undefined },
        ]),
      ),
  );

const ownedIn = (all: Managers, version: string): FieldSet =>
  [...all.values()]
    .filter(({ operation, apiVersion }) => operation === 'Update' && apiVersion === version)
    .reduce((sum, { fields }) => sum.union(fields), FieldSet.EMPTY);

it('are ten at the most, and own together what they owned', () => {
  fc.assert(
    fc.property(managers, (before) => {
      const after = capUpdaters(before);
      const updaters = [...before.values()].filter(({ operation }) => operation === 'Update');
      const left = [...after.values()].filter(({ operation }) => operation === 'Update');
      expect(left).toHaveLength(Math.min(updaters.length, MAX_UPDATERS));
      for (const version of VERSIONS)
        expect(ownedIn(after, version).equals(ownedIn(before, version)), version).toBe(true);
      for (const [id, each] of before) if (each.operation === 'Apply') expect(after.get(id)).toBe(each);
      const kept = left.filter((each) => updaters.includes(each));
      const merged = updaters.filter((each) => !left.includes(each));
      for (const { time = '', apiVersion } of kept)
        for (const other of merged)
          if (other.apiVersion === apiVersion)
            expect(time >= (other.time ?? ''), 'the oldest are merged first').toBe(true);
    }),
    asOftenAs(400),
  );
});
