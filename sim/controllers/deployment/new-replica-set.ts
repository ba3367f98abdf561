/**
 * The ReplicaSet of the present template: found and brought up to date, or made. A name that is taken by another one is
 * counted as a collision and the next one tried.
 */
import { formatTime } from '../../api/time-format.ts';
import type { Deployment, DeploymentStatus, ReplicaSet } from '../../api/types/apps-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { type CallFailure, isAlreadyExists, isCallFailure } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { ownerReferenceOf } from '../../client/controller-ref/claimant.ts';
import { controllerOf } from '../../client/controller-ref/controller-of.ts';
import type { EventRecorder } from '../../client/event-recorder.ts';
import type { NewObject } from '../../client/options.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import { isNamespaceEnding, messageOf } from '../workload/pod-control.ts';
import { podTemplateHash } from '../workload/template-hash.ts';
import { conditionOf, deadlineOf, newCondition, withCondition } from './deployment-conditions.ts';
import { allSetsOf, type RolloutView } from './deployment-status.ts';
import { annotationsOf, newSetAnnotations, REVISION, revisionOf, sizeNotes } from './revision-annotations.ts';
import { newReplicas } from './rollout-size.ts';
import { HASH_LABEL, isSameTemplate } from './same-template.ts';

const { deployments, replicaSets } = BUILTIN_HANDLES;

export interface BroughtUpToDate {
  readonly deployment: Deployment;
  readonly newSet: ReplicaSet | undefined;
}

interface MakingFailed {
  readonly error: CallFailure;
  readonly revision: bigint;
}

export interface NewReplicaSetOptions {
  readonly context: Context;
  readonly client: ApiClient;
  readonly events: EventRecorder;
  readonly setCalled: (name: string) => ReplicaSet | undefined;
}

export class NewReplicaSet {
  readonly #options: NewReplicaSetOptions;
  readonly #writeStatus: (deployment: Deployment) => Process<void>;

  constructor(options: NewReplicaSetOptions, writeStatus: (deployment: Deployment) => Process<void>) {
    this.#options = options;
    this.#writeStatus = writeStatus;
  }

  /** `makes`: where there is none. @throws CallFailure */
  *bringUpToDate(view: RolloutView, makes: boolean): Process<BroughtUpToDate> {
    const revision = newestRevision(view.oldSets) + 1n;
    if (view.newSet) return yield* this.#renew(view.deployment, view.newSet, revision);
    if (makes) return yield* this.#make(view, revision);
    return view;
  }

