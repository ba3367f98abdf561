import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import { canonical } from '../codec/canonical.ts';
import type { Json, JsonObject } from '../object.ts';
import { compare } from './compare.ts';
import { fieldsV1Of } from './fields-v1.ts';
import { atOnce } from '../steps.ts';
import { emptyObjectOf, managedFieldsOfUpdate } from './managed-update.ts';
import { withoutServerFields } from './ownership.ts';
import { DEPLOYMENT, configMap, types } from './managed-object.fixture.ts';

const podOf = (containers: readonly Json[]): JsonObject => ({ spec: { template: { spec: { containers } } } });

const text = fc.constantFrom('1', '2');

const data = fc.dictionary(fc.constantFrom('k', 'l', 'm'), text);

const object = fc.record(
  { data, metadata: fc.record({ labels: data }) },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>;

it('what a creator owns is what differs from an empty object', () => {
  const schema = types.structOf(DEPLOYMENT.typeKey);
  const port = fc.record({
    containerPort: fc.constantFrom(80, 443),
    protocol: fc.constantFrom('TCP', 'UDP'),
  });
  const container = fc.record({
    name: fc.constantFrom('a', 'b'),
    ports: fc.array(port),
    args: fc.array(text),
  });
  fc.assert(
    fc.property(fc.array(container, { maxLength: 3 }), object, (containers, rest) => {
      const created = canonical(schema, {
        ...podOf(containers),
        metadata: rest['metadata'] ?? {},
      });
      const { added, modified } = compare(schema, emptyObjectOf(schema), created);
      const owned = withoutServerFields(added.union(modified));
      const [entry] = atOnce(
        managedFieldsOfUpdate({
          live: undefined,
          updated: created,
          schemaOf: () => schema,
          convert: () => undefined,
          apiVersion: 'apps/v1',
          manager: 'm',
          now: '',
        }),
      ) ?? [undefined];
      expect(JSON.stringify(entry?.fieldsV1 ?? {})).toBe(JSON.stringify(fieldsV1Of(owned)));
    }),
    asOftenAs(100),
  );
});

it('applying twice is applying once, and the configuration holds afterwards', () => {
  const step = fc.tuple(fc.constantFrom('one', 'two', 'three'), fc.boolean(), object);
  fc.assert(
    fc.property(fc.array(step), object, (steps, last) => {
      const subject = configMap();
      for (const [manager, isApply, change] of steps) {
        if (isApply) subject.apply(manager, change, true);
        else subject.put(manager, change, undefined);
      }
      const once = subject.apply('last', last, true).live;
      expect(subject.apply('last', last).live).toEqual(once);
      expect(once?.['data'] ?? {}).toMatchObject((last['data'] ?? {}) as JsonObject);
    }),
    asOftenAs(100),
  );
});
