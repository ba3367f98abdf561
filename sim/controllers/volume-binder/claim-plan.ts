/** What is to be done about a claim, by what there is. Pure. Kubernetes 1.31, "Persistent Volumes". */
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/types/core-v1.ts';
import type { StorageClass } from '../../api/types/storage-k8s-io-v1.ts';
import { bestVolume, classOf, isMeantFor, mismatchOf } from '../../api/volume/volume-match.ts';

export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
export const PROVISIONER = 'volume.kubernetes.io/storage-provisioner';
export const BETA_PROVISIONER = 'volume.beta.kubernetes.io/storage-provisioner';
const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

export interface Told {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export type ClaimPlan =
  | { readonly kind: 'bind'; readonly volume: PersistentVolume }
  /** It has no volume; an external provisioner may be asked for one. */
  | { readonly kind: 'pend'; readonly told?: Told; readonly provisioner?: string }
  | { readonly kind: 'lose'; readonly told: Told };

export interface ClaimView {
  readonly volumes: readonly PersistentVolume[];
  readonly volumeOf: (name: string) => PersistentVolume | undefined;
  readonly classOf: (name: string) => StorageClass | undefined;
  /** A pod that uses the claim and waits for a node. */
  readonly waitingPod: () => string | undefined;
}

export function claimPlan(claim: PersistentVolumeClaim, view: ClaimView): ClaimPlan {
  if (claim.metadata.annotations?.[BIND_COMPLETED] !== undefined) return boundPlan(claim, view);
  const name = claim.spec?.volumeName ?? '';
  return name === '' ? searchPlan(claim, view) : namedPlan(claim, view.volumeOf(name));
}

/** It had a volume: that is still its own, or lost. */
function boundPlan(claim: PersistentVolumeClaim, { volumeOf }: ClaimView): ClaimPlan {
  const name = claim.spec?.volumeName ?? '';
  if (name === '')
    return lost(
      'ClaimLost',
      'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!',
    );
  const volume = volumeOf(name);
  if (!volume)
    return lost('ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!');
  const reference = volume.spec?.claimRef;
  if (!reference || reference.uid === claim.metadata.uid) return { kind: 'bind', volume };
  return lost('ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly');
}

const lost = (reason: string, message: string): ClaimPlan => ({
  kind: 'lose',
  told: { type: 'Warning', reason, message },
});

/** It names a volume. */
function namedPlan(claim: PersistentVolumeClaim, volume: PersistentVolume | undefined): ClaimPlan {
  if (!volume) return { kind: 'pend' };
  const reference = volume.spec?.claimRef;
  if (reference && !isMeantFor(reference, claim))
    return {
      kind: 'pend',
      told: {
        type: 'Warning',
        reason: 'FailedBinding',
        message: `volume "${volume.metadata.name ?? ''}" already bound to a different claim.`,
      },
    };
  const mismatch = reference ? undefined : mismatchOf(volume, claim);
  if (mismatch === undefined) return { kind: 'bind', volume };
  const message = `Cannot bind to requested volume "${volume.metadata.name ?? ''}": ${mismatch}`;
  return { kind: 'pend', told: { type: 'Warning', reason: 'VolumeMismatch', message } };
}

function searchPlan(claim: PersistentVolumeClaim, view: ClaimView): ClaimPlan {
  const className = classOf(claim);
  const storageClass = view.classOf(className);
  const isSelected = claim.metadata.annotations?.[SELECTED_NODE] !== undefined;
  const isDelayed = storageClass?.volumeBindingMode === 'WaitForFirstConsumer' && !isSelected;
  const volume = bestVolume(claim, view.volumes, isDelayed);
  if (volume) return { kind: 'bind', volume };
  if (isDelayed) return { kind: 'pend', told: waiting(view.waitingPod()) };
  if (className === '')
    return {
      kind: 'pend',
      told: {
        type: 'Normal',
        reason: 'FailedBinding',
        message: 'no persistent volumes available for this claim and no storage class is set',
      },
    };
  return provisioning(className, storageClass);
}

const waiting = (pod: string | undefined): Told =>
  pod === undefined
    ? {
        type: 'Normal',
        reason: 'WaitForFirstConsumer',
        message: 'waiting for first consumer to be created before binding',
      }
    : { type: 'Normal', reason: 'WaitForPodScheduled', message: `waiting for pod ${pod} to be scheduled` };

function provisioning(className: string, storageClass: StorageClass | undefined): ClaimPlan {
  const failed = (message: string): ClaimPlan => ({
    kind: 'pend',
    told: { type: 'Warning', reason: 'ProvisioningFailed', message },
  });
  if (!storageClass) return failed(`storageclass.storage.k8s.io "${className}" not found`);
  const { provisioner } = storageClass;
  if (provisioner === NO_PROVISIONER) return failed(`no volume plugin matched name: ${provisioner}`);
  return {
    kind: 'pend',
    provisioner,
    told: {
      type: 'Normal',
      reason: 'ExternalProvisioning',
      message:
        `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. ` +
        'If volume creation is delayed, please verify that the provisioner is running and correctly registered.',
    },
  };
}
