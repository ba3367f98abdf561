/**
 * What the pods of one set are found to be. A set of many pods is looked at whenever one of them changes, and then the
 * others are as they were: only what is another object than at the last look is examined. Only for speed.
 */
import type { ApiObject } from '../../api/object.ts';
import { EVERYTHING, type Labels } from '../../api/selector/label-selector.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import { controllerOf } from '../../client/controller-ref/controller-of.ts';
import { isReady } from '../workload/pods.ts';
import type { Replicated } from './replicated.ts';

export interface FoundPods {
  /** All of them are the set's and are selected by it. */
  readonly areOwn: boolean;
  readonly fullyLabeled: number;
  readonly ready: number;
}

/** Bits of what is known of one pod. */
const OWN = 1;
const LABELED = 2;
const READY = 4;

export class KnownPods<T extends ApiObject> {
  readonly #kind: Pick<Replicated<T>, 'selectorOf' | 'templateOf'>;
  #uid: string | undefined;
  #spec: unknown;
  #selector = EVERYTHING;
  #templateLabels: Labels = {};
  #pods: readonly Pod[] = [];
  #facts: readonly number[] = [];

  constructor(kind: Pick<Replicated<T>, 'selectorOf' | 'templateOf'>) {
    this.#kind = kind;
  }

  /** `pods` must stay as it is: it is what the next look is compared with. */
  look(set: T, pods: readonly Pod[]): FoundPods {
    this.#recognise(set);
    let areOwn = true;
    let fullyLabeled = 0;
    let ready = 0;
    const facts = pods.map((pod, at) =>
      pod === this.#pods[at] ? (this.#facts[at] ?? 0) : this.#factsOf(pod),
    );
    for (const fact of facts) {
      if ((fact & OWN) === 0) areOwn = false;
      if ((fact & LABELED) !== 0) fullyLabeled++;
      if ((fact & READY) !== 0) ready++;
    }
    this.#pods = pods;
    this.#facts = facts;
    return { areOwn, fullyLabeled, ready };
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
    return (isOwn ? OWN : 0) | (isLabeled ? LABELED : 0) | (isReady(pod) ? READY : 0);
  }
}

function hasAll(labels: Labels | undefined, wanted: Labels): boolean {
  for (const key in wanted) if (labels?.[key] !== wanted[key]) return false;
  return true;
}
