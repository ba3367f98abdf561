/** Makes, deletes and repairs the pods of a StatefulSet with their claims, and tells of it by Events about the set. */
import type { StatefulSet } from '../../api/types/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../api/types/core-v1.ts';
import { ApiError } from '../../api/status.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isAlreadyExists, isCallFailure, isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { EventRecorder } from '../../client/event-recorder.ts';
import type { Process } from '../../engine/process.ts';
import type { SharedInformer } from '../manager/controller.ts';
import { messageOf } from '../workload/pod-control.ts';
import {
  claimsOf,
  hasIdentity,
  hasStorage,
  identityOf,
  isStale,
  nameOf,
  newPod,
  type PodVersion,
  wantedOwners,
} from './stateful-pod.ts';

const { persistentVolumeClaims, pods } = BUILTIN_HANDLES;

export interface StatefulPodControlOptions {
  readonly client: ApiClient;
  readonly events: EventRecorder;
  readonly claims: SharedInformer<PersistentVolumeClaim>;
}

export class StatefulPodControl {
  readonly #client: ApiClient;
  readonly #events: EventRecorder;
  readonly #claims: SharedInformer<PersistentVolumeClaim>;

  constructor({ client, events, claims }: StatefulPodControlOptions) {
    this.#client = client;
    this.#events = events;
    this.#claims = claims;
  }

  /** Claims first. A name that is taken is no news: whoever has it may be adopted. */
  *create(set: StatefulSet, ordinal: number, version: PodVersion): Process<void> {
    if (this.#claimsOf(set, ordinal).some((claim) => isStale(claim, set, nameOf(set, ordinal)))) return;
    try {
      yield* this.createClaims(set, ordinal);
      const pod = yield* this.#client.create(pods, newPod(set, ordinal, version));
      yield* this.#ownClaims(set, ordinal, pod);
    } catch (error) {
      if (!isAlreadyExists(error)) this.#tell(set, 'create', ordinal, error);
      throw error;
    }
    this.#tell(set, 'create', ordinal);
  }

  *delete(set: StatefulSet, ordinal: number, { metadata }: Pod): Process<void> {
    const { namespace = '', name = '' } = metadata;
    try {
      yield* this.#client.delete(pods, { namespace, name });
    } catch (error) {
      if (!isNotFound(error)) this.#tell(set, 'delete', ordinal, error);
      throw error;
    }
    this.#tell(set, 'delete', ordinal);
  }

  /** Those that there are not yet. */
  *createClaims(set: StatefulSet, ordinal: number): Process<void> {
    for (const { claim } of claimsOf(set, ordinal)) {
      const { namespace = '', name = '' } = claim.metadata;
      const present = this.#claims.store.get(`${namespace}/${name}`);
      if (present?.metadata.deletionTimestamp !== undefined)
        throw new ApiError({ reason: 'Conflict', message: `pvc ${name} is being deleted` });
      if (present) continue;
      try {
        yield* this.#client.create(persistentVolumeClaims, claim);
        this.#tellClaim(set, ordinal, name);
      } catch (error) {
        if (isAlreadyExists(error)) continue;
        if (isCallFailure(error)) this.#tellClaim(set, ordinal, name, error);
        throw error;
      }
    }
  }

  areClaimsRight(set: StatefulSet, ordinal: number, pod: Pod): boolean {
    return this.#claimsOf(set, ordinal).every((claim) => wantedOwners(claim, { set, pod }) === undefined);
  }

  /** Puts back what somebody has taken away. */
  *repair(set: StatefulSet, ordinal: number, pod: Pod): Process<void> {
    const isRight = hasIdentity(set, ordinal, pod) && hasStorage(set, ordinal, pod);
    try {
      if (!hasStorage(set, ordinal, pod)) yield* this.createClaims(set, ordinal);
      yield* this.#ownClaims(set, ordinal, pod);
      if (isRight) return;
      const labels = { ...pod.metadata.labels, ...identityOf(set, ordinal) };
      yield* this.#client.update(pods, { ...pod, metadata: { ...pod.metadata, labels } });
    } catch (error) {
      this.#tell(set, 'update', ordinal, error);
      throw error;
    }
    this.#tell(set, 'update', ordinal);
  }

  *#ownClaims(set: StatefulSet, ordinal: number, pod: Pod): Process<void> {
    for (const claim of this.#claimsOf(set, ordinal)) {
      const ownerReferences = wantedOwners(claim, { set, pod });
      if (!ownerReferences) continue;
      yield* this.#client.update(persistentVolumeClaims, {
        ...claim,
        metadata: { ...claim.metadata, ownerReferences },
      });
    }
  }

  /** As the informer has them. */
  #claimsOf(set: StatefulSet, ordinal: number): readonly PersistentVolumeClaim[] {
    return claimsOf(set, ordinal).flatMap(({ claim: { metadata } }) => {
      const claim = this.#claims.store.get(`${metadata.namespace ?? ''}/${metadata.name ?? ''}`);
      return claim ? [claim] : [];
    });
  }

  #tell(set: StatefulSet, verb: 'create' | 'update' | 'delete', ordinal: number, error?: unknown): void {
    const outcome = error === undefined ? 'successful' : `failed error: ${messageOf(error)}`;
    this.#events.record(set, {
      type: error === undefined ? 'Normal' : 'Warning',
      reason: `${error === undefined ? 'Successful' : 'Failed'}${verb.charAt(0).toUpperCase()}${verb.slice(1)}`,
      message: `${verb} Pod ${nameOf(set, ordinal)} in StatefulSet ${set.metadata.name ?? ''} ${outcome}`,
    });
  }

  #tellClaim(set: StatefulSet, ordinal: number, claim: string, error?: unknown): void {
    const outcome = error === undefined ? 'success' : `failed error: ${messageOf(error)}`;
    const whose = `Pod ${nameOf(set, ordinal)} in StatefulSet ${set.metadata.name ?? ''}`;
    this.#events.record(set, {
      type: error === undefined ? 'Normal' : 'Warning',
      reason: error === undefined ? 'SuccessfulCreate' : 'FailedCreate',
      message: `create Claim ${claim} ${whose} ${outcome}`,
    });
  }
}
