/**
 * One reconciliation of a Deployment, step by step in the order in which the real one writes. What it knows of the
 * Deployment is what the informer had: a status that it has written itself makes its next write a conflict, after which
 * it looks again.
 */
import { formatTime } from '../../api/time-format.ts';
import type { Deployment, DeploymentStatus, ReplicaSet } from '../../api/types/apps-v1.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import { isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { Process } from '../../engine/process.ts';
import { milliseconds, seconds, type Micros } from '../../engine/time.ts';
import { isFinished } from '../workload/pods.ts';
import { conditionOf, deadlineOf, newCondition, withCondition } from './deployment-conditions.ts';
import {
  countedStatus,
  isComplete,
  isSameStatus,
  lookAgainIn,
  rolloutStatus,
  type RolloutView,
  TIMED_OUT,
} from './deployment-status.ts';
import { NewReplicaSet, type NewReplicaSetOptions } from './new-replica-set.ts';
import { annotationsOf, hasNotes, revisionOf, sizeNotes } from './revision-annotations.ts';
import { actualOf, activeAmong, replicasOf } from './rollout-size.ts';
import { revisionAskedFor, rollback } from './rollback.ts';
import { newSetOf } from './same-template.ts';
import { isScaling, planNewSet, planOldSets, planScaling, type Resize } from './scaling-plan.ts';

const { deployments, replicaSets } = BUILTIN_HANDLES;
const UNLIMITED = 2_147_483_647;

export interface DeploymentSyncOptions extends NewReplicaSetOptions {
  readonly deployment: Deployment;
  readonly podsOf: (set: ReplicaSet) => readonly Pod[];
  readonly lookAgain: {
    readonly after: (pause: Micros) => void;
    readonly rateLimited: () => void;
  };
}

export class DeploymentSync {
  readonly #options: DeploymentSyncOptions;
  readonly #newSets: NewReplicaSet;
  /** With what was changed of it in this reconciliation, at the version that the informer had. */
  #deployment: Deployment;

  constructor(options: DeploymentSyncOptions) {
    this.#options = options;
    this.#deployment = options.deployment;
    this.#newSets = new NewReplicaSet(options, (deployment) => this.#write(deployment));
  }

