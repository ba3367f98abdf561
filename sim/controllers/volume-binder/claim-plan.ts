/** What is to be done about a claim, by what there is. Pure. Kubernetes 1.31, "Persistent Volumes". */
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/types/core-v1.ts';
import type { StorageClass } from '../../api/types/storage-k8s-io-v1.ts';
import { classOf, hasClass, isMeantFor, mismatchOf, volumeToBind } from '../../api/volume/volume-match.ts';
import { provisionerOf } from './in-tree-plugins.ts';

export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
export const PROVISIONER = 'volume.kubernetes.io/storage-provisioner';
export const BETA_PROVISIONER = 'volume.beta.kubernetes.io/storage-provisioner';
const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
const IS_DEFAULT_CLASS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

export interface Told {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export type ClaimPlan =
  | { readonly kind: 'bind'; readonly volume: PersistentVolume }
  /** It has no volume. */
  | { readonly kind: 'pend'; readonly told?: Told }
  /** It said nothing of a class, and there is one for such claims by now. */
  | { readonly kind: 'class'; readonly className: string }
  /** One is to be made: the claim says by whom. */
  | { readonly kind: 'provision'; readonly provisioner: string; readonly told: Told }
  /** Nobody can make one; its state is left as it is. */
  | { readonly kind: 'tell'; readonly told: Told }
  | { readonly kind: 'lose'; readonly told: Told };

export interface ClaimView {
  readonly volumes: readonly PersistentVolume[];
  readonly volumeOf: (name: string) => PersistentVolume | undefined;
  readonly classOf: (name: string) => StorageClass | undefined;
  readonly classes: () => readonly StorageClass[];
  /** Names of the pods that use the claim and wait for a node. */
  readonly waitingPods: () => readonly string[];
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
  const volume = volumeToBind(claim, view.volumes, isDelayed);
  if (volume) return { kind: 'bind', volume };
  const ofDefault = hasClass(claim) ? undefined : defaultClassOf(view.classes());
  if (ofDefault !== undefined) return { kind: 'class', className: ofDefault };
  if (isDelayed) return { kind: 'pend', told: waiting(view.waitingPods()) };
  if (className === '') return { kind: 'pend', told: NO_CLASS };
  return provisioning(className, storageClass);
}

const NO_CLASS: Told = {
  type: 'Normal',
  reason: 'FailedBinding',
  message: 'no persistent volumes available for this claim and no storage class is set',
};

/** The youngest of them; of those of one second the first by name. */
function defaultClassOf(classes: readonly StorageClass[]): string | undefined {
  const isDefault = ({ metadata }: StorageClass): boolean =>
    IS_DEFAULT_CLASS.some((name) => metadata.annotations?.[name] === 'true');
  const keyOf = ({ metadata }: StorageClass) =>
    [metadata.creationTimestamp ?? '', metadata.name ?? ''] as const;
  const [first] = classes.filter(isDefault).toSorted((one, other) => {
    const [[at, name], [otherAt, otherName]] = [keyOf(one), keyOf(other)];
    if (at !== otherAt) return at > otherAt ? -1 : 1;
    return name < otherName ? -1 : 1;
  });
  return first?.metadata.name;
}

function waiting(pods: readonly string[]): Told {
  const message = `waiting for pod${pods.length > 1 ? 's' : ''} ${pods.join()} to be scheduled`;
  if (pods.length > 0) return { type: 'Normal', reason: 'WaitForPodScheduled', message };
  return {
    type: 'Normal',
    reason: 'WaitForFirstConsumer',
    message: 'waiting for first consumer to be created before binding',
  };
}

function provisioning(className: string, storageClass: StorageClass | undefined): ClaimPlan {
  if (!storageClass)
    return { kind: 'tell', told: provisioningFailed(`storageclass.storage.k8s.io "${className}" not found`) };
  const provisioner = provisionerOf(storageClass.provisioner);
  if (provisioner.kind === 'unknown') return { kind: 'tell', told: provisioningFailed(provisioner.message) };
  const { name } = provisioner;
  if (provisioner.kind === 'refusing')
    return { kind: 'provision', provisioner: name, told: provisioningFailed(provisioner.message) };
  const message =
    `Waiting for a volume to be created either by the external provisioner '${name}' or manually by the system administrator. ` +
    'If volume creation is delayed, please verify that the provisioner is running and correctly registered.';
  return {
    kind: 'provision',
    provisioner: name,
    told: { type: 'Normal', reason: 'ExternalProvisioning', message },
  };
}

export const provisioningFailed = (message: string): Told => ({
  type: 'Warning',
  reason: 'ProvisioningFailed',
  message,
});
