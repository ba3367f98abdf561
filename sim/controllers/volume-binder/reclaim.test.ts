/** What becomes of volumes whose claims are gone, and of claims that nobody serves; Kubernetes 1.31. */
import { describe, expect, it } from 'vitest';
import type { PersistentVolume, PersistentVolumeSpec } from '../../api/types/core-v1.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { type Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { minutes, seconds } from '../../engine/time.ts';

const { persistentVolumeClaims, persistentVolumes, storageClasses, events, pods } = BUILTIN_HANDLES;

type Policy = NonNullable<PersistentVolumeSpec['persistentVolumeReclaimPolicy']>;

interface Offer {
  readonly policy: Policy;
  readonly source: PersistentVolumeSpec;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A volume that was given to a claim which is gone. */
function released(
  cluster: Cluster,
  { policy, source, annotations = {} }: Offer,
): PersistentVolume | undefined {
  cluster.client.resource(persistentVolumes).create({
    metadata: { name: 'v', annotations },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: policy,
      ...source,
    },
  });
  cluster.client.resource(persistentVolumeClaims).create({
    metadata: { name: 'c' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: '',
      resources: { requests: { storage: '1Gi' } },
    },
  });
  cluster.advance(seconds(20));
  cluster.client.resource(persistentVolumeClaims).delete('c');
  cluster.advance(minutes(2));
  return cluster.client
    .resource(persistentVolumes)
    .list()
    .items.find(({ metadata }) => metadata.name === 'v');
}

const told = (cluster: Cluster, name: string): readonly string[] =>
  cluster.client
    .resource(events)
    .list({ namespace: 'default' })
    .items.filter(({ involvedObject }) => involvedObject.name === name)
    .map(({ type, reason, message }) => `${type} ${reason} ${message}`);

describe('a volume whose claim is gone', () => {
  it.each([
    [
      { hostPath: { path: '/data' } },
      {},
      'host_path deleter only supports /tmp/.+ but received provided /data',
    ],
    [
      { nfs: { server: 'files', path: '/' } },
      {},
      'error getting deleter volume plugin for volume "v": no deletable volume plugin matched',
    ],
    [
      { hostPath: { path: '/tmp/x' } },
      { 'pv.kubernetes.io/provisioned-by': 'kubernetes.io/none' },
      'no volume plugin matched name: kubernetes.io/none',
    ],
  ])('fails where nobody can delete %j', (source, annotations, message) => {
    const cluster = createCluster();
    const volume = released(cluster, { policy: 'Delete', source, annotations });
    expect(volume?.status).toMatchObject({ phase: 'Failed', message });
    expect(told(cluster, 'v')).toEqual([`Warning VolumeFailedDelete ${message}`]);
  });

  it('is deleted with what it stands for, where that can be done', () => {
    const offer: Offer = { policy: 'Delete', source: { hostPath: { path: '/tmp/x' } } };
    expect(released(createCluster(), offer)).toBeUndefined();
    const annotations = { 'pv.kubernetes.io/provisioned-by': 'kubernetes.io/host-path' };
    expect(released(createCluster(), { ...offer, annotations })).toBeUndefined();
  });

  it('waits for an external provisioner to delete it', () => {
    const cluster = createCluster();
    const volume = released(cluster, {
      policy: 'Delete',
      source: { csi: { driver: 'disks.example.com', volumeHandle: 'x' } },
    });
    expect(volume?.status?.phase).toBe('Released');
    expect(told(cluster, 'v')).toEqual([]);
  });

  it('fails where nobody can wipe it', () => {
    const cluster = createCluster();
    const volume = released(cluster, {
      policy: 'Recycle',
      source: { csi: { driver: 'disks.example.com', volumeHandle: 'x' } },
    });
    expect(volume?.status?.phase).toBe('Failed');
    expect(told(cluster, 'v')).toEqual([
      'Warning VolumeFailedRecycle No recycler plugin found for the volume!',
    ]);
  });

  it('is wiped by a pod and offered again', () => {
    const cluster = createCluster({ nodes: 1 });
    cluster.advance(seconds(30));
    const volume = released(cluster, { policy: 'Recycle', source: { hostPath: { path: '/data' } } });
    expect(told(cluster, 'v')).toContain('Normal VolumeRecycled Volume recycled');
    expect(told(cluster, 'v')).toContain('Normal RecyclerPod Recycler pod: Started container pv-recycler');
    expect(volume?.status?.phase).toBe('Available');
    expect(volume?.spec?.claimRef).toBeUndefined();
    expect(cluster.client.resource(pods).list({ namespace: 'default' }).items).toEqual([]);
  });
});

describe('a claim that nobody serves', () => {
  const addClass = (cluster: Cluster, name: string, provisioner: string): void => {
    cluster.client.resource(storageClasses).create({
      metadata: { name, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner,
    });
  };
  const addClaim = (cluster: Cluster): void => {
    cluster.client.resource(persistentVolumeClaims).create({
      metadata: { name: 'c' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
  };
  const claimOf = (cluster: Cluster) => cluster.client.resource(persistentVolumeClaims).get('c');

  it('gets the class that came to be the default after it', () => {
    const cluster = createCluster();
    addClaim(cluster);
    cluster.advance(seconds(20));
    expect(claimOf(cluster).spec?.storageClassName).toBeUndefined();
    addClass(cluster, 'older', 'disks.example.com');
    cluster.advance(seconds(2));
    addClass(cluster, 'younger', 'disks.example.com');
    cluster.advance(seconds(20));
    expect(claimOf(cluster).spec?.storageClassName).toBe('younger');
    expect(claimOf(cluster).metadata.annotations).toMatchObject({
      'volume.kubernetes.io/storage-provisioner': 'disks.example.com',
    });
  });

  it('names the driver that a plugin has moved to', () => {
    const cluster = createCluster();
    addClass(cluster, 'cloud', 'kubernetes.io/aws-ebs');
    addClaim(cluster);
    cluster.advance(seconds(20));
    expect(claimOf(cluster).metadata.annotations).toMatchObject({
      'volume.kubernetes.io/storage-provisioner': 'ebs.csi.aws.com',
    });
    expect(told(cluster, 'c')[0]).toMatch(
      /^Normal ExternalProvisioning Waiting for a volume to be created either by the external provisioner 'ebs.csi.aws.com'/,
    );
  });

  it.each([
    ['kubernetes.io/no-provisioner', 'no volume plugin matched name: kubernetes.io/no-provisioner'],
    ['kubernetes.io/nfs', 'no provisionable volume plugin matched'],
    [
      'kubernetes.io/host-path',
      'Failed to create provisioner: provisioning in volume plugin "kubernetes.io/host-path" is disabled',
    ],
  ])('says why %s makes no volume', (provisioner, message) => {
    const cluster = createCluster();
    addClass(cluster, 'own', provisioner);
    addClaim(cluster);
    cluster.advance(seconds(20));
    expect(told(cluster, 'c')).toContain(`Warning ProvisioningFailed ${message}`);
  });

  it('is told of once it is known who is asked, and not before', () => {
    const cluster = createCluster();
    addClass(cluster, 'outside', 'disks.example.com');
    const user = 'system:serviceaccount:kube-system:persistent-volume-binder';
    cluster.faults.failWrites({ user, resource: 'persistentvolumeclaims' });
    addClaim(cluster);
    cluster.advance(seconds(5));
    expect(told(cluster, 'c').filter((text) => text.includes('ExternalProvisioning'))).toEqual([]);
    expect(told(cluster, 'c')[0]).toMatch(/^Warning ProvisioningFailed Error saving claim: /);
  });
});
