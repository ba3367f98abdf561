/** A pod that is looked at again although it has just been placed takes nothing from anybody. */
import { expect, it } from 'vitest';
import { microseconds, milliseconds, seconds } from '../../engine/time.ts';
import { addNode, addPod, addPriority, world } from '../scheduling.fixture.ts';

const LINGERING = 3_000;

it.each([100, 600, 1_000, 1_200, 1_400])(
  'nobody leaves for a pod that was told of the failure of a predecessor, gone after %i µs, while it was placed',
  (micros) => {
    const cluster = world();
    for (const [name, value] of Object.entries({ low: 10, mid: 100, high: 1_000 }))
      addPriority(cluster, name, value);
    for (const name of ['n1', 'n2']) addNode(cluster, name, { cpu: '2', pods: '3' });
    cluster.advance(seconds(1));
    const lingering = { cpu: '1', terminationGracePeriodSeconds: LINGERING } as const;
    addPod(cluster, 'a', { ...lingering, priorityClassName: 'mid', nodeName: 'n1' });
    cluster.advance(seconds(1));
    addPod(cluster, 'd', { ...lingering, priorityClassName: 'low' });
    cluster.advance(microseconds(micros));
    cluster.client.pods.delete('d', { gracePeriodSeconds: 0 });
    addPod(cluster, 'd', { cpu: '2', priorityClassName: 'high', terminationGracePeriodSeconds: 0 });
    cluster.advance(milliseconds(500));
    const { spec, status } = cluster.client.pods.get('d');
    expect([spec?.nodeName, status?.nominatedNodeName]).toEqual(['n2', undefined]);
    expect(cluster.client.pods.get('a').metadata.deletionTimestamp).toBeUndefined();
  },
);
