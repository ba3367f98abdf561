/** Does for a claim what its plan says. What a claim gets is decided in `claim-plan.ts`. */
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../api/types/core-v1.ts';
import { isCallFailure } from '../../client/api-failure.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import type { Process } from '../../engine/process.ts';
import type { BinderWorld } from './binder-world.ts';
import { claimBoundTo, claimInPhase, volumeBoundTo } from './binding.ts';
import {
  BETA_PROVISIONER,
  type ClaimPlan,
  claimPlan,
  type ClaimView,
  PROVISIONER,
  provisioningFailed,
  type Told,
} from './claim-plan.ts';
import { isOver } from '../../api/volume/pod-use.ts';
import { migrated } from './in-tree-plugins.ts';

export class ClaimKeeper {
  readonly #world: BinderWorld;

  constructor(world: BinderWorld) {
    this.#world = world;
  }

  *keep(claim: PersistentVolumeClaim): Process<void> {
    const annotations = claim.metadata.annotations ?? {};
    const metadata = migrated(claim.metadata, annotations[PROVISIONER] ?? annotations[BETA_PROVISIONER]);
    const current =
      metadata === claim.metadata ? claim : yield* this.#world.updateClaim({ ...claim, metadata });
    yield* this.#carryOut(current, claimPlan(current, this.#viewOf(current)));
  }

  #viewOf({ metadata: { name, namespace = '' } }: PersistentVolumeClaim): ClaimView {
    const { volumes, classes, pods } = this.#world;
    const isWaiting = (pod: Pod): boolean =>
      !pod.spec?.nodeName &&
      !isOver(pod) &&
      pod.spec?.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === name) ===
        true;
    return {
      volumes: volumes.list(),
      volumeOf: (volume) => volumes.get(volume),
      classOf: (className) => classes.store.get(className),
      classes: () => classes.store.list(),
      waitingPods: () =>
        pods.store
          .byIndex('namespace', namespace)
          .filter(isWaiting)
          .map(({ metadata }) => metadata.name ?? ''),
    };
  }

  *#carryOut(claim: PersistentVolumeClaim, plan: ClaimPlan): Process<void> {
    const world = this.#world;
    switch (plan.kind) {
      case 'bind':
        return yield* this.#bind(claim, plan.volume);
      case 'lose':
        if (claim.status?.phase === 'Lost') return;
        return world.tellOfClaim(yield* world.updateClaimStatus(claimInPhase(claim, 'Lost')), plan.told);
      case 'class':
        yield* world.updateClaim({ ...claim, spec: { ...claim.spec, storageClassName: plan.className } });
        return;
      case 'provision':
        return this.#provision(claim, plan);
      case 'tell':
        return world.tellOfClaim(claim, plan.told);
      case 'pend':
        if (plan.told) world.tellOfClaim(claim, plan.told);
        yield* this.#setPhase(claim, 'Pending');
    }
  }

  /** In this order, so that whoever finds it half done knows what was meant. */
  *#bind(claim: PersistentVolumeClaim, volume: PersistentVolume): Process<void> {
    const bound = volumeBoundTo(volume, claim);
    const taken = bound === volume ? volume : yield* this.#world.updateVolume(bound);
    yield* this.#world.setPhase(taken, 'Bound');
    const complete = claimBoundTo(claim, taken);
    const own = complete === claim ? claim : yield* this.#world.updateClaim(complete);
    yield* this.#setPhase(own, 'Bound', taken);
  }

  *#setPhase(
    claim: PersistentVolumeClaim,
    phase: 'Pending' | 'Bound',
    volume?: PersistentVolume,
  ): Process<void> {
    const wanted = claimInPhase(claim, phase, volume);
    if (wanted !== claim) yield* this.#world.updateClaimStatus(wanted);
  }

  #provision(
    claim: PersistentVolumeClaim,
    { provisioner, told }: ClaimPlan & { readonly kind: 'provision' },
  ): void {
    const name = `provision-${storeKeyOf(claim)}[${claim.metadata.uid ?? ''}]`;
    this.#world.operations.run(name, () => this.#askFor(claim, provisioner, told));
  }

  /** The claim says first who is asked; only then it is told of. */
  *#askFor(claim: PersistentVolumeClaim, provisioner: string, told: Told): Process<boolean> {
    const { annotations = {} } = claim.metadata;
    let asking = claim;
    if (annotations[PROVISIONER] !== provisioner) {
      const own = { [BETA_PROVISIONER]: provisioner, [PROVISIONER]: provisioner };
      const named = { ...claim.metadata, annotations: { ...annotations, ...own } };
      try {
        asking = yield* this.#world.updateClaim({ ...claim, metadata: migrated(named, provisioner) });
      } catch (error) {
        if (!isCallFailure(error)) throw error;
        if (told.type === 'Normal')
          this.#world.tellOfClaim(claim, provisioningFailed(`Error saving claim: ${error.message}`));
        return false;
      }
    }
    this.#world.tellOfClaim(asking, told);
    return told.type === 'Normal';
  }
}
