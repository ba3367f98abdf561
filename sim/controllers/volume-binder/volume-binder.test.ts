import { describe, expect, it } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/types/core-v1.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { type Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { milliseconds, minutes, seconds } from '../../engine/time.ts';

const { persistentVolumeClaims: claims, persistentVolumes: volumes } = BUILTIN_HANDLES;
const MANAGER = 'controller-manager/0';
const BINDER = 'system:serviceaccount:kube-system:persistent-volume-binder';

const addVolume = (cluster: Cluster, name: string, storage = '1Gi'): PersistentVolume =>
  cluster.client.resource(volumes).create({
    metadata: { name },
    spec: {
      capacity: { storage },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'disk',
      persistentVolumeReclaimPolicy: 'Retain',
      hostPath: { path: '/x' },
    },
  });

const addClaim = (cluster: Cluster, name: string, storage = '1Gi'): PersistentVolumeClaim =>
  cluster.client.resource(claims).create({
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'disk',
      resources: { requests: { storage } },
    },
  });

/** Name of the volume, phase of the claim, phase of the volume. */
function bindings(cluster: Cluster): readonly string[] {
  const phases = new Map(
    cluster.client
      .resource(volumes)
      .list()
      .items.map(({ metadata, status }) => [metadata.name ?? '', status?.phase ?? '']),
  );
  return cluster.client
    .resource(claims)
    .list({ namespace: 'default' })
    .items.map(({ metadata, spec, status }) => {
      const volume = spec?.volumeName ?? '';
      return `${metadata.name} ${status?.phase} ${volume} ${phases.get(volume) ?? ''}`.trim();
    });
}

describe('the volume binder', () => {
  it('gives each of many claims a volume of its own, the smallest that will do', () => {
    const cluster = createCluster();
    for (const [name, size] of [
      ['c', '3Gi'],
      ['a', '1Gi'],
      ['b', '2Gi'],
    ] as const)
      addVolume(cluster, name, size);
    for (const name of ['one', 'two', 'three']) addClaim(cluster, name);
    addClaim(cluster, 'too-many');
    cluster.advance(seconds(40));
    const found = bindings(cluster);
    expect(found.filter((text) => text.includes(' Bound '))).toHaveLength(3);
    expect(new Set(found.map((text) => text.split(' ')[2])).size).toBe(4);
    expect(found).toContain('too-many Pending');
  });

  it('finishes a binding that it found half done, wherever it was broken off', () => {
    for (let after = 1; after <= 12; after++) {
      const cluster = createCluster({ seed: after });
      cluster.advance(seconds(1));
      addVolume(cluster, 'v');
      cluster.advance(seconds(1));
      addClaim(cluster, 'c');
      cluster.advance(milliseconds(after));
      cluster.faults.crash(MANAGER);
      cluster.advance(seconds(1));
      cluster.faults.restart(MANAGER);
      cluster.advance(seconds(40));
      expect(bindings(cluster), `broken off after ${after} ms`).toEqual(['c Bound v Bound']);
    }
  });

  it('does not give the same volume twice, though its view is late', () => {
    const cluster = createCluster();
    addVolume(cluster, 'v');
    cluster.advance(seconds(1));
    cluster.faults.lag('controller/persistentvolume-binder-controller', seconds(3));
    addClaim(cluster, 'one');
    addClaim(cluster, 'two');
    cluster.advance(minutes(2));
    expect(bindings(cluster).filter((text) => text.includes(' Bound v Bound'))).toHaveLength(1);
  });

  it('releases a volume with its claim, and does not give it to another claim of that name', () => {
    const cluster = createCluster();
    addVolume(cluster, 'v');
    addClaim(cluster, 'c');
    cluster.advance(seconds(20));
    expect(bindings(cluster)).toEqual(['c Bound v Bound']);
    cluster.client.resource(claims).delete('c');
    addClaim(cluster, 'other');
    cluster.advance(seconds(40));
    expect(bindings(cluster)).toEqual(['other Pending']);
    expect(cluster.client.resource(volumes).get('v').status?.phase).toBe('Released');
  });

  it('goes on when its writes are taken again', () => {
    const cluster = createCluster();
    addVolume(cluster, 'v');
    cluster.advance(seconds(1));
    cluster.faults.failWrites({ user: BINDER, resource: 'persistentvolumeclaims' });
    addClaim(cluster, 'c');
    cluster.advance(seconds(30));
    expect(bindings(cluster)).toEqual(['c Pending']);
    cluster.faults.allowWrites({ user: BINDER, resource: 'persistentvolumeclaims' });
    cluster.advance(minutes(1));
    expect(bindings(cluster)).toEqual(['c Bound v Bound']);
  });

  it('takes a volume for nobody’s only when the API says so: its claim may merely be news', () => {
    const cluster = createCluster();
    cluster.advance(seconds(1));
    const isBlind = {
      verb: ['list', 'watch'],
      resource: 'persistentvolumeclaims',
      actor: MANAGER,
    } as const;
    cluster.faults.failRequests(isBlind);
    cluster.faults.endWatches({ resource: 'persistentvolumeclaims' });
    const { uid = '' } = addClaim(cluster, 'c').metadata;
    cluster.client.resource(volumes).create({
      metadata: { name: 'v' },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'disk',
        persistentVolumeReclaimPolicy: 'Retain',
        hostPath: { path: '/x' },
        claimRef: { namespace: 'default', name: 'c', uid },
      },
    });
    cluster.advance(seconds(10));
    expect(cluster.client.resource(volumes).get('v').status?.phase).not.toBe('Released');
    cluster.faults.allowRequests(isBlind);
    cluster.advance(minutes(2));
    expect(bindings(cluster)).toEqual(['c Bound v Bound']);
  });

  it('completes at once what a provisioner has begun', () => {
    const cluster = createCluster();
    const { uid = '' } = addClaim(cluster, 'c').metadata;
    cluster.advance(seconds(3));
    expect(bindings(cluster)).toEqual(['c Pending']);
    cluster.client.resource(volumes).create({
      metadata: { name: 'v' },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'disk',
        hostPath: { path: '/x' },
        claimRef: { namespace: 'default', name: 'c', uid },
      },
    });
    cluster.advance(seconds(2));
    expect(bindings(cluster)).toEqual(['c Bound v Bound']);
  });
});
