/** At rest claims and volumes that belong together know of each other, and nothing is kept for somebody who is gone. */
import type { ApiObject } from '../../sim/api/object.ts';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../sim/api/types/core-v1.ts';
import { amountOf } from '../scheduling/amounts.ts';
import { hasEnded, isReady } from '../pod-facts.ts';
import { isGoing, isUndemanding, textOf, type RestView } from './rest-view.ts';

const keyOf = ({ metadata: { namespace = '', name = '' } }: ApiObject): string => `${namespace}/${name}`;

export function volumesRest(view: RestView): readonly string[] {
  const claims = new Map(view.of('PersistentVolumeClaim').map((claim) => [keyOf(claim), claim]));
  const volumes = new Map(view.of('PersistentVolume').map((volume) => [volume.metadata.name ?? '', volume]));
  return [
    ...[...volumes.values()].flatMap((volume) => volumeProblems(volume, claims)),
    ...[...claims.values()].flatMap((claim) => claimProblems(claim, volumes)),
    ...view.of('Pod').flatMap((pod) => userProblems(pod, claims, view)),
  ];
}

function volumeProblems(
  volume: PersistentVolume,
  claims: ReadonlyMap<string, PersistentVolumeClaim>,
): readonly string[] {
  const { claimRef } = volume.spec ?? {};
  const phase = volume.status?.phase ?? 'unsaid';
  if (isGoing(volume)) return [];
  const says = (should: string): string => `${textOf(volume)} is ${phase} and should be ${should}`;
  if (!claimRef?.uid) return phase === 'Available' ? [] : [says('Available')];
  const claim = claims.get(`${claimRef.namespace ?? ''}/${claimRef.name ?? ''}`);
  if (claim?.metadata.uid !== claimRef.uid) {
    if (isToDelete(volume))
      return isDeletable(volume) ? [says('gone')] : phase === 'Failed' ? [] : [says('Failed')];
    return phase === 'Released' || phase === 'Failed' ? [] : [says('Released')];
  }
  if (claim?.spec?.volumeName === volume.metadata.name) return phase === 'Bound' ? [] : [says('Bound')];
  return claim?.spec?.volumeName ? [`${textOf(volume)} is kept for ${textOf(claim)}, which has another`] : [];
}

/** The cluster itself is to delete what it stands for. */
function isToDelete({ metadata, spec }: PersistentVolume): boolean {
  const isOfOthers = Object.keys(metadata.annotations ?? {}).some((name) => OTHERS.test(name));
  return spec?.persistentVolumeReclaimPolicy === 'Delete' && spec.hostPath !== undefined && !isOfOthers;
}

const isDeletable = ({ spec }: PersistentVolume): boolean => /\/tmp\/./.test(spec?.hostPath?.path ?? '');

/** Who has made it, and who looks after it by now. */
const OTHERS = /^pv\.kubernetes\.io\/(provisioned-by|migrated-to)$/;

function claimProblems(
  claim: PersistentVolumeClaim,
  volumes: ReadonlyMap<string, PersistentVolume>,
): readonly string[] {
  if (isGoing(claim)) return [];
  const phase = claim.status?.phase ?? 'unsaid';
  const { volumeName } = claim.spec ?? {};
  if (volumeName) {
    const volume = volumes.get(volumeName);
    if (volume?.spec?.claimRef?.uid === claim.metadata.uid)
      return phase === 'Bound' ? [] : [`${textOf(claim)} has ${volumeName} and is ${phase}`];
    return phase === 'Bound' ? [`${textOf(claim)} is Bound to ${volumeName}, which is not its own`] : [];
  }
  const kept = [...volumes.values()].find(({ spec }) => spec?.claimRef?.uid === claim.metadata.uid);
  if (kept) return [`${textOf(claim)} has no volume, and ${textOf(kept)} is kept for it`];
  const free = [...volumes.values()].find((volume) => fits(volume, claim));
  return free ? [`${textOf(claim)} has no volume, and ${textOf(free)} is free`] : [];
}

/** Only plain wishes, of no class, are held against the binder. */
function fits({ metadata, spec, status }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const { storageClassName, accessModes = [], resources, selector, volumeMode } = claim.spec ?? {};
  if (storageClassName || selector || volumeMode === 'Block' || spec?.nodeAffinity) return false;
  return (
    metadata.deletionTimestamp === undefined &&
    status?.phase === 'Available' &&
    spec?.claimRef === undefined &&
    !spec?.storageClassName &&
    accessModes.every((mode) => (spec?.accessModes ?? []).includes(mode)) &&
    amountOf(spec?.capacity?.['storage'] ?? '0') >= amountOf(resources?.requests?.['storage'] ?? '0')
  );
}

/** A pod that asks for nothing but claims which have their volumes runs. */
function userProblems(
  pod: Pod,
  claims: ReadonlyMap<string, PersistentVolumeClaim>,
  view: RestView,
): readonly string[] {
  if (isGoing(pod) || hasEnded(pod) || isReady(pod) || view.openNodes.length === 0) return [];
  const volumes = (pod.spec?.volumes ?? []).filter(({ name }) => !name.startsWith('kube-api-access'));
  if (volumes.length === 0 || !isUndemanding({ ...pod, spec: { ...pod.spec, volumes: [] } } as Pod))
    return [];
  const areThere = volumes.every(({ persistentVolumeClaim }) => {
    const claim = claims.get(`${pod.metadata.namespace ?? ''}/${persistentVolumeClaim?.claimName ?? ''}`);
    const { volumeName = '' } = claim?.spec ?? {};
    const volume = view.of('PersistentVolume').find(({ metadata }) => metadata.name === volumeName);
    return (
      claim?.status?.phase === 'Bound' &&
      !isGoing(claim) &&
      volume !== undefined &&
      !volume.spec?.nodeAffinity
    );
  });
  return areThere ? [`${textOf(pod)} has its volumes and does not run`] : [];
}
