/** In which order nodes are looked at; Kubernetes 1.31. */
import { expect, it } from 'vitest';
import { SchedulerCache } from './scheduler-cache.ts';

const ZONE = 'topology.kubernetes.io/zone';
const node = (name: string, zone: string) => ({
  ...{ apiVersion: 'v1', kind: 'Node' },
  metadata: { name, labels: { [ZONE]: zone } },
});

function cacheOf(...nodes: readonly (readonly [string, string])[]): SchedulerCache {
  const cache = new SchedulerCache();
  for (const [name, zone] of nodes) cache.setNode(node(name, zone));
  return cache;
}

const names = ({ nodes }: SchedulerCache): string => nodes.map(({ name }) => name).join(' ');

it('takes one of each zone in turn, as they came', () => {
  expect(names(cacheOf(['a', '1'], ['b', '1'], ['c', '2'], ['d', '1'], ['e', '3']))).toBe('a c e b d');
});

it('puts a node that changes zones, or comes back, behind the others of its zone', () => {
  const cache = cacheOf(['a', '1'], ['b', '1'], ['c', '2'], ['d', '2']);
  cache.setNode(node('a', '2'));
  expect(names(cache)).toBe('b c d a');
  cache.removeNode('c');
  cache.setNode(node('c', '2'));
  expect(names(cache)).toBe('b d a c');
});

it('takes a zone that was empty for the last one, though pods kept its node in mind', () => {
  const cache = cacheOf(['a', '1'], ['b', '2']);
  const metadata = { name: 'p', namespace: 'default', uid: 'p' };
  cache.setPod({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { nodeName: 'a', containers: [] } });
  cache.removeNode('a');
  cache.setNode(node('a', '1'));
  expect(names(cache)).toBe('b a');
});

it('does not count a node from the time when its first pod was seen', () => {
  const cache = new SchedulerCache();
  const metadata = { name: 'p', namespace: 'default', uid: 'p' };
  cache.setPod({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { nodeName: 'b', containers: [] } });
  for (const name of ['a', 'b']) cache.setNode(node(name, '1'));
  expect(names(cache)).toBe('a b');
});
