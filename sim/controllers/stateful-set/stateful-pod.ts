/** What a pod of a StatefulSet is called and looks like, and the claims that belong to it. Pure. */
import type { OwnerReference } from '../../api/object.ts';
import type { StatefulSet } from '../../api/types/apps-v1.ts';
import type { PersistentVolumeClaim, Pod, PodTemplateSpec, Volume } from '../../api/types/core-v1.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { ownerReferenceOf } from '../../client/controller-ref/claimant.ts';
import type { NewObject } from '../../client/options.ts';
import { type PodDraft, podFromTemplate } from '../workload/pod-control.ts';

export const REVISION_LABEL = 'controller-revision-hash';
const NAME_LABEL = 'statefulset.kubernetes.io/pod-name';
const INDEX_LABEL = 'apps.kubernetes.io/pod-index';

export const replicasOf = ({ spec }: StatefulSet): number => spec?.replicas ?? 1;
export const firstOrdinal = ({ spec }: StatefulSet): number => spec?.ordinals?.start ?? 0;
export const revisionOf = ({ metadata }: Pick<Pod, 'metadata'>): string =>
  metadata.labels?.[REVISION_LABEL] ?? '';
export const nameOf = ({ metadata }: StatefulSet, ordinal: number): string =>
  `${metadata.name ?? ''}-${ordinal}`;

/** Undefined: its name is not one that the set gives. */
export function ordinalOf(set: StatefulSet, { metadata: { name = '' } }: Pod): number | undefined {
  const [, parent, digits] = /^(.*)-(\d+)$/.exec(name) ?? [];
  if (parent !== set.metadata.name || digits === undefined) return undefined;
  const ordinal = Number(digits);
  return ordinal <= 2_147_483_647 ? ordinal : undefined;
}

/** One of the replicas that the set should have. */
export const isInRange = (set: StatefulSet, ordinal: number): boolean =>
  ordinal >= firstOrdinal(set) && ordinal < firstOrdinal(set) + replicasOf(set);

export interface PodVersion {
  readonly template: PodTemplateSpec;
  /** Name of the revision that the template is of. */
  readonly revision: string;
}

export function newPod(set: StatefulSet, ordinal: number, { template, revision }: PodVersion): PodDraft {
  const { namespace = '', name: prefix = '' } = set.metadata;
  const owner = ownerReferenceOf({ controllerHandle: BUILTIN_HANDLES.statefulSets, controller: set });
  const pod = podFromTemplate(template, { namespace, prefix, owner });
  const name = nameOf(set, ordinal);
  const serviceName = set.spec?.serviceName ?? '';
  return {
    metadata: {
      ...pod.metadata,
      name,
      labels: { ...pod.metadata.labels, ...identityOf(set, ordinal), [REVISION_LABEL]: revision },
    },
    ...(pod.spec && {
      spec: {
        ...pod.spec,
        hostname: name,
        ...(serviceName !== '' && { subdomain: serviceName }),
        ...volumesOf(set, ordinal, pod.spec.volumes ?? []),
      },
    }),
  };
}

export const identityOf = (set: StatefulSet, ordinal: number): Readonly<Record<string, string>> => ({
  [NAME_LABEL]: nameOf(set, ordinal),
  [INDEX_LABEL]: String(ordinal),
});

export const hasIdentity = (set: StatefulSet, ordinal: number, { metadata }: Pod): boolean =>
  Object.entries(identityOf(set, ordinal)).every(([name, value]) => metadata.labels?.[name] === value);

function volumesOf(
  set: StatefulSet,
  ordinal: number,
  present: readonly Volume[],
): { readonly volumes?: readonly Volume[] } {
  const claims = claimsOf(set, ordinal);
  const claimed = claims.map(({ volume, claim }) => ({
    name: volume,
    persistentVolumeClaim: { claimName: claim.metadata.name ?? '' },
  }));
  const names = new Set(claimed.map(({ name }) => name));
  const volumes = [...claimed, ...present.filter(({ name }) => !names.has(name))];
  return volumes.length > 0 ? { volumes } : {};
}

export interface ClaimOfPod {
  /** Name of its template, and of the pod's volume. */
  readonly volume: string;
  readonly claim: NewObject<PersistentVolumeClaim>;
}

export function claimsOf(set: StatefulSet, ordinal: number): readonly ClaimOfPod[] {
  const { namespace = '' } = set.metadata;
  return (set.spec?.volumeClaimTemplates ?? []).map(({ metadata, spec, status: _, ...rest }) => {
    const volume = metadata.name ?? '';
    const name = `${volume}-${nameOf(set, ordinal)}`;
    const labels = { ...metadata.labels, ...set.spec?.selector.matchLabels };
    const claim = { ...rest, metadata: { ...metadata, name, namespace, labels }, ...(spec && { spec }) };
    return { volume, claim };
  });
}

/** Every claim is a volume of the pod. */
export function hasStorage(set: StatefulSet, ordinal: number, { spec }: Pod): boolean {
  const volumes = new Map((spec?.volumes ?? []).map((volume) => [volume.name, volume]));
  return claimsOf(set, ordinal).every(
    ({ volume, claim }) => volumes.get(volume)?.persistentVolumeClaim?.claimName === claim.metadata.name,
  );
}

interface Owners {
  readonly set: StatefulSet;
  readonly pod: Pod;
}

const policyOf = ({ spec }: StatefulSet) => ({
  whenScaled: spec?.persistentVolumeClaimRetentionPolicy?.whenScaled ?? 'Retain',
  whenDeleted: spec?.persistentVolumeClaimRetentionPolicy?.whenDeleted ?? 'Retain',
});

/** With whom a claim goes: with the pod that is one too many, with the set, or with nobody. */
function ownerOfClaim({ set, pod }: Owners): OwnerReference | undefined {
  const { whenScaled, whenDeleted } = policyOf(set);
  const ordinal = ordinalOf(set, pod);
  const isCondemned = ordinal !== undefined && !isInRange(set, ordinal);
  if (whenScaled === 'Delete' && isCondemned)
    return ownerReferenceOf({ controllerHandle: BUILTIN_HANDLES.pods, controller: pod });
  if (whenDeleted === 'Delete')
    return ownerReferenceOf({ controllerHandle: BUILTIN_HANDLES.statefulSets, controller: set });
  return undefined;
}

/** The owners that a claim should have; undefined: they are as they should be, or somebody else's matter. */
export function wantedOwners(
  { metadata: { ownerReferences = [] } }: PersistentVolumeClaim,
  owners: Owners,
): readonly OwnerReference[] | undefined {
  const ours = new Set([owners.set.metadata.uid, owners.pod.metadata.uid]);
  if (ownerReferences.some(({ controller, uid }) => controller === true && !ours.has(uid))) return undefined;
  const wanted = ownerOfClaim(owners);
  const present = ownerReferences.filter(({ uid }) => ours.has(uid));
  const isRight = wanted
    ? present.length === 1 && present[0]?.uid === wanted.uid && present[0].controller === true
    : present.length === 0;
  if (isRight) return undefined;
  return [...ownerReferences.filter(({ uid }) => !ours.has(uid)), ...(wanted ? [wanted] : [])];
}

/** It is about to go with a former pod of the same name: a new one must not use it. */
export function isStale({ metadata }: PersistentVolumeClaim, set: StatefulSet, podName: string): boolean {
  if (policyOf(set).whenScaled === 'Retain') return false;
  return (metadata.ownerReferences ?? []).some(({ kind, name }) => kind === 'Pod' && name === podName);
}
