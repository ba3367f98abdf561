import { expect, test } from 'vitest';
import { RELEASE_1_31 } from '../release/release-1-31.ts';
import { decodeStruct } from './decode.ts';
import { inSchemaOrder } from './schema-order.ts';

const LEASE = RELEASE_1_31.catalog.types.structOf('coordination.k8s.io/v1.Lease');

test('members come in the order of their type, unknown ones last', () => {
  const lease = { spec: { renewTime: 'b', acquireTime: 'a', other: 1 }, zone: 1, metadata: { name: 'x' } };
  expect(JSON.stringify(inSchemaOrder(LEASE, lease))).toBe(
    '{"metadata":{"name":"x"},"spec":{"acquireTime":"a","renewTime":"b","other":1},"zone":1}',
  );
});

test('of a parsed value the first wrong member of its type is complained of', () => {
  const lease = { spec: { renewTime: '2024-13-01T00:00:00Z', acquireTime: 'a' } };
  expect(() => decodeStruct(LEASE, lease)).toThrow('parsing time "a"');
});
