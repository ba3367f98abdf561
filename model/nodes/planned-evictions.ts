/**
 * When a pod has to leave by what was planned first. Who evicts counts from the first taint of effect NoExecute that
 * the pod tolerates for a time; a taint that joins it and is tolerated for less brings nothing forward, one that is not
 * tolerated at all does, and nothing is planned any more once the node has no such taint, or the pod tolerates them for
 * ever. Specification: "Taints".
 */
import type { Node, Pod, Taint, Toleration } from '../../sim/api/types/core-v1.ts';
import { tolerates } from '../tolerations.ts';
import { SECOND } from './observation.ts';

interface Spell {
  readonly at: number;
  readonly taints: readonly Taint[];
}

export class PlannedEvictions {
  /** Of each node what it has been tainted with since it had none, oldest first. */
  readonly #spells = new Map<string, Spell[]>();

  nodeStored(at: number, name: string, node: Node | undefined): void {
    const taints = executing(node);
    if (taints.length === 0) {
      this.#spells.delete(name);
      return;
    }
    const spells = this.#spells.get(name) ?? [];
    this.#spells.set(name, spells);
    if (textOf(spells.at(-1)?.taints) !== textOf(taints)) spells.push({ at, taints });
  }

  /** When the pod has to leave, or undefined if it may stay. */
  dueAt(node: string, pod: Pod, boundAt: number): number | undefined {
    const spells = this.#spells.get(node) ?? [];
    let due: number | undefined;
    for (const [index, { at, taints }] of spells.entries()) {
      if ((spells[index + 1]?.at ?? Infinity) <= boundAt) continue;
      const from = Math.max(at, boundAt);
      const tolerated = toleratedMicros(pod.spec?.tolerations ?? [], taints);
      if (tolerated === undefined) due = Math.min(due ?? Infinity, from);
      else if (tolerated === Infinity) due = undefined;
      else due ??= from + tolerated;
    }
    return due;
  }
}

/** For how long all these taints are tolerated, or undefined if one of them is not. */
export function toleratedMicros(
  tolerations: readonly Toleration[],
  taints: readonly Taint[],
): number | undefined {
  let micros = Infinity;
  for (const taint of taints) {
    const matching = tolerations.find((toleration) => tolerates(toleration, taint));
    if (!matching) return undefined;
    const { tolerationSeconds } = matching;
    if (tolerationSeconds !== undefined) micros = Math.min(micros, Math.max(0, tolerationSeconds) * SECOND);
  }
  return micros;
}

const executing = (node: Node | undefined): readonly Taint[] =>
  (node?.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');

const textOf = (taints: readonly Taint[] = []): string =>
  taints.map(({ key, value = '' }) => `${key}=${value}`).join();