  *run(sets: readonly ReplicaSet[]): Process<void> {
    if (this.#deployment.metadata.deletionTimestamp !== undefined) {
      yield* this.#tellCounts(this.#view(sets));
      return;
    }
    yield* this.#notePause();
    const asked = revisionAskedFor(this.#deployment);
    if (!this.#isPaused && asked !== undefined) yield* this.#rollBack(sets, asked);
    else if (this.#isPaused || isScaling(yield* this.#withNewSet(sets, false))) yield* this.#scale(sets);
    else if (this.#deployment.spec?.strategy?.type === 'Recreate') yield* this.#recreate(sets);
    else yield* this.#roll(sets);
  }

  get #isPaused(): boolean {
    return this.#deployment.spec?.paused === true;
  }

  #view(sets: readonly ReplicaSet[], newSet = newSetOf(this.#deployment, sets)): RolloutView {
    const oldSets = sets.filter(({ metadata }) => metadata.uid !== newSet?.metadata.uid);
    return { deployment: this.#deployment, newSet, oldSets };
  }

  /** With annotations, revision and conditions brought up to date. */
  *#withNewSet(sets: readonly ReplicaSet[], makes: boolean): Process<RolloutView> {
    const outcome = yield* this.#newSets.bringUpToDate(this.#view(sets), makes);
    this.#deployment = outcome.deployment;
    return this.#view(sets, outcome.newSet);
  }

  *#notePause(): Process<void> {
    const { status = {} } = this.#deployment;
    const current = conditionOf(status, 'Progressing');
    if (deadlineOf(this.#deployment) === undefined || current?.reason === TIMED_OUT) return;
    const isNoted = current?.reason === 'DeploymentPaused';
    if (this.#isPaused === isNoted) return;
    const facts = this.#isPaused
      ? ({ reason: 'DeploymentPaused', message: 'Deployment is paused' } as const)
      : ({ reason: 'DeploymentResumed', message: 'Deployment is resumed' } as const);
    const condition = newCondition({ type: 'Progressing', status: 'Unknown', ...facts }, this.#now);
    this.#deployment = { ...this.#deployment, status: withCondition(status, condition) };
    yield* this.#write(this.#deployment);
  }

  /** Also while it is paused. */
  *#scale(sets: readonly ReplicaSet[]): Process<void> {
    const view = yield* this.#withNewSet(sets, false);
    yield* this.#resizeAll(planScaling(view));
    if (this.#isPaused) yield* this.#cleanUp(view.oldSets);
    yield* this.#tellCounts(view);
  }

  /** Nothing else happens before the request is gone: it is met once. */
  *#rollBack(sets: readonly ReplicaSet[], asked: bigint): Process<void> {
    const { newSet, oldSets } = yield* this.#withNewSet(sets, true);
    const { deployment, refusal, success } = rollback(
      this.#deployment,
      newSet ? [...oldSets, newSet] : oldSets,
      asked,
    );
    if (refusal) this.#options.events.record(this.#deployment, refusal);
    yield* this.#options.client.update(deployments, deployment);
    if (success) this.#options.events.record(this.#deployment, success);
  }

  *#roll(sets: readonly ReplicaSet[]): Process<void> {
    const view = yield* this.#withNewSet(sets, true);
    const growth = view.newSet && planNewSet(view, view.newSet);
    if (growth && growth.replicas !== replicasOf(growth.set)) {
      yield* this.#resize(growth);
    } else {
      const steps = planOldSets(view);
      yield* this.#resizeAll(steps);
      if (steps.length === 0 && isComplete(this.#deployment, this.#deployment.status ?? {}))
        yield* this.#cleanUp(view.oldSets);
    }
    yield* this.#tellProgress(view);
  }

  *#recreate(sets: readonly ReplicaSet[]): Process<void> {
    let view = yield* this.#withNewSet(sets, false);
    const old = activeAmong(view.oldSets);
    if (old.length > 0) yield* this.#resizeAll(old.map((set) => ({ set, replicas: 0 })));
    else if (!this.#areOldPodsThere(view)) {
      if (!view.newSet) view = yield* this.#withNewSet(sets, true);
      if (view.newSet) yield* this.#resize({ set: view.newSet, replicas: replicasOf(this.#deployment) });
      if (isComplete(this.#deployment, this.#deployment.status ?? {})) yield* this.#cleanUp(view.oldSets);
    }
    yield* this.#tellProgress(view);
  }

  /** Those that are about to go count too; those that have ended do not. */
  #areOldPodsThere({ oldSets }: RolloutView): boolean {
    if (actualOf(oldSets) > 0) return true;
    return oldSets.some((set) => this.#options.podsOf(set).some((pod) => !isFinished(pod)));
  }

  *#resizeAll(steps: readonly Resize[]): Process<void> {
    for (const step of steps) yield* this.#resize(step);
  }

  *#resize({ set, replicas, renewsNotes = false }: Resize): Process<void> {
    const former = replicasOf(set);
    const notes = sizeNotes(this.#deployment);
    const isSized = former === replicas;
    if (isSized && (!renewsNotes || hasNotes(annotationsOf(set), notes))) return;
    const annotations = { ...annotationsOf(set), ...notes };
    yield* this.#options.client.update(replicaSets, {
      ...set,
      metadata: { ...set.metadata, annotations },
      ...(set.spec && { spec: { ...set.spec, replicas } }),
    });
    if (isSized) return;
    const direction = replicas > former ? 'up' : 'down';
    this.#options.events.record(this.#deployment, {
      type: 'Normal',
      reason: 'ScalingReplicaSet',
      message: `Scaled ${direction} replica set ${set.metadata.name ?? ''} to ${replicas} from ${former}`,
    });
  }

  /** Old ReplicaSets without pods go, the lowest revisions first, until as many are left as may stay. */
  *#cleanUp(oldSets: readonly ReplicaSet[]): Process<void> {
    const limit = this.#deployment.spec?.revisionHistoryLimit ?? UNLIMITED;
    const present = oldSets.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const excess = present.length - limit;
    if (limit === UNLIMITED || excess <= 0) return;
    const byRevision = present.toSorted((a, b) =>
      revisionOf(a) < revisionOf(b) ? -1 : Number(revisionOf(a) > revisionOf(b)),
    );
    for (const set of byRevision.slice(0, excess)) {
      const { generation = 0, name = '', namespace = '' } = set.metadata;
      const isUnseen = generation > (set.status?.observedGeneration ?? 0);
      if ((set.status?.replicas ?? 0) !== 0 || replicasOf(set) !== 0 || isUnseen) continue;
      try {
        yield* this.#options.client.delete(replicaSets, { namespace, name });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
  }

  *#tellCounts(view: RolloutView): Process<void> {
    yield* this.#tell(countedStatus({ ...view, deployment: this.#deployment }, this.#nowMs));
  }

  *#tellProgress(view: RolloutView): Process<void> {
    const status = rolloutStatus({ ...view, deployment: this.#deployment }, this.#nowMs);
    if (yield* this.#tell(status)) return;
    const pause = lookAgainIn(this.#deployment, status, this.#nowMs);
    if (pause === undefined) return;
    if (pause < 1000) this.#options.lookAgain.rateLimited();
    else this.#options.lookAgain.after((milliseconds(pause) + seconds(1)) as Micros);
  }

  /** False: it says so already. */
  *#tell(status: DeploymentStatus): Process<boolean> {
    if (isSameStatus(this.#deployment.status, status)) return false;
    yield* this.#write({ ...this.#deployment, status });
    return true;
  }

  *#write(deployment: Deployment): Process<void> {
    yield* this.#options.client.update(deployments, deployment, { subresource: 'status' });
  }

  get #nowMs(): number {
    return this.#options.context.wallMs();
  }

  get #now(): string {
    return formatTime(this.#nowMs);
  }
}
