import { describe, expect, it } from 'vitest';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { minutes, seconds } from '../../engine/time.ts';

function world(volume: object): Cluster {
  const cluster = createCluster({ nodes: 1, authorizationMode: 'RBAC' });
  cluster.settle();
  cluster.client.pods.create({
    metadata: { name: 'a' },
    spec: {
      nodeName: 'worker-1',
      containers: [{ name: 'main', image: 'app:1' }],
      volumes: [{ name: 'v', ...volume }],
    },
  });
  return cluster;
}
/** A volume of a driver, and its claim. */
function offer(cluster: Cluster, behaviour: object): void {
  const accessModes = ['ReadWriteOnce'] as const;
  const storage = '1Gi';
  cluster.client.persistentVolumes.create({
    metadata: {
      name: 'data',
      annotations: { 'volume.kubesim.dev/behaviour': JSON.stringify(behaviour) },
    },
    spec: {
      ...{ accessModes, capacity: { storage }, claimRef: { namespace: 'default', name: 'data' } },
      csi: { driver: 'disk.example.com', volumeHandle: 'data' },
    },
  });
  cluster.client.persistentVolumeClaims.create({
    metadata: { name: 'data' },
    spec: {
      ...{ accessModes, storageClassName: '', volumeName: 'data' },
      resources: { requests: { storage } },
    },
  });
}

const phaseOf = (cluster: Cluster): string | undefined => cluster.client.pods.get('a').status?.phase;
const failures = (cluster: Cluster): readonly (string | undefined)[] =>
  cluster.client.events
    .list({ namespace: 'default' })
    .items.filter(({ reason }) => reason === 'FailedMount')
    .map(({ message }) => message);

describe('a pod', () => {
  it('waits for a ConfigMap that is not there, and for a key of it', () => {
    const cluster = world({ configMap: { name: 'settings', items: [{ key: 'a', path: 'a' }] } });
    cluster.advance(seconds(10));
    expect(phaseOf(cluster)).toBe('Pending');
    expect(failures(cluster)).toEqual([
      'MountVolume.SetUp failed for volume "v" : configmap "settings" not found',
    ]);
    cluster.client.configMaps.create({ metadata: { name: 'settings' }, data: { b: '1' } });
    cluster.advance(minutes(1));
    expect(failures(cluster)).toContain(
      'MountVolume.SetUp failed for volume "v" : configmap references non-existent config key: a',
    );
    cluster.faults.crash('worker-1');
    cluster.client.configMaps.patch('settings', { type: 'merge', body: { data: { a: '1' } } });
    cluster.faults.restart('worker-1');
    cluster.advance(minutes(3));
    expect(phaseOf(cluster)).toBe('Running');
  });

  it('waits for a Secret, but not for one that may be missing', () => {
    const cluster = world({ secret: { secretName: 'password' } });
    cluster.advance(seconds(10));
    expect(failures(cluster)).toEqual([
      'MountVolume.SetUp failed for volume "v" : secret "password" not found',
    ]);
    const other = world({ secret: { secretName: 'password', optional: true } });
    other.advance(seconds(20));
    expect(phaseOf(other)).toBe('Running');
  });

  it('waits for a claim that is not bound', () => {
    const cluster = world({ persistentVolumeClaim: { claimName: 'data' } });
    cluster.advance(seconds(15));
    expect(failures(cluster)).toEqual([
      'Unable to attach or mount volumes: unmounted volumes=[v], unattached volumes=[], failed to process volumes=[v]: error processing PVC default/data: failed to fetch PVC from API server: persistentvolumeclaims "data" not found',
    ]);
    expect(phaseOf(cluster)).toBe('Pending');
  });
  it('waits for a driver that cannot mount, whether it attaches anything or not', () => {
    const cluster = world({ persistentVolumeClaim: { claimName: 'data' } });
    cluster.client
      .resource(BUILTIN_HANDLES.csiDrivers)
      .create({ metadata: { name: 'disk.example.com' }, spec: { attachRequired: false } });
    offer(cluster, { mountError: 'bad superblock' });
    cluster.advance(seconds(40));
    expect(failures(cluster)).toContain('MountVolume.MountDevice failed for volume "data" : bad superblock');
    expect(phaseOf(cluster)).toBe('Pending');
  });

  it.each(['goes', 'is called over'])(
    'that %s before its agent is back uses nothing, though it has never begun',
    (what) => {
      const cluster = world({ persistentVolumeClaim: { claimName: 'data' } });
      offer(cluster, { mountError: 'bad superblock' });
      const inUse = (): readonly string[] => cluster.client.nodes.get('worker-1').status?.volumesInUse ?? [];
      cluster.advance(seconds(40));
      expect(inUse()).toEqual(['kubernetes.io/csi/disk.example.com^data']);
      cluster.faults.crash('worker-1');
      const { pods } = cluster.client;
      if (what === 'goes') pods.delete('a', { gracePeriodSeconds: 0 });
      else
        pods.patch('a', { type: 'merge', body: { status: { phase: 'Failed' } } }, { subresource: 'status' });
      cluster.faults.restart('worker-1');
      cluster.advance(minutes(1));
      expect(inUse()).toEqual([]);
    },
  );

  it('that goes while its machine is down leaves no files on the disk', () => {
    const cluster = world({ configMap: { name: 'settings', optional: true } });
    cluster.client.configMaps.create({ metadata: { name: 'settings' }, data: { a: '1' } });
    const files = (): readonly string[] =>
      cluster
        .machine('worker-1')
        .disk.list('/')
        .filter((path) => path.includes('/volumes/'));
    cluster.eventually(() => phaseOf(cluster) === 'Running', { within: minutes(1) });
    expect(files()).toHaveLength(1);
    cluster.faults.crash('worker-1');
    cluster.machine('worker-1').reboot();
    cluster.client.pods.delete('a', { gracePeriodSeconds: 0 });
    cluster.faults.restart('worker-1');
    cluster.advance(minutes(1));
    expect(files()).toEqual([]);
  });
});
