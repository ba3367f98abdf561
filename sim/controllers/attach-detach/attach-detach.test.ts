import { describe, expect, it } from 'vitest';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { minutes, seconds } from '../../engine/time.ts';

const {
  persistentVolumeClaims: claims,
  persistentVolumes: volumes,
  volumeAttachments,
  csiDrivers,
} = BUILTIN_HANDLES;
const MANAGER = 'controller-manager/0';
const USER = 'system:serviceaccount:kube-system:attachdetach-controller';
const UNIQUE = 'kubernetes.io/csi/disk.example.com^disk-1';
const BEHAVIOUR = 'volume.kubesim.dev/behaviour';

type AccessModes = readonly ('ReadWriteOnce' | 'ReadWriteMany')[];

function world(behaviour: object = {}, accessModes: AccessModes = ['ReadWriteOnce']): Cluster {
  const cluster = createCluster({ nodes: 2, authorizationMode: 'RBAC' });
  cluster.settle();
  cluster.client.resource(volumes).create({
    metadata: { name: 'pv', annotations: { [BEHAVIOUR]: JSON.stringify(behaviour) } },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes,
      storageClassName: 'disk',
      persistentVolumeReclaimPolicy: 'Retain',
      csi: { driver: 'disk.example.com', volumeHandle: 'disk-1' },
    },
  });
  cluster.client.resource(claims).create({
    metadata: { name: 'data' },
    spec: { accessModes, storageClassName: 'disk', resources: { requests: { storage: '1Gi' } } },
  });
  cluster.advance(seconds(10));
  return cluster;
}

const behave = (cluster: Cluster, behaviour: object): void => {
  const body = { metadata: { annotations: { [BEHAVIOUR]: JSON.stringify(behaviour) } } };
  cluster.client.resource(volumes).patch('pv', { type: 'merge', body });
};

