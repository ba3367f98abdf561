/** What verbs of a cluster are told by tests that are run without their types. */
import { expect, test } from 'vitest';
import { seconds } from '../engine/time.ts';
import { createCluster } from './create-cluster.ts';

type Loose = Readonly<Record<'advance' | 'settle' | 'eventually', (...words: readonly unknown[]) => void>>;
const cluster = createCluster({ nodes: 0, controllers: [], scheduler: false });
const loose = cluster as unknown as Loose;

test.each(['5s', Number.NaN, Infinity, 0.5, -1, undefined, null])('no time goes by for %s', (span) => {
  const { now } = cluster;
  expect(() => loose.advance(span)).toThrow('advance takes virtual microseconds, such as seconds(5), not ');
  expect(() => loose.settle({ within: span ?? '' })).toThrow('`within` of settle takes virtual microseconds');
  expect(() => loose.eventually(() => false, { within: span ?? '' })).toThrow(
    '`within` of eventually takes virtual microseconds',
  );
  expect(() => loose.eventually(() => false, { every: span ?? 0 })).toThrow(
    '`every` of eventually takes virtual microseconds',
  );
  expect(cluster.now).toBe(now);
});

test('a promise is not taken for something that has come true', () => {
  expect(() => loose.eventually(async () => false, { within: seconds(1) })).toThrow(
    'the check is asynchronous: `await cluster.guests.eventually(…)` takes such checks',
  );
});
