/**
 * How many replicas one resource metric asks for. Pure. Pods whose usage nobody knows, and pods that are not ready, are
 * assumed to use what speaks against the change; changes within the tolerance are none. Amounts are thousandths.
 * Specification: not shown (Kubernetes, "Horizontal Pod Autoscaling": algorithm details).
 */
import { int64Value } from '../../api/quantity.ts';
import type { Container, Pod } from '../../api/types/core-v1.ts';
import { isTerminating, podCondition, timeMs } from '../workload/pods.ts';

const TOLERANCE = 0.1;
/** So long after its start the usage of a pod that is not ready says nothing. */
const INITIALIZATION_MS = 300_000;
/** Unready so shortly after the start: it never was ready. */
const INITIAL_READINESS_MS = 30_000;

/** What one pod uses of one resource. */
export interface PodUsage {
  readonly value: number;
  readonly atMs: number;
  readonly windowMs: number;
}

/** By the names of pods. */
export type Usages = ReadonlyMap<string, PodUsage>;
type Amounts = ReadonlyMap<string, number>;

/** No number of replicas can be told; the message says why. */
export class MetricFailure extends Error {
  override readonly name = 'MetricFailure';
}

export interface ReplicaQuestion {
  readonly currentReplicas: number;
  readonly resource: string;
  /** Empty: all containers. */
  readonly container: string;
  readonly pods: readonly Pod[];
  readonly usages: Usages;
  readonly nowMs: number;
}

export interface ReplicaAnswer {
  readonly replicas: number;
  /** Of a pod on average. */
  readonly usage: number;
  /** In percent of the requests. */
  readonly utilization?: number;
}

/** @throws MetricFailure */
export function replicasForUtilization(question: ReplicaQuestion, target: number): ReplicaAnswer {
  const { pods, container, resource } = question;
  if (pods.length === 0)
    throw new MetricFailure('no pods returned by selector while calculating replica count');
  const groups = groupsOf(question);
  const requests = requestsOf(pods, container, resource);
  const first = utilizationOf(groups.counted, requests, target);
  const replicas = replicasOf(question.currentReplicas, groups, {
    ratio: first.ratio,
    ratioOf: (amounts) => utilizationOf(amounts, requests, target).ratio,
    // Of a pod that says nothing the whole request, or what is aimed at if that is more.
    assumed: (name) => Math.trunc(((requests.get(name) ?? 0) * Math.max(100, target)) / 100),
  });
  return { replicas, usage: first.usage, utilization: first.utilization };
}

/** @throws MetricFailure */
export function replicasForUsage(question: ReplicaQuestion, target: number): ReplicaAnswer {
  if (question.pods.length === 0)
    throw new MetricFailure('no pods returned by selector while calculating replica count');
  const groups = groupsOf(question);
  const usageOf = (amounts: Amounts): number =>
    Math.trunc([...amounts.values()].reduce((sum, amount) => sum + amount, 0) / amounts.size);
  const usage = usageOf(groups.counted);
  const replicas = replicasOf(question.currentReplicas, groups, {
    ratio: usage / target,
    ratioOf: (amounts) => usageOf(amounts) / target,
    assumed: () => target,
  });
  return { replicas, usage };
}

/**
 * By one value for all pods together. From no pods at all the tolerance does not count, nor who is ready.
 * @throws MetricFailure
 */
export function replicasForValue(
  current: number,
  pods: readonly Pod[],
  { value, target }: { readonly value: number; readonly target: number },
): number {
  const ratio = value / target;
  if (current === 0) return Math.ceil(ratio);
  if (isTolerated(ratio)) return current;
  if (pods.length === 0)
    throw new MetricFailure(
      'unable to calculate ready pods: no pods returned by selector while calculating replica count',
    );
  const ready = pods.filter(
    (pod) => pod.status?.phase === 'Running' && podCondition(pod, 'Ready')?.status === 'True',
  ).length;
  return Math.ceil(ratio * ready);
}

/** By one value of which each pod is to have so much: as many as there are now have it by and large, or as many as it takes. */
export function replicasForShares(
  present: number,
  { value, target }: { readonly value: number; readonly target: number },
): ReplicaAnswer {
  const ratio = value / (target * present);
  // Nothing of nothing is no number, and no change.
  const isChanged = Math.abs(1 - ratio) > TOLERANCE;
  return { replicas: isChanged ? Math.ceil(value / target) : present, usage: Math.ceil(value / present) };
}

