import { describe, expect, it } from 'vitest';
import type { DaemonSet } from '../../api/types/apps-v1.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { minutes, seconds } from '../../engine/time.ts';
import {
  active,
  bindAll,
  createdPods,
  eventTexts,
  podsOf,
  ready,
  template,
  world,
} from '../workload/workload-world.fixture.ts';
import { targetOf } from './daemon-pod.ts';

const MANAGER = 'controller-manager/0';

function daemonSet(cluster: Cluster, spec: Partial<NonNullable<DaemonSet['spec']>> = {}): DaemonSet {
  return cluster.client.daemonSets.create({
    metadata: { name: 'web' },
    spec: { selector: { matchLabels: { app: 'web' } }, template: template({ node: '' }), ...spec },
  });
}

function until(cluster: Cluster, isDone: () => boolean): void {
  const end = cluster.now + minutes(3);
  while (!isDone()) {
    expect(cluster.now).toBeLessThan(end);
    bindAll(cluster);
    cluster.advance(seconds(1));
  }
}

const setImage = (cluster: Cluster, image: string) =>
  cluster.client.daemonSets.patch('web', {
    type: 'strategic',
    body: { spec: { template: { spec: { containers: [{ name: 'main', image }] } } } },
  });
const images = (cluster: Cluster): readonly (string | undefined)[] =>
  active(cluster).map(({ spec }) => spec?.containers[0]?.image);
const isNew = (cluster: Cluster): boolean =>
  images(cluster).every((image) => image === 'app:2') && ready(cluster).length === 3;
const statusOf = (cluster: Cluster) => cluster.client.daemonSets.get('web').status;

const revisionsOf = (cluster: Cluster): readonly number[] =>
  cluster.client.controllerRevisions
    .list()
    .items.map(({ revision }) => revision)
    .toSorted((a, b) => a - b);

describe('a DaemonSet', () => {
  it('has one pod on every node that suits, also on those that come later', () => {
    const cluster = world({ scheduler: false, nodes: 3 });
    cluster.client.nodes.patch('worker-3', {
      type: 'merge',
      body: { spec: { taints: [{ key: 'own', effect: 'NoSchedule' }] } },
    });
    daemonSet(cluster);
    until(cluster, () => ready(cluster).length === 2);
    expect(new Set(active(cluster).map(targetOf))).toEqual(new Set(['worker-1', 'worker-2']));
    cluster.client.nodes.patch('worker-3', { type: 'merge', body: { spec: { taints: null } } });
    until(cluster, () => ready(cluster).length === 3);
    cluster.settle();
    expect(statusOf(cluster)).toMatchObject({
      desiredNumberScheduled: 3,
      numberAvailable: 3,
      observedGeneration: 1,
    });
  });

  it('replaces its pods one by one, through a crash of its controller', () => {
    const cluster = world({ scheduler: false, nodes: 3 });
    const created = createdPods(cluster);
    daemonSet(cluster);
    until(cluster, () => ready(cluster).length === 3);
    setImage(cluster, 'app:2');
    cluster.advance(seconds(2));
    cluster.faults.crash(MANAGER);
    cluster.faults.restart(MANAGER);
    until(cluster, () => {
      expect(ready(cluster).length).toBeGreaterThanOrEqual(2);
      return isNew(cluster);
    });
    expect(created()).toBe(6);
    expect(revisionsOf(cluster)).toEqual([1, 2]);
  });

  it('that may surge never has fewer ready pods than nodes', () => {
    const cluster = world({ scheduler: false, nodes: 3 });
    daemonSet(cluster, {
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    });
    until(cluster, () => ready(cluster).length === 3);
    setImage(cluster, 'app:2');
    until(cluster, () => {
      expect(ready(cluster).length).toBeGreaterThanOrEqual(3);
      expect(active(cluster).length).toBeLessThanOrEqual(4);
      return isNew(cluster);
    });
  });

  it('that waits for deletion replaces only what somebody deletes', () => {
    const cluster = world({ scheduler: false, nodes: 3 });
    daemonSet(cluster, { updateStrategy: { type: 'OnDelete' } });
    until(cluster, () => ready(cluster).length === 3);
    setImage(cluster, 'app:2');
    cluster.advance(seconds(20));
    expect(images(cluster)).toEqual(['app:1', 'app:1', 'app:1']);
    cluster.client.pods.delete(podsOf(cluster)[0]?.metadata.name ?? '');
    until(cluster, () => ready(cluster).length === 3 && images(cluster).includes('app:2'));
    expect(images(cluster).filter((image) => image === 'app:2')).toHaveLength(1);
  });

  it('deletes a pod that has failed and makes another, with growing pauses', () => {
    const cluster = world({ scheduler: false });
    daemonSet(cluster);
    until(cluster, () => ready(cluster).length === 1);
    cluster.faults.partition('worker-1');
    const created = createdPods(cluster);
    for (let tries = 0; tries < 20; tries++) {
      for (const { metadata } of active(cluster))
        cluster.client.pods.patch(
          metadata.name ?? '',
          { type: 'merge', body: { status: { phase: 'Failed' } } },
          { subresource: 'status' },
        );
      cluster.advance(seconds(1));
      for (const { metadata } of podsOf(cluster))
        if (metadata.deletionTimestamp !== undefined)
          cluster.client.pods.delete(metadata.name ?? '', { gracePeriodSeconds: 0 });
    }
    expect(created()).toBeGreaterThan(3);
    expect(created()).toBeLessThan(8);
    expect(eventTexts(cluster, 'web')).toContainEqual(
      expect.stringMatching(/^FailedDaemonPod: Found failed daemon pod/),
    );
  });

  it('keeps no more former revisions than its limit, and goes back by the one that is there', () => {
    const cluster = world({ scheduler: false });
    daemonSet(cluster, { revisionHistoryLimit: 1 });
    for (const image of ['app:2', 'app:3', 'app:2']) {
      until(cluster, () => ready(cluster).length === 1);
      setImage(cluster, image);
      until(cluster, () => images(cluster).includes(image) && ready(cluster).length === 1);
    }
    cluster.settle();
    expect(revisionsOf(cluster)).toEqual([3, 4]);
  });
});
