/**
 * Which pods of a node have to go for a critical one that finds too little there: as few as will do, of the lowest quality of
 * service before all. Pure. Kubernetes 1.31.
 */
import { qosClassOf } from '../../api/pod/qos-class.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import { heldBy, type Missing } from './pod-admission.ts';

/** What is still to be found of a resource. */
interface Need {
  readonly resource: string;
  readonly amount: number;
}

/** `problem`: all of them together are not enough. */
export type Room = { readonly victims: readonly Pod[] } | { readonly problem: string };

const CLASSES = ['BestEffort', 'Burstable', 'Guaranteed'] as const;

/** `lesser`: those that may be sent away for it. */
export function roomFor(missing: readonly Missing[], lesser: readonly Pod[]): Room {
  const needs = missing.map(({ resource, requested, used, capacity }) => ({
    resource,
    amount: requested - (capacity - used),
  }));
  const unmet = without(needs, lesser);
  if (unmet.length > 0)
    return { problem: `no set of running pods found to reclaim resources: ${textOf(unmet)}` };
  const [bestEffort = [], burstable = [], guaranteed = []] = CLASSES.map((wanted) =>
    lesser.filter(({ spec }) => spec && qosClassOf(spec) === wanted),
  );
  // Of each class only those that the classes below it cannot replace.
  const ofGuaranteed = nearest(guaranteed, without(needs, [...bestEffort, ...burstable]));
  const ofBurstable = nearest(burstable, without(needs, [...bestEffort, ...ofGuaranteed]));
  const ofBestEffort = nearest(bestEffort, without(needs, [...ofBurstable, ...ofGuaranteed]));
  return { victims: [...ofBestEffort, ...ofBurstable, ...ofGuaranteed] };
}

const without = (needs: readonly Need[], pods: readonly Pod[]): readonly Need[] =>
  needs
    .map(({ resource, amount }) => ({
      resource,
      amount: pods.reduce((left, pod) => left - heldBy(pod, resource), amount),
    }))
    .filter(({ amount }) => amount > 0);

const textOf = (needs: readonly Need[]): string =>
  `[${needs.map(({ resource, amount }) => `(res: ${resource}, q: ${amount}), `).join('')}]`;

/** One after the other those that leave the least to be found. */
function nearest(pods: readonly Pod[], needs: readonly Need[]): readonly Pod[] {
  const chosen: Pod[] = [];
  let left = [...pods];
  for (let open = needs; open.length > 0 && left.length > 0;) {
    const now = open;
    const best = left.reduce((known, pod) => (isNearer(pod, known, now) ? pod : known));
    chosen.push(best);
    left = left.filter((pod) => pod !== best);
    open = without(open, [best]);
  }
  return chosen;
}

function isNearer(one: Pod, other: Pod, needs: readonly Need[]): boolean {
  const [first, second] = [distance(one, needs), distance(other, needs)];
  return first === second ? isSmaller(one, other) : first < second;
}

const distance = (pod: Pod, needs: readonly Need[]): number =>
  needs.reduce((sum, { resource, amount }) => {
    const left = Math.max(0, amount - heldBy(pod, resource));
    return sum + (left / amount) ** 2;
  }, 0);

function isSmaller(one: Pod, other: Pod): boolean {
  for (const resource of ['memory', 'cpu']) {
    const difference = heldBy(one, resource) - heldBy(other, resource);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