  *#renew(deployment: Deployment, set: ReplicaSet, newRevision: bigint): Process<BroughtUpToDate> {
    const annotations = newSetAnnotations(deployment, set, newRevision);
    const minReadySeconds = deployment.spec?.minReadySeconds ?? 0;
    if (annotations !== annotationsOf(set) || (set.spec?.minReadySeconds ?? 0) !== minReadySeconds) {
      const newSet = yield* this.#options.client.update(replicaSets, {
        ...set,
        metadata: { ...set.metadata, annotations },
        ...(set.spec && { spec: { ...set.spec, minReadySeconds } }),
      });
      return { deployment, newSet };
    }
    const revised = withRevision(deployment, annotations[REVISION] ?? '');
    const told = conditionOf(revised.status ?? {}, 'Progressing')
      ? revised
      : this.#told(revised, 'FoundNewReplicaSet', `Found new replica set "${set.metadata.name ?? ''}"`);
    if (told !== deployment) yield* this.#writeStatus(told);
    return { deployment: told, newSet: set };
  }

  *#make(view: RolloutView, revision: bigint): Process<BroughtUpToDate> {
    const { deployment } = view;
    const wanted = newSetFor(view, revision);
    const outcome = yield* this.#create(wanted);
    if (!('set' in outcome))
      return yield* this.#failed(deployment, wanted, { error: outcome.error, revision });
    const newSet = outcome.set;
    const replicas = newSet.spec?.replicas ?? 0;
    const name = newSet.metadata.name ?? '';
    if (replicas > 0) this.#tellScaledUp(deployment, name, replicas);
    const revised = withRevision(deployment, String(revision));
    const told = this.#told(revised, 'NewReplicaSetCreated', `Created new replica set "${name}"`);
    if (told !== deployment) yield* this.#writeStatus(told);
    return { deployment: told, newSet };
  }

  *#create(wanted: NewObject<ReplicaSet>): Process<{ set: ReplicaSet } | { error: CallFailure }> {
    try {
      return { set: yield* this.#options.client.create(replicaSets, wanted) };
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      return { error };
    }
  }

  *#failed(
    deployment: Deployment,
    wanted: NewObject<ReplicaSet>,
    failure: MakingFailed,
  ): Process<BroughtUpToDate> {
    const { error } = failure;
    if (isNamespaceEnding(error)) throw error;
    if (isAlreadyExists(error)) return yield* this.#collided(deployment, wanted, failure);
    yield* this.#tellFailure(deployment, wanted.metadata.name ?? '', error);
    throw error;
  }

  /** It may be its own, made in a life before, or before its informer knew. */
  *#collided(
    deployment: Deployment,
    wanted: NewObject<ReplicaSet>,
    { error, revision }: MakingFailed,
  ): Process<BroughtUpToDate> {
    const present = this.#options.setCalled(wanted.metadata.name ?? '');
    if (!present) throw error;
    const template = deployment.spec?.template;
    const isOwn = controllerOf(present)?.uid === deployment.metadata.uid;
    if (isOwn && template && isSameTemplate(template, present.spec?.template)) {
      const revised = withRevision(deployment, String(revision));
      if (revised !== deployment) yield* this.#writeStatus(revised);
      return { deployment: revised, newSet: present };
    }
    const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
    yield* this.#writeStatus({ ...deployment, status: { ...deployment.status, collisionCount } });
    throw error;
  }

  *#tellFailure(deployment: Deployment, name: string, error: Error): Process<void> {
    const message = `Failed to create new replica set "${name}": ${messageOf(error)}`;
    const reason = 'ReplicaSetCreateError';
    if (deadlineOf(deployment) !== undefined) {
      const condition = newCondition({ type: 'Progressing', status: 'False', reason, message }, this.#now);
      try {
        yield* this.#writeStatus({
          ...deployment,
          status: withCondition(deployment.status ?? {}, condition),
        });
      } catch (failure) {
        if (!isCallFailure(failure)) throw failure;
      }
    }
    this.#options.events.record(deployment, { type: 'Warning', reason, message });
  }

  #told(deployment: Deployment, reason: string, message: string): Deployment {
    if (deadlineOf(deployment) === undefined) return deployment;
    const condition = newCondition({ type: 'Progressing', status: 'True', reason, message }, this.#now);
    const status: DeploymentStatus = withCondition(deployment.status ?? {}, condition);
    return status === deployment.status ? deployment : { ...deployment, status };
  }

  #tellScaledUp(deployment: Deployment, name: string, replicas: number): void {
    this.#options.events.record(deployment, {
      type: 'Normal',
      reason: 'ScalingReplicaSet',
      message: `Scaled up replica set ${name} to ${replicas}`,
    });
  }

  get #now(): string {
    return formatTime(this.#options.context.wallMs());
  }
}

/** Revisions are 64-bit numbers: somebody may begin high. */
const newestRevision = (sets: readonly ReplicaSet[]): bigint =>
  sets.map(revisionOf).reduce((newest, each) => (each > newest ? each : newest), 0n);

function withRevision(deployment: Deployment, revision: string): Deployment {
  const { metadata } = deployment;
  if (metadata.annotations?.[REVISION] === revision) return deployment;
  const annotations = { ...metadata.annotations, [REVISION]: revision };
  return { ...deployment, metadata: { ...metadata, annotations } };
}

function newSetFor(view: RolloutView, revision: bigint): NewObject<ReplicaSet> {
  const { deployment } = view;
  const { template = {}, selector = {}, minReadySeconds } = deployment.spec ?? {};
  const { name = '', namespace = '' } = deployment.metadata;
  const hash = podTemplateHash(template, deployment.status?.collisionCount);
  const labels = { ...template.metadata?.labels, [HASH_LABEL]: hash };
  const empty: ReplicaSet = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels,
      ownerReferences: [ownerReferenceOf({ controllerHandle: deployments, controller: deployment })],
    },
    spec: {
      replicas: 0,
      ...(minReadySeconds !== undefined && { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [HASH_LABEL]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
  const replicas = newReplicas(deployment, [...allSetsOf(view), empty], empty);
  const annotations = { ...newSetAnnotations(deployment, empty, revision), ...sizeNotes(deployment) };
  return {
    ...empty,
    metadata: { ...empty.metadata, annotations },
    ...(empty.spec && { spec: { ...empty.spec, replicas } }),
  };
}
