/**
 * What the pods of one set are found to be. A set of many pods is looked at whenever one of them changes, and then the
 * others are as they were: only what is another object than at the last look is examined. Only for speed.
 */
import type { ApiObject } from '../../api/object.ts';
import { EVERYTHING, type Labels, type LabelSelector } from '../../api/selector/label-selector.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import { controllerOf } from '../../client/controller-ref/controller-of.ts';
import { isActive, isReady } from '../workload/pods.ts';
import type { Replicated } from './replicated.ts';

export interface FoundPods {
  readonly fullyLabeled: number;
  readonly ready: number;
  /** Those that are neither finished nor about to go, in the order of all; counted are only they. */
  readonly active: readonly Pod[];
  /** All of them are the set's and are selected by it. */
  readonly areOwn: boolean;
}

/** Bits of what is known of one pod. */
const ACTIVE = 1;
const OWN = 2;
const LABELED = 4;
const READY = 8;

export class KnownPods<T extends ApiObject> {
  readonly #kind: Pick<Replicated<T>, 'selectorOf' | 'templateOf'>;
  #uid: string | undefined;
  #spec: unknown;
  #selector = EVERYTHING;
  #templateLabels: Labels = {};
  #pods: readonly Pod[] = [];
  #facts: readonly number[] = [];

  /** Of the set that was looked at last. */
  get selector(): LabelSelector {
    return this.#selector;
  }

  constructor(kind: Pick<Replicated<T>, 'selectorOf' | 'templateOf'>) {
    this.#kind = kind;
  }

  look(set: T, pods: Iterable<Pod>): FoundPods {
    this.#recognise(set);
    const all: Pod[] = [];
    const facts: number[] = [];
    const tally = new Tally();
    for (const pod of pods) {
      const at = all.push(pod) - 1;
      const fact = pod === this.#pods[at] ? (this.#facts[at] ?? 0) : this.#factsOf(pod);
      facts.push(fact);
      if ((fact & ACTIVE) !== 0) tally.add(pod, fact);
    }
    this.#pods = all;
    this.#facts = facts;
    return tally;
  }

  /** Of another set, or of one with another spec, nothing is known. */
  #recognise(set: T): void {
    const { uid } = set.metadata;
    if (uid === this.#uid && set.spec === this.#spec) return;
    this.#uid = uid;
    this.#spec = set.spec;
    this.#selector = this.#kind.selectorOf(set);
    this.#templateLabels = this.#kind.templateOf(set)?.metadata?.labels ?? {};
    this.#pods = [];
  }

  #factsOf(pod: Pod): number {
    const { labels } = pod.metadata;
    const isOwn = controllerOf(pod)?.uid === this.#uid && this.#selector.matches(labels);
    const isLabeled = hasAll(labels, this.#templateLabels);
    return (
      (isActive(pod) ? ACTIVE : 0) |
      (isOwn ? OWN : 0) |
      (isLabeled ? LABELED : 0) |
      (isReady(pod) ? READY : 0)
    );
  }
}

class Tally implements FoundPods {
  readonly active: Pod[] = [];
  areOwn = true;
  fullyLabeled = 0;
  ready = 0;

  add(pod: Pod, fact: number): void {
    this.active.push(pod);
    if ((fact & OWN) === 0) this.areOwn = false;
    if ((fact & LABELED) !== 0) this.fullyLabeled++;
    if ((fact & READY) !== 0) this.ready++;
  }
}

function hasAll(labels: Labels | undefined, wanted: Labels): boolean {
  for (const key in wanted) if (labels?.[key] !== wanted[key]) return false;
  return true;
}
