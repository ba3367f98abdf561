/**
 * Takes what a controller should have and gives back what it should not, by patches of owner references. Before it
 * adopts for the first time it asks the API whether the controller's object is still there: the informer may be late.
 * One claimant serves one reconciliation.
 */
import type { ApiObject, OwnerReference } from '../../api/object.ts';
import { ApiError } from '../../api/status.ts';
import type { Process } from '../../engine/process.ts';
import type { ApiClient } from '../api-client.ts';
import { hasReason, isCallFailure, isNotFound } from '../api-failure.ts';
import { apiVersionOf, type ObjectKey, type ResourceHandle } from '../resource-handle.ts';
import { type Claim, claimOf } from './claim.ts';

export interface ClaimantOptions<T extends ApiObject> {
  readonly client: ApiClient;
  /** Of the controller's object, such as a ReplicaSet. */
  readonly controllerHandle: ResourceHandle;
  /** As the informer has it. */
  readonly controller: ApiObject;
  /** Of what it controls, such as pods. */
  readonly handle: ResourceHandle<T>;
  readonly isSelected: (object: T) => boolean;
  /** What is adopted gets them too, and what is released loses them. */
  readonly finalizers?: readonly string[];
}

export class Claimant<T extends ApiObject> {
  readonly #options: ClaimantOptions<T>;
  /** Whether the controller's object was found to be there. */
  #isConfirmed = false;

  constructor(options: ClaimantOptions<T>) {
    this.#options = options;
  }

  /**
   * Those that are the controller's afterwards. What fails for one object does not keep others from being claimed.
   * @throws CallFailure The first that there was: the reconciliation is to be tried again.
   */
  *claim(objects: readonly T[]): Process<readonly T[]> {
    if (this.#areOwn(objects)) return objects;
    const claimed: T[] = [];
    const failures: unknown[] = [];
    for (const object of objects) {
      const claim = this.#claimOf(object);
      if (claim === 'own') claimed.push(object);
      if (claim === 'own' || claim === 'other') continue;
      try {
        if (claim === 'release') yield* this.#release(object);
        else if (yield* this.#adopt(object)) claimed.push(object);
      } catch (error) {
        if (!isCallFailure(error)) throw error;
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return claimed;
  }

  /** So it is nearly always, time and again: then there is nothing to do. */
  #areOwn(objects: readonly T[]): boolean {
    for (const object of objects) if (this.#claimOf(object) !== 'own') return false;
    return true;
  }

  #claimOf(object: T): Claim {
    const { controller, isSelected } = this.#options;
    return claimOf(object, controller, isSelected(object));
  }

  *#adopt(object: T): Process<boolean> {
    if (!this.#isConfirmed) yield* this.#confirm();
    this.#isConfirmed = true;
    try {
      const { finalizers } = this.#options;
      yield* this.#patchOwner(object, ownerReferenceOf(this.#options), finalizers && { finalizers });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  *#release(object: T): Process<void> {
    const { finalizers, controller } = this.#options;
    const { uid = '' } = controller.metadata;
    const more = finalizers && { '$deleteFromPrimitiveList/finalizers': finalizers };
    try {
      yield* this.#patchOwner(object, { $patch: 'delete', uid }, more);
    } catch (error) {
      // It is gone, or another of its name is there.
      if (!isNotFound(error) && !hasReason(error, 'Invalid')) throw error;
    }
  }

  #patchOwner({ metadata }: T, reference: object, more: object | undefined): Process<T> {
    const { client, handle } = this.#options;
    const body = { metadata: { ownerReferences: [reference], uid: metadata.uid ?? '', ...more } };
    return client.patch(handle, keyOf(metadata), { type: 'strategic', body });
  }

  /** The controller's object is there, the same, and not about to go. @throws CallFailure if not */
  *#confirm(): Process<void> {
    const { client, controllerHandle, controller } = this.#options;
    const { namespace = '', name = '', uid = '' } = controller.metadata;
    const { metadata } = yield* client.get(controllerHandle, keyOf(controller.metadata));
    if (metadata.uid !== uid) {
      throw conflict(
        `original ${controllerHandle.kind} ${namespace}/${name} is gone: got uid ${metadata.uid}, wanted ${uid}`,
      );
    }
    if (metadata.deletionTimestamp !== undefined)
      throw conflict(`${namespace}/${name} has just been deleted at ${metadata.deletionTimestamp}`);
  }
}

/** As an object names the one who controls it. */
export function ownerReferenceOf({
  controllerHandle,
  controller: { metadata },
}: Pick<ClaimantOptions<ApiObject>, 'controllerHandle' | 'controller'>): OwnerReference {
  return {
    apiVersion: apiVersionOf(controllerHandle),
    kind: controllerHandle.kind,
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
}

const conflict = (message: string): ApiError => new ApiError({ reason: 'Conflict', message });

const keyOf = ({ name = '', namespace }: ApiObject['metadata']): ObjectKey => ({
  name,
  ...(namespace !== undefined && { namespace }),
});
