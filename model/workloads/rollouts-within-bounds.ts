/**
 * A rolling update keeps to its bounds: the ReplicaSets of a Deployment are never asked for more pods together than it
 * may have too many, nor made so small that fewer stay available than it must have. Whoever makes a ReplicaSet may
 * not have heard of one that is young, and of whose pods the Deployment's status does not tell: that one is not counted.
 * Who was stopped or told late is held to what there was when he heard last: nothing keeps a former leader from going on.
 * Specification: not shown: Kubernetes 1.31.
 */
import type { Deployment, ReplicaSet } from '../../sim/api/types/apps-v1.ts';
import { SECOND, type NodeRule, type Observation, type RuleSettings } from '../nodes/observation.ts';
import { controllerOf, nameOf } from './owned-pods.ts';
import { Views } from './views.ts';

/** A controller may act on what was so long ago. */
const STALE = 10 * SECOND;

interface Past<T> {
  readonly value: T;
  readonly until: number;
}

/** A value with what it was a short while ago. */
class Recent {
  readonly #past: Past<number>[] = [];
  #value: number;

  constructor(value: number) {
    this.#value = value;
  }

  set(value: number, at: number): void {
    if (value === this.#value) return;
    this.#past.push({ value: this.#value, until: at });
    this.#value = value;
  }

  get now(): number {
    return this.#value;
  }

  /** At an instant or since, as far as it is remembered. */
  since(instant: number): readonly number[] {
    return [this.#value, ...this.#past.filter(({ until }) => until >= instant).map(({ value }) => value)];
  }

  /** As somebody may still see it. */
  values(at: number): readonly number[] {
    return this.since(at - STALE);
  }
}

interface FollowedDeployment {
  deployment: Deployment;
  readonly most: Recent;
  readonly fewest: Recent;
}

interface FollowedSet {
  readonly owner: string;
  readonly template: string;
  readonly madeAt: number;
  readonly size: Recent;
  readonly available: Recent;
}

/** A size that somebody wrote who had missed what was stored from an instant on, or nothing. */
interface Resizing {
  readonly set: FollowedSet;
  readonly missedSince: number;
}

interface Growth extends Resizing {
  readonly unheardOf: readonly FollowedSet[];
}

interface Shrinking extends Resizing {
  /** Pods that went. */
  readonly gone: number;
  /** Pods that its status said to be available. */
  readonly seen: number;
}

export class RolloutsWithinBounds implements NodeRule {
  readonly #settings: RuleSettings;
  readonly #deployments = new Map<string, FollowedDeployment>();
  readonly #sets = new Map<string, FollowedSet>();
  readonly #views = new Views({ of: ['Deployment', 'ReplicaSet'], writes: 'replicasets' });

  constructor(settings: RuleSettings) {
    this.#settings = settings;
  }

  observe(observation: Observation): void {
    this.#views.observe(observation);
    if (observation.kind !== 'stored') return;
    const { at, before, after } = observation;
    const { kind } = after ?? before ?? {};
    if (kind === 'Deployment') this.#deploymentStored(at, before, after);
    else if (kind === 'ReplicaSet') this.#setStored(at, before, after);
  }

  look(): void {
    // What is stored says all.
  }

  #deploymentStored(at: number, before: Deployment | undefined, after: Deployment | undefined): void {
    const uid = (after ?? before)?.metadata.uid ?? '';
    if (!after || after.metadata.deletionTimestamp !== undefined || !isRolling(after)) {
      this.#deployments.delete(uid);
      return;
    }
    const { most, fewest } = boundsOf(after);
    const known = this.#deployments.get(uid);
    if (!known) {
      // One that it did not see begin may have been anything before.
      if (!before)
        this.#deployments.set(uid, { deployment: after, most: new Recent(most), fewest: new Recent(fewest) });
      return;
    }
    known.deployment = after;
    known.most.set(most, at);
    known.fewest.set(fewest, at);
  }

  #setStored(at: number, before: ReplicaSet | undefined, after: ReplicaSet | undefined): void {
    const uid = (after ?? before)?.metadata.uid ?? '';
    const owner = after && controllerOf(after)?.uid;
    if (!after || owner === undefined) {
      this.#sets.delete(uid);
      return;
    }
    const size = after.spec?.replicas ?? 1;
    const available = after.status?.availableReplicas ?? 0;
    const set = this.#sets.get(uid) ?? {
      owner,
      template: templateOf(after),
      madeAt: before ? Number.NEGATIVE_INFINITY : at,
      size: new Recent(before?.spec?.replicas ?? 0),
      available: new Recent(0),
    };
    this.#sets.set(uid, set);
    const former = set.size.now;
    set.size.set(size, at);
    set.available.set(available, at);
    const followed = this.#deployments.get(owner);
    if (!followed) return;
    const missedSince = this.#views.missedSince(after, at);
    const unheardOf = before ? [] : this.#unheardOf(at, followed, set);
    if (size > former) this.#judgeGrowth(at, followed, { set, missedSince, unheardOf });
    // Who writes it has seen the status that it replaces: another version would have been a conflict.
    const seen = before?.status?.availableReplicas ?? 0;
    if (size < former) this.#judgeShrinking(at, followed, { set, missedSince, gone: former - size, seen });
  }

  #setsOf({ deployment }: FollowedDeployment): readonly FollowedSet[] {
    return [...this.#sets.values()].filter(({ owner }) => owner === deployment.metadata.uid);
  }

  /** Once its status counts pods, of this template or of any, their sets have been heard of. */
  #unheardOf(at: number, followed: FollowedDeployment, made: FollowedSet): readonly FollowedSet[] {
    const { replicas = 0, updatedReplicas = 0 } = followed.deployment.status ?? {};
    const told = (each: FollowedSet): number =>
      each.template === made.template ? updatedReplicas : replicas;
    return this.#setsOf(followed).filter(
      (each) => each !== made && told(each) === 0 && at - each.madeAt <= STALE,
    );
  }

  #judgeGrowth(at: number, followed: FollowedDeployment, growth: Growth): void {
    const { set: grown, missedSince, unheardOf } = growth;
    const others = this.#setsOf(followed)
      .filter((set) => set !== grown && !unheardOf.includes(set))
      .reduce((sum, { size }) => sum + Math.min(...size.since(missedSince)), 0);
    const total = grown.size.now + others;
    const most = Math.max(...followed.most.values(missedSince));
    if (total > most)
      this.#settings.report(
        at,
        `ReplicaSets of Deployment ${nameOf(followed.deployment)} are to have ${total} pods together, ${most} at the most`,
      );
  }

  /**
   * What is not available goes first. A status may still count the pods of the last step: whoever takes the next one goes
   * by that count, so that fewer stay than should, as on a real cluster.
   */
  #judgeShrinking(at: number, followed: FollowedDeployment, shrinking: Shrinking): void {
    const { set, missedSince, gone, seen } = shrinking;
    const leftOf = (each: FollowedSet): number => {
      const up = Math.max(...each.available.values(missedSince));
      return each === set
        ? Math.max(Math.min(each.size.now, up), seen - gone)
        : Math.min(Math.max(...each.size.since(missedSince)), up);
    };
    const left = this.#setsOf(followed).reduce((sum, each) => sum + leftOf(each), 0);
    const fewest = Math.min(...followed.fewest.values(missedSince));
    if (left < fewest && !this.#isUnavoidable(followed, shrinking, fewest))
      this.#settings.report(
        at,
        `of Deployment ${nameOf(followed.deployment)} ${left} pods stay available, ${fewest} at the least`,
      );
  }

  /** Too few were available anyway, as he may have seen who wrote it, and only those went that were not. */
  #isUnavoidable(followed: FollowedDeployment, shrinking: Shrinking, fewest: number): boolean {
    const { set, missedSince, seen } = shrinking;
    const available = this.#setsOf(followed).reduce(
      (sum, each) => sum + (each === set ? seen : Math.min(...each.available.since(missedSince))),
      0,
    );
    return available < fewest && seen <= set.size.now;
  }
}

/** But for the label by which ReplicaSets of one template are told apart. */
function templateOf({ spec }: ReplicaSet): string {
  const { metadata, ...rest } = spec?.template ?? {};
  const { 'pod-template-hash': _, ...labels } = metadata?.labels ?? {};
  return JSON.stringify({ ...rest, metadata: { ...metadata, labels } });
}

const isRolling = ({ spec }: Deployment): boolean => spec?.strategy?.type === 'RollingUpdate';

function boundsOf({ spec }: Deployment): { readonly most: number; readonly fewest: number } {
  const replicas = spec?.replicas ?? 1;
  const { maxSurge = 0, maxUnavailable = 0 } = spec?.strategy?.rollingUpdate ?? {};
  const part = (value: number | string, round: (exact: number) => number): number =>
    typeof value === 'number' ? value : round((Number.parseInt(value, 10) * replicas) / 100);
  const surge = part(maxSurge, Math.ceil);
  const unavailable = part(maxUnavailable, Math.floor);
  const missing = surge === 0 && unavailable === 0 ? 1 : unavailable;
  return { most: replicas + surge, fewest: Math.max(0, replicas - missing) };
}