function addPod(cluster: Cluster, name: string, nodeName = 'worker-1'): void {
  cluster.client.pods.create({
    metadata: { name },
    spec: {
      nodeName,
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'main', image: 'app:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    },
  });
}

const phaseOf = (cluster: Cluster, name: string): string | undefined =>
  cluster.client.pods.get(name).status?.phase;
const attachedTo = (cluster: Cluster): readonly string[] =>
  cluster.client
    .resource(volumeAttachments)
    .list()
    .items.map(({ spec, status }) => `${spec.nodeName} ${String(status?.attached)}`);
const shownOn = (cluster: Cluster, node: string): readonly (readonly string[])[] => {
  const { volumesAttached = [], volumesInUse = [] } = cluster.client.nodes.get(node).status ?? {};
  return [volumesAttached.map(({ name }) => name), volumesInUse];
};
const toldOf = (cluster: Cluster, pod: string): readonly string[] =>
  cluster.client.events
    .list({ namespace: 'default' })
    .items.filter(({ involvedObject }) => involvedObject.name === pod)
    .map(({ reason = '', message = '' }) => `${reason}: ${message}`);

describe('a volume that has to be attached', () => {
  it('is attached before its pod begins, and detached when the pod has gone', () => {
    const cluster = world({ attachSeconds: 20 });
    addPod(cluster, 'a');
    cluster.advance(seconds(15));
    expect(phaseOf(cluster, 'a')).toBe('Pending');
    expect(attachedTo(cluster)).toEqual(['worker-1 false']);
    cluster.advance(seconds(20));
    expect(phaseOf(cluster, 'a')).toBe('Running');
    expect(shownOn(cluster, 'worker-1')).toEqual([[UNIQUE], [UNIQUE]]);
    expect(toldOf(cluster, 'a')).toContain(
      'SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "pv" ',
    );
    cluster.client.pods.delete('a');
    cluster.advance(seconds(20));
    expect(attachedTo(cluster)).toEqual([]);
    expect(shownOn(cluster, 'worker-1')).toEqual([[], []]);
  });

  it('waits for the other node that has it, tells so once, and comes when that has let go', () => {
    const cluster = world();
    addPod(cluster, 'a');
    cluster.advance(seconds(15));
    addPod(cluster, 'b', 'worker-2');
    cluster.advance(minutes(1));
    expect(phaseOf(cluster, 'b')).toBe('Pending');
    const told = toldOf(cluster, 'b').filter((text) => text.startsWith('FailedAttachVolume'));
    expect(told).toEqual([
      'FailedAttachVolume: Multi-Attach error for volume "pv" Volume is already used by pod(s) a',
    ]);
    cluster.client.pods.delete('a');
    cluster.advance(seconds(20));
    expect(phaseOf(cluster, 'b')).toBe('Running');
    expect(attachedTo(cluster)).toEqual(['worker-2 true']);
  });

  it('is on several nodes at once if it may be', () => {
    const cluster = world({}, ['ReadWriteMany']);
    addPod(cluster, 'a');
    addPod(cluster, 'b', 'worker-2');
    cluster.advance(seconds(20));
    expect([phaseOf(cluster, 'a'), phaseOf(cluster, 'b')]).toEqual(['Running', 'Running']);
  });

  it('is tried again while its driver fails, and its mount as well', () => {
    const cluster = world({ attachError: 'disk is broken' });
    addPod(cluster, 'a');
    cluster.advance(minutes(1));
    expect(toldOf(cluster, 'a')).toContain(
      'FailedAttachVolume: AttachVolume.Attach failed for volume "pv" : disk is broken',
    );
    behave(cluster, { mountError: 'bad superblock' });
    cluster.advance(minutes(3));
    expect(attachedTo(cluster)).toEqual(['worker-1 true']);
    expect(toldOf(cluster, 'a')).toContain(
      'FailedMount: MountVolume.MountDevice failed for volume "pv" : bad superblock',
    );
    expect(phaseOf(cluster, 'a')).toBe('Pending');
    behave(cluster, {});
    cluster.advance(minutes(3));
    expect(phaseOf(cluster, 'a')).toBe('Running');
  });

  it('needs no attachment where its driver says so', () => {
    const cluster = world();
    cluster.client
      .resource(csiDrivers)
      .create({ metadata: { name: 'disk.example.com' }, spec: { attachRequired: false } });
    cluster.advance(seconds(1));
    addPod(cluster, 'a');
    cluster.advance(seconds(15));
    expect(phaseOf(cluster, 'a')).toBe('Running');
    expect(attachedTo(cluster)).toEqual([]);
  });

  it('is taken from a node that has gone silent after six minutes, and at once from one that is out of service', () => {
    const cluster = world();
    addPod(cluster, 'a');
    cluster.advance(seconds(15));
    cluster.faults.crash('worker-1');
    cluster.advance(minutes(1));
    cluster.client.pods.delete('a', { gracePeriodSeconds: 0 });
    addPod(cluster, 'b', 'worker-2');
    cluster.advance(minutes(5));
    expect(phaseOf(cluster, 'b')).toBe('Pending');
    cluster.advance(minutes(2));
    expect(phaseOf(cluster, 'b')).toBe('Running');
  });
});

describe('the attach-detach controller', () => {
  it('goes on where an earlier life stood', () => {
    const cluster = world({ attachSeconds: 10 });
    addPod(cluster, 'a');
    cluster.advance(seconds(3));
    cluster.faults.crash(MANAGER);
    cluster.advance(seconds(30));
    expect(phaseOf(cluster, 'a')).toBe('Pending');
    cluster.faults.restart(MANAGER);
    cluster.advance(minutes(1));
    expect(phaseOf(cluster, 'a')).toBe('Running');
    cluster.faults.crash(MANAGER);
    cluster.client.pods.delete('a');
    cluster.advance(seconds(10));
    expect(attachedTo(cluster)).toEqual(['worker-1 true']);
    cluster.faults.restart(MANAGER);
    cluster.advance(minutes(1));
    expect(attachedTo(cluster)).toEqual([]);
  });

  it('shows on its Node what an earlier life had attached and not shown', () => {
    const cluster = world();
    const shows = { resource: 'nodes', subresource: 'status', user: USER } as const;
    cluster.faults.failRequests(shows);
    addPod(cluster, 'a');
    cluster.advance(seconds(15));
    expect(attachedTo(cluster)).toEqual(['worker-1 true']);
    cluster.faults.crash(MANAGER);
    cluster.faults.allowRequests(shows);
    cluster.faults.restart(MANAGER);
    cluster.advance(minutes(1));
    expect(phaseOf(cluster, 'a')).toBe('Running');
  });

  it('attaches and detaches in the end when its writes were refused', () => {
    const cluster = world();
    cluster.faults.failWrites({ user: USER });
    addPod(cluster, 'a');
    cluster.advance(minutes(1));
    expect(phaseOf(cluster, 'a')).toBe('Pending');
    cluster.faults.allowWrites({ user: USER });
    cluster.advance(minutes(2));
    expect(phaseOf(cluster, 'a')).toBe('Running');
    cluster.faults.failWrites({ user: USER });
    cluster.client.pods.delete('a');
    cluster.advance(minutes(1));
    expect(attachedTo(cluster)).toEqual(['worker-1 true']);
    cluster.faults.allowWrites({ user: USER });
    cluster.advance(minutes(2));
    expect(attachedTo(cluster)).toEqual([]);
    expect(shownOn(cluster, 'worker-1')).toEqual([[], []]);
  });
});
