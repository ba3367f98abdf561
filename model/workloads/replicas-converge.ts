/**
 * A ReplicaSet or ReplicationController comes to have as many pods as it wants once nothing changes and nothing hinders
 * it, and never makes one when it has as many as it may think that it wants. Specification: not shown: Kubernetes 1.31.
 */
import type { ReplicaSet } from '../../sim/api/types/apps-v1.ts';
import type { Pod } from '../../sim/api/types/core-v1.ts';
import {
  inSeconds,
  SECOND,
  type NodeRule,
  type Observation,
  type RuleSettings,
  wellSince,
} from '../nodes/observation.ts';
import { controllerOf, nameOf, OwnedPods } from './owned-pods.ts';

/** Of news, of writes, and of tries that were refused for a moment. */
const PATIENCE = 60 * SECOND;
/** A controller may know a size that is so old. */
const STALE = 10 * SECOND;
const KINDS: ReadonlySet<string> = new Set(['ReplicaSet', 'ReplicationController']);

interface Followed {
  set: ReplicaSet;
  /** Sizes that it has had, with the time until which each was wanted. */
  readonly former: { readonly size: number; readonly until: number }[];
  /** Since when it has not had as many pods as it wants. */
  wrongSince: number | undefined;
}

export class ReplicasConverge implements NodeRule {
  readonly #settings: RuleSettings;
  readonly #pods = new OwnedPods();
  readonly #sets = new Map<string, Followed>();
  #wholeSince: number | undefined = 0;

  constructor(settings: RuleSettings) {
    this.#settings = settings;
  }

  observe(observation: Observation): void {
    const { at } = observation;
    if (observation.kind === 'control-plane') this.#wholeSince = wellSince(observation);
    if (observation.kind !== 'stored') return;
    const { before, after } = observation;
    const { kind = '' } = after ?? before ?? {};
    if (kind === 'Pod') this.#podStored(at, before, after);
    else if (KINDS.has(kind)) this.#setStored(at, before, after);
  }

  look(at: number): void {
    if (this.#wholeSince === undefined) return;
    for (const [uid, followed] of this.#sets) {
      const { set, wrongSince } = followed;
      const count = this.#pods.activeOf(uid).length;
      const wanted = set.spec?.replicas ?? 1;
      if (count === wanted || isExcused(set)) followed.wrongSince = undefined;
      else if (wrongSince === undefined) followed.wrongSince = at;
      else if (at - Math.max(wrongSince, this.#wholeSince) > PATIENCE + this.#settings.slack) {
        this.#settings.report(
          at,
          `${set.kind} ${nameOf(set)} has had ${count} pods instead of ${wanted} for ${inSeconds(at - wrongSince)}`,
        );
        this.#sets.delete(uid);
      }
    }
  }

  #setStored(at: number, before: ReplicaSet | undefined, after: ReplicaSet | undefined): void {
    const uid = (after ?? before)?.metadata.uid ?? '';
    if (!after) {
      this.#sets.delete(uid);
      return;
    }
    const known = this.#sets.get(uid);
    if (!known) {
      if (!before) this.#sets.set(uid, { set: after, former: [], wrongSince: at });
      return;
    }
    const size = known.set.spec?.replicas ?? 1;
    if (size !== (after.spec?.replicas ?? 1)) {
      known.former.push({ size, until: at });
      known.wrongSince = at;
    }
    known.set = after;
  }

  #podStored(at: number, before: Pod | undefined, after: Pod | undefined): void {
    this.#pods.stored(before, after);
    const owner = after && controllerOf(after);
    if (before || !owner || this.#wholeSince === undefined || at < this.#wholeSince) return;
    const followed = this.#sets.get(owner.uid);
    if (!followed) return;
    const recent = followed.former.filter(({ until }) => at - until <= STALE + this.#settings.slack);
    const most = Math.max(followed.set.spec?.replicas ?? 1, ...recent.map(({ size }) => size));
    const count = this.#pods.activeOf(owner.uid).length;
    if (count > most)
      this.#settings.report(
        at,
        `${followed.set.kind} ${nameOf(followed.set)} has made ${nameOf(after)}, the ${count}th of ${most} pods`,
      );
  }
}

/** It goes, or says itself why it cannot. */
const isExcused = ({ metadata, status }: ReplicaSet): boolean =>
  metadata.deletionTimestamp !== undefined ||
  (status?.conditions ?? []).some(({ type, status: is }) => type === 'ReplicaFailure' && is === 'True');
