/**
 * The pods of a StatefulSet come in order, each when those before it are ready, unless it manages them in parallel.
 * Specification: not shown: Kubernetes 1.31.
 */
import type { StatefulSet } from '../../sim/api/types/apps-v1.ts';
import type { Pod } from '../../sim/api/types/core-v1.ts';
import { SECOND, type NodeRule, type Observation, type RuleSettings } from '../nodes/observation.ts';
import { isReady } from '../pod-facts.ts';
import { controllerOf, isOver, nameOf } from './owned-pods.ts';

/** A controller may not have heard of what was so short a time ago. */
const STALE = 5 * SECOND;

export class StatefulPodsInOrder implements NodeRule {
  readonly #settings: RuleSettings;
  readonly #sets = new Map<string, StatefulSet>();
  /** By namespace and name: until when a pod was ready; Infinity: it is. */
  readonly #readyUntil = new Map<string, number>();

  constructor(settings: RuleSettings) {
    this.#settings = settings;
  }

  observe(observation: Observation): void {
    if (observation.kind !== 'stored') return;
    const { at, before, after } = observation;
    const object = after ?? before;
    if (object?.kind === 'StatefulSet') {
      const uid = object.metadata.uid ?? '';
      if (after) this.#sets.set(uid, after);
      else this.#sets.delete(uid);
    } else if (object?.kind === 'Pod') this.#podStored(at, before, after);
  }

  look(): void {
    // What is stored says all.
  }

  #podStored(at: number, before: Pod | undefined, after: Pod | undefined): void {
    const pod = after ?? before;
    if (!pod) return;
    const name = nameOf(pod);
    if (after && isReady(after) && !isOver(after)) this.#readyUntil.set(name, Infinity);
    else if (this.#readyUntil.get(name) === Infinity) this.#readyUntil.set(name, at);
    const set = after && !before ? this.#sets.get(controllerOf(after)?.uid ?? '') : undefined;
    if (!set || !after || set.spec?.podManagementPolicy === 'Parallel') return;
    const [, parent = '', digits = ''] = /^(.*)-(\d+)$/.exec(name) ?? [];
    for (let ordinal = set.spec?.ordinals?.start ?? 0; ordinal < Number(digits); ordinal++) {
      const until = this.#readyUntil.get(`${parent}-${ordinal}`) ?? -Infinity;
      if (at - until <= STALE + this.#settings.slack) continue;
      this.#settings.report(
        at,
        `StatefulSet ${nameOf(set)} has made ${name} while ${parent}-${ordinal} is not ready`,
      );
      return;
    }
  }
}
