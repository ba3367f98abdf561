/** Pods are counted by number and by what their containers ask for and are limited to. */
import type { ApiObject } from '../object.ts';
import type { Container, Pod, PodSpec, ScopedResourceSelectorRequirement } from '../types/core-v1.ts';
import { qosClassOf } from '../pod/qos-class.ts';
import { isExtended } from '../pod/resource-names.ts';
import { type Amounts, amountsOf, counts, largestOf, only, sumOf } from './amounts.ts';
import type { UsageRule } from './usage-rule.ts';

const COMPUTE = ['cpu', 'memory', 'ephemeral-storage'];
const TRACKED: ReadonlySet<string> = new Set([
  'pods',
  'count/pods',
  ...COMPUTE.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);
/** Of these every container has to say its own as soon as they are limited. */
const DEMANDED = ['cpu', 'memory'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]);

const REQUESTS = 'requests.';

export const podRule: UsageRule = {
  countsUpdates: false,
  tracks: (name) =>
    TRACKED.has(name) ||
    /^(?:requests\.)?hugepages-/.test(name) ||
    (name.startsWith(REQUESTS) && isExtended(name.slice(REQUESTS.length))),
  usageOf: (object, nowMs) => {
    if (hasEnded(object, nowMs)) return counts({ 'count/pods': 1 });
    const spec = specOf(object);
    const requests = sumOf(totalOf(spec, 'requests'), amountsOf(spec.overhead));
    const limits = totalOf(spec, 'limits');
    const overhead = only(amountsOf(spec.overhead), (name) => limits.has(name));
    return sumOf(counts({ 'count/pods': 1 }), computeUsage(requests, sumOf(limits, overhead)));
  },
  frees: (object, old, nowMs) => hasEnded(object, nowMs) && !hasEnded(old, nowMs),
  problemWith: (object, limited) => {
    const demanded = DEMANDED.filter((name) => limited.includes(name));
    if (demanded.length === 0) return undefined;
    const spec = specOf(object);
    const missing = demanded.sort().flatMap((name) => {
      const silent = [...spec.containers, ...(spec.initContainers ?? [])].filter(
        (container) => !states(container, name),
      );
      const containers = [...new Set(silent.map((container) => container.name))].sort();
      return containers.length === 0 ? [] : [`${name} for: ${containers.join(',')}`];
    });
    return missing.length === 0 ? undefined : `must specify ${missing.join('; ')}`;
  },
  isInScope: (object, scope) => isInScope(specOf(object), scope),
};

/** It asks for nothing any more: it is over, or should be. */
function hasEnded({ metadata, status }: Pod, nowMs: number): boolean {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return true;
  const { deletionTimestamp, deletionGracePeriodSeconds: grace } = metadata;
  if (deletionTimestamp === undefined || grace === undefined) return false;
  return nowMs > Date.parse(deletionTimestamp) + grace * 1_000;
}

const specOf = (object: ApiObject): PodSpec => (object as Pod).spec ?? { containers: [] };

const states = ({ resources }: Container, name: string): boolean =>
  computeUsage(amountsOf(resources?.requests), amountsOf(resources?.limits)).has(name);

function computeUsage(requests: Amounts, limits: Amounts): Amounts {
  const usage = new Map(counts({ pods: 1 }));
  for (const [name, amount] of requests) {
    const isPlain = COMPUTE.includes(name) || name.startsWith('hugepages-');
    if (isPlain) usage.set(name, amount);
    if (isPlain || isExtended(name)) usage.set(`requests.${name}`, amount);
  }
  for (const [name, amount] of limits) if (COMPUTE.includes(name)) usage.set(`limits.${name}`, amount);
  return usage;
}

/**
 * Containers and sidecars run together; an init container runs beside the sidecars that were started
 * before it. What the pod needs at most counts.
 */
function totalOf({ containers, initContainers = [] }: PodSpec, member: 'requests' | 'limits'): Amounts {
  const amounts = ({ resources }: Container): Amounts => amountsOf(resources?.[member]);
  let running = containers.map(amounts).reduce(sumOf, new Map());
  let sidecars: Amounts = new Map();
  let starting: Amounts = new Map();
  for (const container of initContainers) {
    const own = amounts(container);
    const isSidecar = container.restartPolicy === 'Always';
    if (isSidecar) {
      running = sumOf(running, own);
      sidecars = sumOf(sidecars, own);
    }
    starting = largestOf(starting, isSidecar ? sidecars : sumOf(own, sidecars));
  }
  return largestOf(running, starting);
}

function isInScope(
  spec: PodSpec,
  { scopeName, operator, values = [] }: ScopedResourceSelectorRequirement,
): boolean {
  const isTerminating = (spec.activeDeadlineSeconds ?? -1) >= 0;
  switch (scopeName) {
    case 'Terminating':
      return isTerminating;
    case 'NotTerminating':
      return !isTerminating;
    case 'BestEffort':
      return qosClassOf(spec) === 'BestEffort';
    case 'NotBestEffort':
      return qosClassOf(spec) !== 'BestEffort';
    case 'PriorityClass':
      return isSelected(spec.priorityClassName ?? '', operator, values);
    case 'CrossNamespacePodAffinity':
      return looksAcrossNamespaces(spec);
    default:
      return false;
  }
}

function isSelected(name: string, operator: string, values: readonly string[]): boolean {
  switch (operator) {
    case 'Exists':
      return name !== '';
    case 'DoesNotExist':
      return name === '';
    case 'In':
      return name !== '' && values.includes(name);
    default:
      return name === '' || !values.includes(name);
  }
}

function looksAcrossNamespaces({ affinity }: PodSpec): boolean {
  const terms = [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((rules) => [
    ...(rules?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(rules?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => term.podAffinityTerm),
  ]);
  return terms.some((term) => (term?.namespaces ?? []).length > 0 || term?.namespaceSelector !== undefined);
}
