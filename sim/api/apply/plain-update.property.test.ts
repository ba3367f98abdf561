/** The short way of updates against the general one. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import { RELEASE_1_31 } from '../release/release-1-31.ts';
import { canonical } from '../codec/canonical.ts';
import type { JsonObject, ObjectMeta } from '../object.ts';
import { FieldSet } from './field-set.ts';
import { atOnce } from '../steps.ts';
import { managedFieldsOfUpdate, type ManagedUpdate } from './managed-update.ts';
import { type Managers, readManagers } from './managers.ts';
import { ownedAfter } from './plain-update.ts';

const { types } = RELEASE_1_31.catalog;

const NODE = types.structOf('v1.Node');
const few = fc.constantFrom('a', 'b');
const text = fc.constantFrom('x', 'y', 'z');
const node = fc.record(
  {
    metadata: fc.record({
      name: fc.constant('n'),
      resourceVersion: text,
      labels: fc.dictionary(few, text),
    }),
    spec: fc.record({ podCIDR: text, unschedulable: fc.boolean() }, { requiredKeys: [] }),
    status: fc.record(
      {
        phase: text,
        conditions: fc.uniqueArray(fc.record({ type: few, status: text, reason: text }), {
          selector: ({ type }) => type,
        }),
        images: fc.array(fc.record({ names: fc.array(few), sizeBytes: fc.nat(3) }), { maxLength: 2 }),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['metadata'] },
);
/** `beat`: the object as it is, with other texts. `status`: the object with another status, as an agent reports it. */
const way = fc.constantFrom('whole', 'beat', 'status');
const write = fc.record({ object: node, manager: few, way });

/** The same shape with every text but keys and names moved on. */
const movedOn = (value: JsonObject): JsonObject =>
  JSON.parse(
    JSON.stringify(value).replaceAll(/"([xyz])"/g, (_, letter: string) => `"${NEXT[letter] ?? ''}"`),
  ) as JsonObject;
const NEXT: Readonly<Record<string, string>> = { x: 'y', y: 'z', z: 'x' };

/** Conditions that are there stay, in another order and with fewer members; what else the status has may go. */
function reported(live: JsonObject, { status }: JsonObject): JsonObject {
  const [was, is] = [statusOf(live), statusOf({ status })];
  const kept = (was.conditions ?? []).map(
    ({ type, status: value }) =>
      is.conditions?.find((other) => other.type === type) ?? { type, status: value },
  );
  const come = (is.conditions ?? []).filter(({ type }) => !kept.some((one) => one.type === type));
  return canonical(NODE, { ...live, status: { ...is, conditions: [...come, ...kept.toReversed()] } });
}

interface Status {
  readonly conditions?: readonly {
    readonly type: string;
    readonly status?: string;
    readonly reason?: string;
  }[];
}

const statusOf = (object: JsonObject): Status => (object['status'] ?? {}) as Status;

const RESET = { v1: FieldSet.ofPaths([['f:status', 'f:phase']]) };

const next = (live: JsonObject, object: JsonObject, how: 'beat' | 'status'): JsonObject =>
  how === 'beat' ? movedOn(live) : reported(live, object);

const managersOf = ({ metadata }: JsonObject): Managers =>
  readManagers((metadata as ObjectMeta).managedFields ?? []) ?? new Map();

const withEntries = (object: JsonObject, entries: ObjectMeta['managedFields']): JsonObject => {
  const { managedFields: _, ...metadata } = object['metadata'] as JsonObject;
  return { ...object, metadata: { ...metadata, ...(entries && { managedFields: entries as never }) } };
};

function ownersOf(managers: Managers, name: string, hasReset: boolean) {
  const writer = [...managers.values()].find((manager) => manager.name === name);
  const others = [...managers.values()].filter((manager) => manager !== writer).map(({ fields }) => fields);
  return { writer: writer?.fields ?? FieldSet.EMPTY, others, reset: hasReset ? RESET.v1 : FieldSet.EMPTY };
}

it('a plain update has the result that any update has', () => {
  const counts = { renewed: 0, gained: 0, lost: 0 };
  fc.assert(
    fc.property(fc.array(write, { minLength: 2, maxLength: 5 }), fc.boolean(), (writes, hasReset) => {
      let live: JsonObject | undefined;
      for (const [index, { object, manager, way: how }] of writes.entries()) {
        const updated = live && how !== 'whole' ? next(live, object, how) : canonical(NODE, object);
        const update: ManagedUpdate = {
          schemaOf: (version) => (version === 'v1' ? NODE : undefined),
          convert: (value) => value,
          live,
          updated,
          apiVersion: 'v1',
          manager,
          // Some writes are of one second.
          now: `2025-01-01T00:00:0${index >> 1}Z`,
          ...(hasReset && { resetFields: RESET }),
        };
        const general = atOnce(managedFieldsOfUpdate({ ...update, isGeneral: true }));
        expect(atOnce(managedFieldsOfUpdate(update))).toEqual(general);
        const owners = live && ownersOf(managersOf(live), manager, hasReset);
        const owned = live && owners && ownedAfter(NODE, live, updated, owners);
        if (owned?.hasSet) counts[owned.fields === owners?.writer ? 'renewed' : 'gained'] += 1;
        else if (owned && owned.fields !== owners?.writer) counts.lost += 1;
        live = withEntries(updated, general);
      }
    }),
    asOftenAs(3_000, 1),
  );
  expect(Math.min(counts.renewed, counts.gained, counts.lost)).toBeGreaterThan(100);
});
