import { describe, expect, it, test } from 'vitest';
import type { Cluster } from '../cluster/cluster.ts';
import { createCluster } from '../cluster/create-cluster.ts';
import { minutes, seconds } from '../engine/time.ts';
import { EventCorrelation } from './event-correlation.ts';
import type { EventFacts } from './event-facts.ts';
import { EventRecorder } from './event-recorder.ts';

const OBJECT = { kind: 'ConfigMap', apiVersion: 'v1', namespace: 'default', name: 'x', uid: 'u' };
const facts = (message: string, reason = 'Made'): EventFacts => ({ type: 'Normal', reason, message });

describe('events of one reason about one object', () => {
  it('are told together from the tenth text on, until nothing has happened for ten minutes', () => {
    const correlation = new EventCorrelation();
    const told = Array.from({ length: 12 }, (_, at) => correlation.take(OBJECT, facts(`m${at}`), at));
    expect(told.slice(7).map((each) => each.facts.message)).toEqual([
      'm7',
      'm8',
      '(combined from similar events): m9',
      '(combined from similar events): m10',
      '(combined from similar events): m11',
    ]);
    expect(new Set(told.slice(9).map(({ key }) => key)).size).toBe(1);
    expect(correlation.take(OBJECT, facts('late'), 700_000).facts.message).toBe('late');
  });

  it('are told 25 times at once, and then once in five minutes', () => {
    const correlation = new EventCorrelation();
    const isTold = (atMs: number): boolean => !correlation.take(OBJECT, facts('same'), atMs).isTooMuch;
    expect(Array.from({ length: 27 }, () => isTold(0)).filter(Boolean)).toHaveLength(25);
    expect(isTold(299_999)).toBe(false);
    expect([isTold(600_000), isTold(600_000), isTold(600_000)]).toEqual([true, true, false]);
  });
});

test('of many objects those are remembered that were told of last', () => {
  const correlation = new EventCorrelation();
  const isTold = (uid: string): boolean => !correlation.take({ ...OBJECT, uid }, facts('same'), 0).isTooMuch;
  for (let time = 0; time < 26; time++) isTold('first');
  for (let other = 0; other < 4_095; other++) isTold(`other-${other}`);
  expect(isTold('first')).toBe(false);
  for (let other = 0; other < 4_096; other++) isTold(`new-${other}`);
  expect(isTold('first')).toBe(true);
});

describe('a recorder', () => {
  function world(): { readonly cluster: Cluster; readonly recorder: EventRecorder } {
    const cluster = createCluster({ controllers: [] });
    cluster.advance(seconds(1));
    return { cluster, recorder: new EventRecorder(cluster.userClient, 'tester') };
  }
  const written = (cluster: Cluster): readonly unknown[] =>
    cluster.client.events.list({ namespace: 'default' }).items.map(({ message, count }) => [message, count]);

  it('names them so that they are listed in the order in which they happened', () => {
    const { cluster, recorder } = world();
    for (const message of ['a', 'b']) recorder.recordFor(OBJECT, facts(message));
    cluster.advance(seconds(1));
    for (const message of ['c', 'd', 'e']) recorder.recordFor(OBJECT, facts(message));
    cluster.advance(seconds(1));
    expect(written(cluster).map((each) => (each as readonly unknown[])[0])).toEqual([
      'a',
      'b',
      'c',
      'd',
      'e',
    ]);
    for (const { metadata, firstTimestamp = '' } of cluster.client.events.list({ namespace: 'default' })
      .items) {
      expect(metadata.name).toMatch(/^x\.[0-9a-f]{16}$/);
      const nanos = BigInt(`0x${metadata.name?.slice(2) ?? ''}`);
      expect(nanos / 1_000_000_000n).toBe(BigInt(Date.parse(firstTimestamp) / 1_000));
    }
  });

  it('counts up what happens twice at one instant', () => {
    const { cluster, recorder } = world();
    for (let round = 0; round < 3; round++) recorder.recordFor(OBJECT, facts('same'));
    cluster.advance(seconds(1));
    expect(written(cluster)).toEqual([['same', 3]]);
  });

  it('counts those that nobody was told of', () => {
    const { cluster, recorder } = world();
    for (let round = 0; round < 30; round++) {
      recorder.recordFor(OBJECT, facts('same'));
      cluster.advance(seconds(1));
    }
    expect(written(cluster)).toEqual([['same', 25]]);
    cluster.advance(minutes(5));
    recorder.recordFor(OBJECT, facts('same'));
    cluster.advance(seconds(1));
    expect(written(cluster)).toEqual([['same', 31]]);
  });

  it('makes one anew that has gone meanwhile', () => {
    const { cluster, recorder } = world();
    recorder.recordFor(OBJECT, facts('same'));
    cluster.advance(seconds(1));
    const [event] = cluster.client.events.list({ namespace: 'default' }).items;
    cluster.client.events.delete(event?.metadata.name ?? '');
    recorder.recordFor(OBJECT, facts('same'));
    cluster.advance(seconds(1));
    expect(written(cluster)).toEqual([['same', 1]]);
  });
});
