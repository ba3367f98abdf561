/**
 * A Job counts every pod once: it never claims more successes or failures than pods have ended so, does not take one
 * back, and makes no pod for an index that it knows to be done. Specification: not shown: Kubernetes 1.31.
 */
import type { Job } from '../../sim/api/types/batch-v1.ts';
import type { Pod } from '../../sim/api/types/core-v1.ts';
import { SECOND, type NodeRule, type Observation, type RuleSettings } from '../nodes/observation.ts';
import { controllerOf, nameOf } from './owned-pods.ts';

const INDEX = 'batch.kubernetes.io/job-completion-index';
/** Who has let go of a pod does not count it any more, and makes another for its index. */
const TRACKING = 'batch.kubernetes.io/job-tracking';
/** A controller may not have heard of what was so short a time ago. */
const STALE = 10 * SECOND;

interface Tally {
  readonly succeeded: Set<string>;
  /** Failed, or deleted before their end. */
  readonly failed: Set<string>;
  /** When a pod of an index was done that still counted. */
  readonly doneAt: Map<string, number>;
}

export class JobPodsCountedOnce implements NodeRule {
  readonly #settings: RuleSettings;
  readonly #tallies = new Map<string, Tally>();

  constructor(settings: RuleSettings) {
    this.#settings = settings;
  }

  observe(observation: Observation): void {
    if (observation.kind !== 'stored') return;
    const { at, before, after } = observation;
    const object = after ?? before;
    if (object?.kind === 'Job') this.#jobStored(at, before, after);
    else if (object?.kind === 'Pod') this.#podStored(at, before, after);
  }

  look(): void {
    // What is stored says all.
  }

  #jobStored(at: number, before: Job | undefined, after: Job | undefined): void {
    const uid = (after ?? before)?.metadata.uid ?? '';
    if (!before && after) {
      this.#tallies.set(uid, { succeeded: new Set(), failed: new Set(), doneAt: new Map() });
      return;
    }
    const tally = this.#tallies.get(uid);
    if (!tally || !before || !after) {
      this.#tallies.delete(uid);
      return;
    }
    for (const end of ['succeeded', 'failed'] as const) {
      const [was, is] = [before.status?.[end] ?? 0, after.status?.[end] ?? 0];
      const seen = tally[end].size;
      if (is < was)
        this.#settings.report(at, `Job ${nameOf(after)} has taken back that ${was} pods have ${end}: ${is}`);
      if (is > was && is > seen)
        this.#settings.report(at, `Job ${nameOf(after)} claims that ${is} pods have ${end}: ${seen} have`);
    }
  }

  #podStored(at: number, before: Pod | undefined, after: Pod | undefined): void {
    const pod = after ?? before;
    const owner = pod && controllerOf(pod);
    const tally = owner && this.#tallies.get(owner.uid);
    if (!pod || !tally) return;
    const { uid = '', annotations = {}, finalizers = [] } = pod.metadata;
    const index = annotations[INDEX];
    if (
      !before &&
      index !== undefined &&
      at - (tally.doneAt.get(index) ?? Infinity) > STALE + this.#settings.slack
    )
      this.#settings.report(at, `pod ${nameOf(pod)} was made for index ${index}, which is done`);
    if (pod.status?.phase === 'Succeeded') {
      tally.succeeded.add(uid);
      const isCounted = index !== undefined && finalizers.includes(TRACKING);
      if (isCounted && !tally.doneAt.has(index)) tally.doneAt.set(index, at);
    } else if (pod.status?.phase === 'Failed' || !after || pod.metadata.deletionTimestamp !== undefined)
      tally.failed.add(uid);
  }
}
