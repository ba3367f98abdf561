/** A node that is promised to one who matters more: what its first pod was promised is over once the API says so, not before. */
import { expect, it } from 'vitest';
import { milliseconds, seconds } from '../../engine/time.ts';
import { addNode, addPod, addPriority, nodeOf, world } from '../scheduling.fixture.ts';

const SCHEDULER = 'scheduler/0';

/** `second` is promised the node while `first` is, who matters less, and `leaving` leaves it. */
function overtaken(isRefused: boolean) {
  const cluster = world();
  for (const [name, value] of Object.entries({ low: 10, mid: 100, high: 1_000 }))
    addPriority(cluster, name, value);
  for (const name of ['n1', 'n2']) addNode(cluster, name, { cpu: '2', pods: '3' });
  addPod(cluster, 'full', { cpu: '2', priorityClassName: 'high', nodeName: 'n2' });
  for (const name of ['other', 'another'])
    addPod(cluster, name, { priorityClassName: 'high', nodeName: 'n2' });
  const leaving = { priorityClassName: 'low', nodeName: 'n1', terminationGracePeriodSeconds: 3_000 };
  addPod(cluster, 'leaving', { cpu: '2', ...leaving });
  cluster.advance(seconds(1));
  addPod(cluster, 'first', { cpu: '1', priorityClassName: 'mid' });
  cluster.advance(seconds(20));
  // Whoever has tried twice has told all that he has to tell.
  cluster.client.pods.delete('another');
  cluster.advance(seconds(20));
  if (isRefused)
    cluster.faults.failRequests({ actor: SCHEDULER, resource: 'pods', verb: 'patch', count: 1, status: 500 });
  addPod(cluster, 'second', { cpu: '1', priorityClassName: 'high' });
  cluster.advance(seconds(20));
  return {
    cluster,
    promisedTo: (name: string) => cluster.client.pods.get(name).status?.nominatedNodeName,
    /** The node is free, and who waits for it has to wait out a pause first; somebody lesser comes. */
    intrude: () => {
      cluster.client.pods.delete('other');
      cluster.advance(milliseconds(100));
      cluster.client.pods.delete('leaving', { gracePeriodSeconds: 0 });
      addPod(cluster, 'lesser', { cpu: '1', priorityClassName: 'low' });
      cluster.advance(milliseconds(300));
    },
  };
}

it('withdraws what a lesser pod was promised', () => {
  const { promisedTo } = overtaken(false);
  expect([promisedTo('first'), promisedTo('second')]).toEqual([undefined, 'n1']);
});

it('keeps to what a lesser pod was promised if that cannot be withdrawn', () => {
  const { cluster, promisedTo, intrude } = overtaken(true);
  expect([promisedTo('first'), promisedTo('second')]).toEqual(['n1', 'n1']);
  intrude();
  expect(nodeOf(cluster, 'lesser')).toBeUndefined();
  cluster.advance(seconds(10));
  expect([nodeOf(cluster, 'first'), nodeOf(cluster, 'second')]).toEqual(['n1', 'n1']);
});
