import { describe, expect, it } from 'vitest';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { minutes, seconds } from '../../engine/time.ts';

const EXECUTE = 'NoExecute';

/** Two zones of so many nodes each; `worker-1`, `worker-3`, … are in the first. */
function zoned(each: number): Cluster {
  const cluster = createCluster({ nodes: { count: 2 * each, zones: 2 }, isRecording: false });
  cluster.settle();
  return cluster;
}

const isOfFirst = (name: string): boolean => Number(name.slice('worker-'.length)) % 2 === 1;

const crash = (cluster: Cluster, isHit: (name: string) => boolean): void => {
  for (const { metadata } of cluster.client.nodes.list().items)
    if (isHit(metadata.name ?? '')) cluster.faults.crash(metadata.name ?? '', { isSilent: true });
};

/** Seconds between the NoExecute taints of nodes, as they were written. */
function paces(cluster: Cluster, isHit: (name: string) => boolean): number[] {
  const times = cluster.client.nodes
    .list()
    .items.filter(({ metadata }) => isHit(metadata.name ?? ''))
    .flatMap(({ spec }) => spec?.taints ?? [])
    .filter(({ effect }) => effect === EXECUTE)
    .map(({ timeAdded }) => Date.parse(timeAdded ?? '') / 1_000)
    .sort((a, b) => a - b);
  return times.slice(1).map((time, index) => time - (times[index] ?? 0));
}

const executed = (cluster: Cluster): number =>
  cluster.client.nodes
    .list()
    .items.filter(({ spec }) => (spec?.taints ?? []).some(({ effect }) => effect === EXECUTE)).length;

const readiness = (cluster: Cluster): string[] =>
  cluster.client.nodes
    .list()
    .items.map(({ status }) => status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? '');

describe('nodes that are lost', () => {
  it('are given up one in ten seconds while their zone has enough others', () => {
    const cluster = zoned(5);
    crash(cluster, (name) => ['worker-1', 'worker-3'].includes(name));
    cluster.advance(minutes(2));
    expect(paces(cluster, isOfFirst)).toEqual([10]);
  });

  it('are given up at that pace too when a whole zone is lost and another is not', () => {
    const cluster = zoned(4);
    crash(cluster, isOfFirst);
    cluster.advance(minutes(3));
    expect(paces(cluster, isOfFirst)).toEqual([10, 10, 10]);
  });

  it('are not given up in a small zone of which more than half is lost', () => {
    const cluster = zoned(5);
    crash(cluster, (name) => ['worker-1', 'worker-3', 'worker-5'].includes(name));
    cluster.advance(minutes(5));
    expect(readiness(cluster).filter((status) => status === 'Unknown')).toHaveLength(3);
    expect(executed(cluster)).toBe(0);
  });

  it('are given up one in a hundred seconds in a large zone of which more than half is lost', () => {
    const cluster = zoned(51);
    crash(cluster, (name) => isOfFirst(name) && Number(name.slice('worker-'.length)) > 40);
    cluster.advance(minutes(6));
    const [first, ...later] = paces(cluster, isOfFirst);
    expect(first).toBe(100);
    expect(new Set(later)).toEqual(new Set([100]));
  });

  it('are not given up at all when every node is lost, and taken back without harm', () => {
    const cluster = zoned(2);
    crash(cluster, () => true);
    cluster.advance(minutes(4));
    expect(readiness(cluster)).toEqual(['Unknown', 'Unknown', 'Unknown', 'Unknown']);
    expect(executed(cluster)).toBe(0);
    for (const index of [1, 2, 3, 4]) cluster.faults.restart(`worker-${index}`);
    cluster.advance(minutes(1));
    expect(readiness(cluster)).toEqual(['True', 'True', 'True', 'True']);
  });

  it('that were given up before all were lost are taken back then, and given up anew when one is back', () => {
    const cluster = zoned(2);
    crash(cluster, (name) => name === 'worker-1');
    cluster.advance(minutes(1));
    expect(executed(cluster)).toBe(1);
    crash(cluster, (name) => name !== 'worker-1');
    cluster.advance(minutes(1));
    expect(executed(cluster)).toBe(0);
    cluster.faults.restart('worker-4');
    cluster.advance(seconds(30));
    expect(executed(cluster)).toBeGreaterThan(0);
  });

  it('do not count for their zone when they are excluded', () => {
    const cluster = zoned(5);
    const excluded = ['worker-1', 'worker-3'];
    const labels = { 'node.kubernetes.io/exclude-disruption': 'true' };
    for (const name of excluded)
      cluster.client.nodes.patch(name, { type: 'merge', body: { metadata: { labels } } });
    crash(cluster, (name) => [...excluded, 'worker-5'].includes(name));
    cluster.advance(minutes(3));
    expect(executed(cluster)).toBe(3);
  });

  it('lose their NoExecute taints when the controller starts anew, and get them again', () => {
    const cluster = zoned(5);
    crash(cluster, (name) => name === 'worker-1');
    cluster.advance(minutes(1));
    const watch = cluster.client.nodes.watch({ fieldSelector: 'metadata.name=worker-1' });
    cluster.faults.crash('controller/node-lifecycle');
    cluster.faults.restart('controller/node-lifecycle');
    cluster.advance(minutes(1));
    const effects = watch.events.map(({ object }) =>
      ('spec' in object ? (object.spec?.taints ?? []) : []).map(({ effect }) => effect).join('+'),
    );
    expect(effects).toContain('NoSchedule');
    expect(executed(cluster)).toBe(1);
  });
});
