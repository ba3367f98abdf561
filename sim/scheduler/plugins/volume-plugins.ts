/** Plugins about volumes that need no decision: their zones, who else uses them, how many a node can attach. */
import type { PersistentVolume, Pod, Volume } from '../../api/types/core-v1.ts';
import type { NodeInfo } from '../cache/node-info.ts';
import { filtering, type Listers, type Plugin, SKIP } from '../framework/plugin.ts';
import { unresolvable, unschedulable } from '../framework/rejection.ts';
import { claimNames } from '../volumes/pod-claims.ts';

const ZONE_LABELS: readonly string[] = [
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
];

/** Of the claims that are bound. */
function volumesOf(pod: Pod, { claims, volumes }: Listers): readonly PersistentVolume[] {
  return claimNames(pod).flatMap(({ name }) => {
    const claim = claims.get(`${pod.metadata.namespace ?? ''}/${name}`);
    return volumes.get(claim?.spec?.volumeName ?? '') ?? [];
  });
}

export const volumeZone: Plugin = {
  name: 'VolumeZone',
  events: [
    { resource: 'StorageClass', actions: ['add'] },
    { resource: 'Node', actions: ['add', 'update'] },
    { resource: 'PersistentVolumeClaim', actions: ['add', 'update'] },
    { resource: 'PersistentVolume', actions: ['add', 'update'] },
  ],
  beginFilter: ({ pod }, { listers }) => {
    const zones = volumesOf(pod, listers).flatMap(({ metadata: { labels = {} } }) =>
      ZONE_LABELS.flatMap((label) => {
        const values = labels[label];
        return values === undefined ? [] : [{ label, values: new Set(values.split('__')) }];
      }),
    );
    if (zones.length === 0) return SKIP;
    const rejection = unresolvable('VolumeZone', 'node(s) had no available volume zone');
    return filtering({
      check: ({ labels }) => {
        // A node that says nothing of zones is in none.
        if (!ZONE_LABELS.some((label) => labels[label] !== undefined)) return undefined;
        return zones.every(({ label, values }) => values.has(zoneOf(labels, label))) ? undefined : rejection;
      },
    });
  },
};

/** The former names of the labels stand for the present ones. */
function zoneOf(labels: Readonly<Record<string, string>>, label: string): string {
  const present = label.replace('failure-domain.beta.', 'topology.');
  return labels[label] ?? labels[present] ?? '';
}

const ALONE = 'node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode';

export const volumeRestrictions: Plugin = {
  name: 'VolumeRestrictions',
  events: [
    { resource: 'Pod', actions: ['delete'] },
    { resource: 'Node', actions: ['add'] },
    { resource: 'PersistentVolumeClaim', actions: ['add', 'update'] },
  ],
  beginFilter: ({ pod }, { listers, cache }) => {
    const disks = disksOf(pod.spec?.volumes);
    const alone: string[] = [];
    for (const { name } of claimNames(pod).filter(({ isEphemeral }) => !isEphemeral)) {
      const key = `${pod.metadata.namespace ?? ''}/${name}`;
      const claim = listers.claims.get(key);
      if (!claim) {
        const message = `persistentvolumeclaim ${JSON.stringify(name)} not found`;
        return { kind: 'rejected', rejection: unresolvable('VolumeRestrictions', message) };
      }
      if (claim.spec?.accessModes?.includes('ReadWriteOncePod')) alone.push(key);
    }
    if (disks.length + alone.length === 0) return SKIP;
    const busyDisk = unschedulable('VolumeRestrictions', 'node(s) had no available disk');
    const usedAlone = unschedulable('VolumeRestrictions', ALONE);
    const uses = ({ claims }: NodeInfo, key: string): boolean => (claims.get(key) ?? 0) > 0;
    return filtering({
      check: (node) => {
        if (hasConflict(disks, node)) return busyDisk;
        // Wherever the other pod is: the claim is for one pod in the whole cluster.
        return alone.some((key) => cache.nodes.some((each) => uses(each, key))) ? usedAlone : undefined;
      },
    });
  },
};

interface Disk {
  readonly key: string;
  /** Several may read it. */
  readonly isShared: boolean;
}

function disksOf(volumes: readonly Volume[] = []): readonly Disk[] {
  return volumes.flatMap(({ gcePersistentDisk, awsElasticBlockStore, iscsi, rbd }): readonly Disk[] => {
    if (gcePersistentDisk)
      return [{ key: `gce/${gcePersistentDisk.pdName}`, isShared: gcePersistentDisk.readOnly === true }];
    if (awsElasticBlockStore) return [{ key: `aws/${awsElasticBlockStore.volumeID}`, isShared: false }];
    if (iscsi) return [{ key: `iscsi/${iscsi.iqn}`, isShared: iscsi.readOnly === true }];
    if (rbd) return [{ key: `rbd/${rbd.pool ?? 'rbd'}/${rbd.image}`, isShared: rbd.readOnly === true }];
    return [];
  });
}

function hasConflict(disks: readonly Disk[], { pods }: NodeInfo): boolean {
  if (disks.length === 0) return false;
  for (const { pod } of pods.values())
    for (const other of disksOf(pod.spec?.volumes))
      if (disks.some(({ key, isShared }) => key === other.key && !(isShared && other.isShared))) return true;
  return false;
}

export const nodeVolumeLimits: Plugin = {
  name: 'NodeVolumeLimits',
  events: [
    { resource: 'CSINode', actions: ['add', 'update'] },
    { resource: 'Pod', actions: ['delete'] },
    { resource: 'PersistentVolumeClaim', actions: ['add'] },
  ],
  beginFilter: ({ pod }, { listers }) => {
    if (
      (pod.spec?.volumes ?? []).every(
        ({ persistentVolumeClaim, ephemeral, csi }) => !persistentVolumeClaim && !ephemeral && !csi,
      )
    )
      return SKIP;
    const wanted = handlesOf(pod, listers);
    if (wanted.size === 0) return SKIP;
    const rejection = unschedulable('NodeVolumeLimits', 'node(s) exceed max volume count');
    return filtering({
      check: (info) => {
        const limits = limitsOf(info, listers);
        if (limits.size === 0) return undefined;
        const used = new Map<string, string>();
        for (const placed of info.pods.values())
          for (const [handle, driver] of handlesOf(placed.pod, listers)) used.set(handle, driver);
        for (const [driver, limit] of limits) {
          const there = [...used].filter(([, each]) => each === driver).length;
          const more = [...wanted].filter(([handle, each]) => each === driver && !used.has(handle)).length;
          if (more > 0 && there + more > limit) return rejection;
        }
        return undefined;
      },
    });
  },
};

/** Drivers by handles of volumes. */
function handlesOf(pod: Pod, listers: Listers): ReadonlyMap<string, string> {
  const handles = new Map<string, string>();
  for (const { spec } of volumesOf(pod, listers))
    if (spec?.csi) handles.set(`${spec.csi.driver}/${spec.csi.volumeHandle}`, spec.csi.driver);
  return handles;
}

function limitsOf({ name }: NodeInfo, { csiNodes }: Listers): ReadonlyMap<string, number> {
  const limits = new Map<string, number>();
  for (const { name: driver, allocatable } of csiNodes.get(name)?.spec.drivers ?? [])
    if (allocatable?.count !== undefined) limits.set(driver, allocatable.count);
  return limits;
}