interface Groups {
  readonly counted: Amounts;
  readonly ready: number;
  readonly unready: readonly string[];
  readonly missing: readonly string[];
}

function groupsOf({ pods, usages, resource, nowMs }: ReplicaQuestion): Groups {
  const unready: string[] = [];
  const missing: string[] = [];
  const counted = new Map([...usages].map(([name, { value }]) => [name, value]));
  let ready = 0;
  for (const pod of pods) {
    const { name = '' } = pod.metadata;
    const usage = usages.get(name);
    const isGone = isTerminating(pod) || pod.status?.phase === 'Failed';
    const isUnready =
      pod.status?.phase === 'Pending' || (usage && resource === 'cpu' && isCold(pod, usage, nowMs));
    if (isGone || isUnready) counted.delete(name);
    if (isGone) continue;
    if (isUnready) unready.push(name);
    else if (!usage) missing.push(name);
    else ready++;
  }
  if (counted.size === 0)
    throw new MetricFailure('did not receive metrics for targeted pods (pods might be unready)');
  return { counted, ready, unready, missing };
}

/** What it uses is still what its start takes. */
function isCold(pod: Pod, usage: PodUsage, nowMs: number): boolean {
  const condition = podCondition(pod, 'Ready');
  const startMs = timeMs(pod.status?.startTime);
  if (!condition || startMs === undefined) return true;
  const sinceMs = timeMs(condition.lastTransitionTime) ?? 0;
  const isUnready = condition.status === 'False';
  return startMs + INITIALIZATION_MS > nowMs
    ? isUnready || usage.atMs < sinceMs + usage.windowMs
    : isUnready && startMs + INITIAL_READINESS_MS > sinceMs;
}

interface Measure {
  readonly ratio: number;
  readonly ratioOf: (amounts: Amounts) => number;
  /** For a pod without usage, when there are too many. */
  readonly assumed: (name: string) => number;
}

function replicasOf(current: number, { counted, ready, unready, missing }: Groups, measure: Measure): number {
  const { ratio } = measure;
  const isHeldByUnready = unready.length > 0 && ratio > 1;
  if (!isHeldByUnready && missing.length === 0)
    return isTolerated(ratio) ? current : Math.ceil(ratio * ready);
  const amounts = new Map(counted);
  // A ratio of exactly 1 is within the tolerance whatever is assumed: only what is known counts then.
  if (ratio !== 1) for (const name of missing) amounts.set(name, ratio < 1 ? measure.assumed(name) : 0);
  if (isHeldByUnready) for (const name of unready) amounts.set(name, 0);
  const second = measure.ratioOf(amounts);
  const isTurned = (ratio < 1 && second > 1) || (ratio > 1 && second < 1);
  if (isTolerated(second) || isTurned) return current;
  const replicas = Math.ceil(second * amounts.size);
  const isWrongWay = (second < 1 && replicas > current) || (second > 1 && replicas < current);
  return isWrongWay ? current : replicas;
}

const isTolerated = (ratio: number): boolean => Math.abs(1 - ratio) <= TOLERANCE;

function utilizationOf(
  amounts: Amounts,
  requests: Amounts,
  target: number,
): { readonly ratio: number; readonly utilization: number; readonly usage: number } {
  const known = [...amounts].filter(([name]) => requests.has(name));
  const used = known.reduce((sum, [, amount]) => sum + amount, 0);
  const requested = known.reduce((sum, [name]) => sum + (requests.get(name) ?? 0), 0);
  if (requested === 0) throw new MetricFailure('no metrics returned matched known pods');
  const utilization = Math.trunc((used * 100) / requested);
  return { ratio: utilization / target, utilization, usage: Math.trunc(used / known.length) };
}

function requestsOf(pods: readonly Pod[], container: string, resource: string): Amounts {
  return new Map(
    pods.map((pod) => {
      const { name = '' } = pod.metadata;
      const asked = containersOf(pod).filter((one) => container === '' || one.name === container);
      return [name, asked.reduce((sum, one) => sum + requestOf(one, resource, name), 0)];
    }),
  );
}

const containersOf = ({ spec }: Pod): readonly Container[] => [
  ...(spec?.containers ?? []),
  ...(spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always'),
];

function requestOf({ name, resources }: Container, resource: string, pod: string): number {
  const text = resources?.requests?.[resource];
  if (text === undefined)
    throw new MetricFailure(`missing request for ${resource} in container ${name} of Pod ${pod}`);
  return milliOf(text);
}

export const milliOf = (text: string): number => Number(int64Value(text, -3));
