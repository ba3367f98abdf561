import { describe, expect, it } from 'vitest';
import type { StatefulSet } from '../../api/types/apps-v1.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { minutes, seconds } from '../../engine/time.ts';
import {
  active,
  createdPods,
  eventTexts,
  podsOf,
  ready,
  template,
  world,
} from '../workload/workload-world.fixture.ts';

const MANAGER = 'controller-manager/0';
const WITHIN = { within: minutes(5) };
const CLAIM = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'] as const, resources: { requests: { storage: '1Gi' } } },
};

function statefulSet(cluster: Cluster, spec: Partial<NonNullable<StatefulSet['spec']>> = {}): StatefulSet {
  return cluster.client.statefulSets.create({
    metadata: { name: 'web' },
    spec: {
      replicas: 3,
      serviceName: 'web',
      selector: { matchLabels: { app: 'web' } },
      template: template(),
      ...spec,
    },
  });
}

const names = (cluster: Cluster): readonly (string | undefined)[] =>
  podsOf(cluster).map(({ metadata }) => metadata.name);
const change = (cluster: Cluster, body: object) =>
  cluster.client.statefulSets.patch('web', { type: 'strategic', body });
const setImage = (cluster: Cluster, image: string) =>
  change(cluster, { spec: { template: { spec: { containers: [{ name: 'main', image }] } } } });
const imagesOf = (cluster: Cluster): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    podsOf(cluster).map(({ metadata, spec }) => [metadata.name ?? '', spec?.containers[0]?.image]),
  );
const statusOf = (cluster: Cluster) => cluster.client.statefulSets.get('web').status;

describe('a StatefulSet', () => {
  it('makes its pods in order, each when the one before is ready, through a crash', () => {
    const cluster = world();
    const watch = cluster.client.pods.watch({ resourceVersion: '0' });
    statefulSet(cluster);
    cluster.eventually(() => podsOf(cluster).length === 2, WITHIN);
    cluster.faults.crash(MANAGER);
    cluster.advance(seconds(3));
    cluster.faults.restart(MANAGER);
    cluster.eventually(() => ready(cluster).length === 3, WITHIN);
    const steps = watch.events.flatMap(({ type, object }) =>
      type === 'ADDED' ? [object.metadata.name] : [],
    );
    expect(steps).toEqual(['web-0', 'web-1', 'web-2']);
    cluster.settle();
    expect(statusOf(cluster)).toMatchObject({
      replicas: 3,
      readyReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
    });
  });

  it('deletes from the end, one at a time, and does not touch the others', () => {
    const cluster = world();
    statefulSet(cluster);
    cluster.eventually(() => ready(cluster).length === 3, WITHIN);
    change(cluster, { spec: { replicas: 1 } });
    cluster.eventually(() => {
      const going = podsOf(cluster).filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
      expect(going.length).toBeLessThanOrEqual(1);
      return podsOf(cluster).length === 1;
    }, WITHIN);
    expect(names(cluster)).toEqual(['web-0']);
  });

  it('makes and deletes all at once where it is parallel', () => {
    const cluster = world();
    statefulSet(cluster, { podManagementPolicy: 'Parallel' });
    cluster.advance(seconds(1));
    expect(names(cluster)).toEqual(['web-0', 'web-1', 'web-2']);
  });

  it('replaces pods from the end down to its partition, and makes those below it as they were', () => {
    const cluster = world();
    statefulSet(cluster, { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } });
    cluster.eventually(() => ready(cluster).length === 3, WITHIN);
    setImage(cluster, 'app:2');
    cluster.eventually(() => imagesOf(cluster)['web-1'] === 'app:2' && ready(cluster).length === 3, WITHIN);
    expect(imagesOf(cluster)).toEqual({ 'web-0': 'app:1', 'web-1': 'app:2', 'web-2': 'app:2' });
    cluster.client.pods.delete('web-0');
    cluster.advance(seconds(5));
    cluster.eventually(() => ready(cluster).length === 3, WITHIN);
    expect(imagesOf(cluster)['web-0']).toBe('app:1');
    change(cluster, { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
    cluster.eventually(() => imagesOf(cluster)['web-0'] === 'app:2' && ready(cluster).length === 3, WITHIN);
    cluster.settle();
    expect(statusOf(cluster)?.currentRevision).toBe(statusOf(cluster)?.updateRevision);
  });

  it('begins with the ordinal that it says', () => {
    const cluster = world();
    statefulSet(cluster, { replicas: 2, ordinals: { start: 5 } });
    cluster.eventually(() => ready(cluster).length === 2, WITHIN);
    expect(names(cluster)).toEqual(['web-5', 'web-6']);
  });

  it('makes no second pod for one on a lost node, until that one is deleted by force', () => {
    const cluster = world({ nodes: 2 });
    statefulSet(cluster, { replicas: 2 });
    cluster.eventually(() => ready(cluster).length === 2, WITHIN);
    const created = createdPods(cluster);
    cluster.faults.crash('worker-1', { isSilent: true });
    cluster.advance(minutes(8));
    expect(podsOf(cluster).every(({ metadata }) => metadata.deletionTimestamp !== undefined)).toBe(true);
    expect(created()).toBe(2);
    change(cluster, { spec: { template: { spec: { nodeName: 'worker-2' } } } });
    cluster.client.pods.delete('web-0', { gracePeriodSeconds: 0 });
    cluster.advance(seconds(30));
    expect(cluster.client.pods.get('web-0').spec?.nodeName).toBe('worker-2');
    expect(created()).toBe(3);
  });

  it('makes a claim for each pod and keeps it, or lets it go with the set as its policy says', () => {
    const cluster = world();
    const retention = { whenScaled: 'Delete', whenDeleted: 'Retain' } as const;
    statefulSet(cluster, {
      replicas: 2,
      template: template({ node: '' }),
      podManagementPolicy: 'Parallel',
      volumeClaimTemplates: [CLAIM],
      persistentVolumeClaimRetentionPolicy: retention,
    });
    cluster.advance(seconds(5));
    const claims = () => cluster.client.persistentVolumeClaims.list().items;
    expect(claims().map(({ metadata }) => metadata.name)).toEqual(['data-web-0', 'data-web-1']);
    expect(cluster.client.pods.get('web-0').spec?.volumes).toContainEqual({
      name: 'data',
      persistentVolumeClaim: { claimName: 'data-web-0' },
    });
    expect(claims()[1]?.metadata.ownerReferences).toBeUndefined();
    change(cluster, { spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } } });
    cluster.advance(seconds(5));
    expect(claims()[0]?.metadata.ownerReferences).toMatchObject([
      { kind: 'StatefulSet', name: 'web', controller: true },
    ]);
    expect(eventTexts(cluster, 'web')).toContain(
      'SuccessfulCreate: create Claim data-web-0 Pod web-0 in StatefulSet web success',
    );
  });

  it('gets over conflicts and refusals', () => {
    const cluster = world();
    cluster.faults.failWrites({ resource: 'pods', namespace: 'default' });
    statefulSet(cluster);
    cluster.advance(seconds(10));
    expect(active(cluster)).toEqual([]);
    expect(eventTexts(cluster, 'web')).toContainEqual(
      expect.stringMatching(/^FailedCreate: create Pod web-0 in StatefulSet web failed error: /),
    );
    cluster.faults.allowWrites({ resource: 'pods', namespace: 'default' });
    cluster.eventually(() => ready(cluster).length === 3, WITHIN);
  });
});
