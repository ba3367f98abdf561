/** The claims of a pod, as far as they are there, and what stands in their way before any node is looked at. */
import type { PersistentVolumeClaim, Pod } from '../../api/types/core-v1.ts';
import type { Listers } from '../framework/plugin.ts';

const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';

export type PodClaims =
  | { readonly kind: 'none' }
  | { readonly kind: 'problem'; readonly message: string }
  | {
      readonly kind: 'claims';
      readonly bound: readonly PersistentVolumeClaim[];
      /** They wait for a pod to be placed before they get a volume. */
      readonly delayed: readonly PersistentVolumeClaim[];
    };

export function podClaims(pod: Pod, listers: Listers): PodClaims {
  const bound: PersistentVolumeClaim[] = [];
  const delayed: PersistentVolumeClaim[] = [];
  let isImmediateUnbound = false;
  for (const { name, isEphemeral } of claimNames(pod)) {
    const claim = listers.claims.get(`${pod.metadata.namespace ?? ''}/${name}`);
    const message = problemOf({ pod, name, isEphemeral, claim });
    if (message !== undefined) return { kind: 'problem', message };
    if (!claim) continue;
    if (isBound(claim)) bound.push(claim);
    else if (isDelayed(claim, listers) && !claim.spec?.volumeName) delayed.push(claim);
    else isImmediateUnbound = true;
  }
  if (isImmediateUnbound)
    return { kind: 'problem', message: 'pod has unbound immediate PersistentVolumeClaims' };
  return bound.length + delayed.length === 0 ? { kind: 'none' } : { kind: 'claims', bound, delayed };
}

interface ClaimName {
  readonly name: string;
  readonly isEphemeral: boolean;
}

export function claimNames({ metadata, spec }: Pod): readonly ClaimName[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }): readonly ClaimName[] => {
    if (persistentVolumeClaim) return [{ name: persistentVolumeClaim.claimName, isEphemeral: false }];
    return ephemeral ? [{ name: `${metadata.name ?? ''}-${name}`, isEphemeral: true }] : [];
  });
}

interface Facts extends ClaimName {
  readonly pod: Pod;
  readonly claim: PersistentVolumeClaim | undefined;
}

function problemOf({ pod, name, isEphemeral, claim }: Facts): string | undefined {
  if (!claim) {
    return isEphemeral
      ? `waiting for ephemeral volume controller to create the persistentvolumeclaim ${JSON.stringify(name)}`
      : `persistentvolumeclaim ${JSON.stringify(name)} not found`;
  }
  const { metadata, status, spec } = claim;
  if (status?.phase === 'Lost')
    return `persistentvolumeclaim ${JSON.stringify(name)} bound to non-existent persistentvolume ${JSON.stringify(spec?.volumeName ?? '')}`;
  if (metadata.deletionTimestamp !== undefined)
    return `persistentvolumeclaim ${JSON.stringify(name)} is being deleted`;
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (isEphemeral && owner?.uid !== pod.metadata.uid)
    return `PVC ${metadata.namespace ?? ''}/${name} was not created for pod ${pod.metadata.namespace ?? ''}/${pod.metadata.name ?? ''} (pod is not owner)`;
  return undefined;
}

/** Names its volume, and both know of each other. */
export const isBound = ({ metadata, spec }: PersistentVolumeClaim): boolean =>
  !!spec?.volumeName && metadata.annotations?.[BIND_COMPLETED] !== undefined;

function isDelayed({ spec }: PersistentVolumeClaim, { storageClasses }: Listers): boolean {
  const name = spec?.storageClassName;
  return !!name && storageClasses.get(name)?.volumeBindingMode === 'WaitForFirstConsumer';
}
