/**
 * Amounts of resources as the scheduler counts them: whole numbers, processors in thousandths, rounded up. Requests of a
 * pod with and without the guess for containers that ask for nothing. Pure. Kubernetes 1.31.
 */
import { int64Value } from '../../api/quantity.ts';
import type { Container, PodSpec } from '../../api/types/core-v1.ts';

export interface Amounts {
  readonly milliCpu: number;
  readonly memory: number;
  readonly ephemeralStorage: number;
  /** All other resources, by name. */
  readonly others: ReadonlyMap<string, number>;
}

export type ResourceList = Readonly<Record<string, string>>;

/** What a container without a request counts for where nodes are compared. */
const GUESSED_MILLI_CPU = 100;
const GUESSED_MEMORY = 200 * 1024 * 1024;

const NO_OTHERS: ReadonlyMap<string, number> = new Map();
export const NOTHING: Amounts = { milliCpu: 0, memory: 0, ephemeralStorage: 0, others: NO_OTHERS };

/** Texts of quantities come again and again. */
const MOST_KNOWN = 4096;
const known = new Map<string, number>();

/** In units of 10^`scale`. */
export function countOf(text: string, scale: -3 | 0): number {
  const key = scale === 0 ? text : `m ${text}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const count = Number(int64Value(text, scale));
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(key, count);
  return count;
}

export function amountsOf(list: ResourceList | undefined): Amounts {
  if (!list) return NOTHING;
  let others: Map<string, number> | undefined;
  for (const name of Object.keys(list)) {
    if (name === 'cpu' || name === 'memory' || name === 'ephemeral-storage' || name === 'pods') continue;
    (others ??= new Map()).set(name, countOf(list[name] ?? '0', 0));
  }
  return {
    milliCpu: countOf(list['cpu'] ?? '0', -3),
    memory: countOf(list['memory'] ?? '0', 0),
    ephemeralStorage: countOf(list['ephemeral-storage'] ?? '0', 0),
    others: others ?? NO_OTHERS,
  };
}

export function sumOf(one: Amounts, other: Amounts): Amounts {
  if (other === NOTHING) return one;
  return {
    milliCpu: one.milliCpu + other.milliCpu,
    memory: one.memory + other.memory,
    ephemeralStorage: one.ephemeralStorage + other.ephemeralStorage,
    others: combined(one.others, other.others, (a, b) => a + b),
  };
}

function largestOf(one: Amounts, other: Amounts): Amounts {
  return {
    milliCpu: Math.max(one.milliCpu, other.milliCpu),
    memory: Math.max(one.memory, other.memory),
    ephemeralStorage: Math.max(one.ephemeralStorage, other.ephemeralStorage),
    others: combined(one.others, other.others, Math.max),
  };
}

function combined(
  one: ReadonlyMap<string, number>,
  other: ReadonlyMap<string, number>,
  combine: (a: number, b: number) => number,
): ReadonlyMap<string, number> {
  if (other.size === 0) return one;
  if (one.size === 0) return other;
  const all = new Map(one);
  for (const [name, count] of other) all.set(name, combine(all.get(name) ?? 0, count));
  return all;
}

/** `isGuessed`: containers that say nothing of processors or memory count for the usual. */
function requestOf({ resources }: Container, isGuessed: boolean): Amounts {
  const requests = resources?.requests;
  const said = amountsOf(requests);
  if (!isGuessed) return said;
  return {
    ...said,
    milliCpu: requests?.['cpu'] === undefined ? GUESSED_MILLI_CPU : said.milliCpu,
    memory: requests?.['memory'] === undefined ? GUESSED_MEMORY : said.memory,
  };
}

/**
 * What a pod needs at most at a time: its containers and sidecars together, or an init container together with the
 * sidecars that were started before it; and what the pod itself costs.
 */
export function podRequests(
  { containers, initContainers = [], overhead }: PodSpec,
  { isGuessed = false }: { readonly isGuessed?: boolean } = {},
): Amounts {
  let running = NOTHING;
  for (const container of containers) running = sumOf(running, requestOf(container, isGuessed));
  let sidecars = NOTHING;
  let starting = NOTHING;
  for (const container of initContainers) {
    const request = requestOf(container, isGuessed);
    if (container.restartPolicy === 'Always') {
      running = sumOf(running, request);
      sidecars = sumOf(sidecars, request);
      starting = largestOf(starting, sidecars);
    } else starting = largestOf(starting, sumOf(request, sidecars));
  }
  return sumOf(largestOf(running, starting), amountsOf(overhead));
}
