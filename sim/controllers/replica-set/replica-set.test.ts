import { describe, expect, it } from 'vitest';
import { microseconds, milliseconds, minutes, seconds } from '../../engine/time.ts';
import {
  active,
  createdPods,
  eventTexts,
  ready,
  replicaSet,
  template,
  world,
  worldOf,
} from '../workload/workload-world.fixture.ts';
import { replicaSetController } from './replica-set-controller.ts';

const MANAGER = 'controller-manager/0';

describe('a ReplicaSet', () => {
  it('gets its pods, and its status follows them', () => {
    const cluster = world();
    replicaSet(cluster, 3);
    cluster.eventually(() => ready(cluster).length === 3, { within: minutes(1) });
    cluster.settle();
    expect(cluster.client.replicaSets.get('web').status).toEqual({
      replicas: 3,
      fullyLabeledReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      observedGeneration: 1,
    });
    expect(eventTexts(cluster, 'web').filter((text) => text.startsWith('SuccessfulCreate'))).toHaveLength(3);
    const [pod] = active(cluster);
    expect(pod?.metadata).toMatchObject({
      generateName: 'web-',
      ownerReferences: [{ kind: 'ReplicaSet', name: 'web', controller: true, blockOwnerDeletion: true }],
    });
  });

  it('has no pod too many although its controller crashed between making them and writing the status', () => {
    const cluster = world();
    const created = createdPods(cluster);
    replicaSet(cluster, 5, { node: '' });
    while (created() < 2) cluster.advance(microseconds(100));
    expect(cluster.client.replicaSets.get('web').status?.replicas).toBe(0);
    cluster.faults.crash(MANAGER);
    cluster.advance(seconds(2));
    cluster.faults.restart(MANAGER);
    cluster.advance(minutes(1));
    expect([active(cluster).length, created()]).toEqual([5, 5]);
    expect(cluster.client.replicaSets.get('web').status?.replicas).toBe(5);
  });

  it('is scaled down by what is not ready first, and back up', () => {
    const cluster = world();
    replicaSet(cluster, 4);
    cluster.eventually(() => ready(cluster).length === 4, { within: minutes(1) });
    const [sick] = active(cluster);
    cluster.faults.pause('controller/replicaset-controller');
    const status = { conditions: [{ type: 'Ready', status: 'False' }] };
    cluster.faults.partition('worker-1');
    const name = sick?.metadata.name ?? '';
    cluster.client.pods.patch(name, { type: 'strategic', body: { status } }, { subresource: 'status' });
    cluster.client.replicaSets.patch('web', { type: 'merge', body: { spec: { replicas: 3 } } });
    cluster.faults.resume('controller/replicaset-controller');
    cluster.advance(seconds(5));
    expect(active(cluster).some(({ metadata }) => metadata.name === name)).toBe(false);
    expect(active(cluster)).toHaveLength(3);
  });

  it('tells why no pod can be made, tries again with growing pauses, and forgets when it can', () => {
    const cluster = world();
    cluster.faults.failWrites({ resource: 'pods', namespace: 'default' });
    replicaSet(cluster, 3);
    cluster.advance(seconds(10));
    expect(cluster.client.replicaSets.get('web').status?.conditions).toMatchObject([
      { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate' },
    ]);
    expect(eventTexts(cluster, 'web')).toContainEqual(
      expect.stringMatching(/^FailedCreate: Error creating: /),
    );
    cluster.faults.allowWrites({ resource: 'pods', namespace: 'default' });
    cluster.advance(minutes(2));
    expect(active(cluster)).toHaveLength(3);
    expect(cluster.client.replicaSets.get('web').status?.conditions).toBeUndefined();
  });

  it('adopts an orphan that matches and releases what matches no more, making another', () => {
    const cluster = world();
    cluster.client.pods.create({ metadata: { name: 'orphan', labels: { app: 'web' } }, ...specOf() });
    replicaSet(cluster, 2);
    cluster.advance(seconds(10));
    expect(active(cluster).map(({ metadata }) => metadata.name)).toContain('orphan');
    expect(active(cluster)).toHaveLength(2);
    cluster.client.pods.patch('orphan', { type: 'merge', body: { metadata: { labels: { app: 'debug' } } } });
    cluster.advance(seconds(10));
    expect(cluster.client.pods.get('orphan').metadata.ownerReferences).toBeUndefined();
    expect(active(cluster)).toHaveLength(3);
  });

  it('counts a pod as available only when it has been ready for long enough', () => {
    const cluster = world();
    cluster.client.replicaSets.create({
      metadata: { name: 'web' },
      spec: {
        replicas: 1,
        minReadySeconds: 30,
        selector: { matchLabels: { app: 'web' } },
        template: template(),
      },
    });
    const status = () => cluster.client.replicaSets.get('web').status;
    cluster.eventually(() => status()?.readyReplicas === 1, { within: minutes(1) });
    cluster.advance(seconds(25));
    expect(status()?.availableReplicas).toBeUndefined();
    cluster.eventually(() => status()?.availableReplicas === 1, { within: seconds(10) });
  });

  it('writes its status a second time where the first met a conflict', () => {
    const cluster = world();
    replicaSet(cluster, 1, { node: '' });
    // Somebody else writes all the time.
    for (let tries = 0; tries < 200; tries++) {
      const labels = { tries: String(tries) };
      cluster.client.replicaSets.patch('web', { type: 'merge', body: { metadata: { labels } } });
      cluster.advance(milliseconds(1));
    }
    cluster.advance(seconds(1));
    expect(cluster.client.replicaSets.get('web').status?.replicas).toBe(1);
  });
});

const specOf = () => ({ spec: template().spec ?? { containers: [] } });

describe('expectations keep a ReplicaSet from acting on a view without its own writes', () => {
  const overshoots = (hasExpectations: boolean): number => {
    let count = 0;
    for (let seed = 1; seed <= 8; seed++) {
      const cluster = worldOf([replicaSetController({ hasExpectations })], seed);
      const created = createdPods(cluster);
      cluster.lagWatchCaches(milliseconds(20));
      replicaSet(cluster, 6, { node: '' });
      for (let poke = 0; poke < 20; poke++) {
        cluster.client.replicaSets.patch('web', {
          type: 'merge',
          body: { metadata: { labels: { poke: String(poke) } } },
        });
        cluster.advance(milliseconds(1));
      }
      cluster.advance(seconds(20));
      expect(active(cluster)).toHaveLength(6);
      if (created() > 6) count++;
    }
    return count;
  };

  it('none is made too many with them', () => {
    expect(overshoots(true)).toBe(0);
  });

  it('and some are without', () => {
    expect(overshoots(false)).toBeGreaterThan(0);
  });
});

it.each([1, 2, 3])('one run is like the other (seed %i)', (seed) => {
  const digest = (): string => {
    const cluster = world({ seed, nodes: 2 });
    replicaSet(cluster, 10);
    cluster.advance(seconds(1));
    cluster.faults.crash(MANAGER);
    cluster.faults.restart(MANAGER);
    cluster.advance(seconds(30));
    return cluster.digest;
  };
  expect(digest()).toBe(digest());
});
