/**
 * Which nodes of a DaemonSet lack a pod and which pods go: what keeps every node right (`planUpkeep`), and a step of a
 * rolling update (`planRollout`), with pods missing for a while or doubled for a while. Pure.
 * Specification: not shown: Kubernetes 1.31.
 */
import { append } from '../../api/append.ts';
import type { DaemonSet, DaemonSetStatus } from '../../api/types/apps-v1.ts';
import type { Node, Pod } from '../../api/types/core-v1.ts';
import { compareStrings } from '../../api/go-text.ts';
import { scaledValue } from '../workload/int-or-percent.ts';
import { isAvailable, isFinished, isReady, isTerminating, phaseOf } from '../workload/pods.ts';
import { isUpToDate, suitabilityOf, targetOf } from './daemon-pod.ts';

export interface DaemonView {
  readonly daemonSet: DaemonSet;
  readonly hash: string;
  readonly nodes: readonly Node[];
  /** By the node that they are on or meant for; those that have ended and are about to go left out. */
  readonly podsByNode: ReadonlyMap<string, readonly Pod[]>;
  readonly nowMs: number;
}

export interface DaemonPlan {
  /** Names of nodes that get a pod. */
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
  /** Ended pods that go, or would if another had not gone too short a time ago. */
  readonly ended: readonly Pod[];
}

export function groupByNode(pods: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> {
  const groups = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = targetOf(pod);
    if (node === undefined || (isFinished(pod) && isTerminating(pod))) continue;
    const group = groups.get(node);
    if (group) group.push(pod);
    else groups.set(node, [pod]);
  }
  return groups;
}

const minReady = ({ spec }: DaemonSet): number => spec?.minReadySeconds ?? 0;

/** Scheduled ones first, then the oldest. */
const oldestFirst = (pods: readonly Pod[]): readonly Pod[] =>
  pods.toSorted((a, b) => compareStrings(ageKey(a), ageKey(b)));

const ageKey = ({ metadata: { creationTimestamp, name = '' }, spec }: Pod): string =>
  `${spec?.nodeName ? 0 : 1} ${creationTimestamp ?? ''} ${name}`;

export interface Allowance {
  readonly surge: number;
  readonly unavailable: number;
}

export function allowanceOf({ spec }: DaemonSet, desired: number): Allowance {
  const { type, rollingUpdate = {} } = spec?.updateStrategy ?? {};
  const surge = type === 'RollingUpdate' ? scaledValue(rollingUpdate.maxSurge ?? 0, desired, 'up') : 0;
  const unavailable =
    type === 'RollingUpdate' ? scaledValue(rollingUpdate.maxUnavailable ?? 1, desired, 'up') : 0;
  return { surge, unavailable: desired > 0 && surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** Whatever the number of nodes. */
const allowsSurge = (daemonSet: DaemonSet): boolean => allowanceOf(daemonSet, 1).surge > 0;

export function planUpkeep(view: DaemonView): DaemonPlan {
  const plan = { create: [] as string[], remove: [] as Pod[], ended: [] as Pod[] };
  for (const node of view.nodes) planNode(view, node, plan);
  append(plan.remove, strandedPods(view));
  return plan;
}

interface DraftPlan {
  readonly create: string[];
  readonly remove: Pod[];
  readonly ended: Pod[];
}

function planNode(view: DaemonView, node: Node, plan: DraftPlan): void {
  const { name = '' } = node.metadata;
  const { shouldRun, mayStay } = suitabilityOf(view.daemonSet, node);
  const pods = view.podsByNode.get(name);
  if (!pods) {
    if (shouldRun) plan.create.push(name);
    return;
  }
  const present = pods.filter((pod) => !isTerminating(pod));
  if (!mayStay) {
    append(plan.remove, present);
    return;
  }
  append(plan.ended, present.filter(isFinished));
  const running = oldestFirst(present.filter((pod) => !isFinished(pod)));
  if (!allowsSurge(view.daemonSet)) append(plan.remove, running.slice(1));
  else if (running.length > 1) append(plan.remove, surplus(view, running));
  else if (running.length === 0 && shouldRun) plan.create.push(name);
}

/** One old and one new pod may be there at a time: while the old one is ready and the new one is not available. */
function surplus({ daemonSet, hash, nowMs }: DaemonView, running: readonly Pod[]): readonly Pod[] {
  const isNew = ({ metadata }: Pod): boolean => metadata.labels?.['controller-revision-hash'] === hash;
  const newest = running.find(isNew);
  const old = running.find((pod) => !isNew(pod));
  const more = running.filter((pod) => pod !== newest && pod !== old);
  if (!newest || !old) return more;
  const isOver = !isReady(old) || isAvailable(newest, minReady(daemonSet), nowMs);
  return isOver ? [...more, old] : more;
}

/** Pods that were never scheduled, for nodes that are not there: nobody else would delete them. */
function strandedPods({ nodes, podsByNode }: DaemonView): readonly Pod[] {
  const names = new Set(nodes.map(({ metadata }) => metadata.name));
  return [...podsByNode].flatMap(([node, pods]) =>
    names.has(node) ? [] : pods.filter(({ spec }) => !spec?.nodeName),
  );
}

interface NodePods {
  readonly node: string;
  readonly newPod: Pod | undefined;
  readonly oldPod: Pod | undefined;
}

/** Undefined: several of one kind; the upkeep prunes them first. */
function pairOn(view: DaemonView, node: string): NodePods | undefined {
  const present = (view.podsByNode.get(node) ?? []).filter((pod) => !isTerminating(pod));
  const isNew = (pod: Pod): boolean => isUpToDate(pod, view.daemonSet, view.hash);
  const [newPods, oldPods] = [present.filter(isNew), present.filter((pod) => !isNew(pod))];
  if (newPods.length > 1 || oldPods.length > 1) return undefined;
  return { node, newPod: newPods[0], oldPod: oldPods[0] };
}

export function planRollout(view: DaemonView): DaemonPlan {
  const wanted = view.nodes.filter((node) => suitabilityOf(view.daemonSet, node).shouldRun);
  const names = new Set([...view.podsByNode.keys(), ...wanted.map(({ metadata }) => metadata.name ?? '')]);
  const pairs = [...names].map((node) => pairOn(view, node));
  const allowance = allowanceOf(view.daemonSet, wanted.length);
  return allowance.surge === 0
    ? replaceInPlace(view, pairs, allowance.unavailable)
    : surgeFirst(view, pairs, { surge: allowance.surge, wanted });
}

/** Old pods that are not available go at once, others as far as so many may be unavailable. */
function replaceInPlace(
  view: DaemonView,
  pairs: readonly (NodePods | undefined)[],
  most: number,
): DaemonPlan {
  const isUp = (pod: Pod): boolean => isAvailable(pod, minReady(view.daemonSet), view.nowMs);
  const unavailableOld: Pod[] = [];
  const candidates: Pod[] = [];
  let unavailable = 0;
  for (const pair of pairs) {
    const { newPod, oldPod } = pair ?? {};
    if (!newPod === !oldPod) unavailable++;
    else if (newPod && !isUp(newPod)) unavailable++;
    else if (oldPod && !isUp(oldPod)) {
      unavailable++;
      unavailableOld.push(oldPod);
    } else if (oldPod) candidates.push(oldPod);
  }
  const room = Math.max(0, most - unavailable);
  return { create: [], remove: [...unavailableOld, ...candidates.slice(0, room)], ended: [] };
}

/** New pods come beside old ones, which go when the new ones are available. */
function surgeFirst(
  view: DaemonView,
  pairs: readonly (NodePods | undefined)[],
  { surge, wanted }: { readonly surge: number; readonly wanted: readonly Node[] },
): DaemonPlan {
  const isUp = (pod: Pod): boolean => isAvailable(pod, minReady(view.daemonSet), view.nowMs);
  const wantedNames = new Set(wanted.map(({ metadata }) => metadata.name));
  const remove: Pod[] = [];
  const leaving: Pod[] = [];
  const replaced: string[] = [];
  const candidates: string[] = [];
  let surging = 0;
  let available = 0;
  for (const pair of pairs) {
    if (!pair) {
      surging++;
      continue;
    }
    const { node, newPod, oldPod } = pair;
    const counted = oldPod ?? newPod;
    if (counted && isUp(counted)) available++;
    if (!oldPod) continue;
    if (newPod && isUp(newPod)) remove.push(oldPod);
    else if (newPod) surging++;
    else if (!wantedNames.has(node)) (isUp(oldPod) ? leaving : remove).push(oldPod);
    else (isUp(oldPod) ? candidates : replaced).push(node);
  }
  const room = Math.max(0, surge - surging);
  const mayLeave = Math.max(0, available - wanted.length);
  return {
    create: [...replaced, ...candidates.slice(0, room)],
    remove: [...remove, ...leaving.slice(0, mayLeave)],
    ended: [],
  };
}

/** The oldest pod of a node counts. */
export function daemonStatus(view: DaemonView): Omit<DaemonSetStatus, 'observedGeneration'> {
  const { daemonSet, hash, nodes, podsByNode, nowMs } = view;
  const counts = { desired: 0, current: 0, misscheduled: 0, ready: 0, updated: 0, available: 0 };
  for (const node of nodes) {
    const [pod] = oldestFirst(podsByNode.get(node.metadata.name ?? '') ?? []);
    if (!suitabilityOf(daemonSet, node).shouldRun) {
      if (pod) counts.misscheduled++;
      continue;
    }
    counts.desired++;
    if (!pod) continue;
    counts.current++;
    if (isReady(pod)) counts.ready++;
    if (isAvailable(pod, minReady(daemonSet), nowMs)) counts.available++;
    if (isUpToDate(pod, daemonSet, hash)) counts.updated++;
  }
  return {
    currentNumberScheduled: counts.current,
    numberMisscheduled: counts.misscheduled,
    desiredNumberScheduled: counts.desired,
    numberReady: counts.ready,
    updatedNumberScheduled: counts.updated,
    numberAvailable: counts.available,
    numberUnavailable: counts.desired - counts.available,
  };
}

export const endedText = (pod: Pod, node: string): { readonly reason: string; readonly message: string } => {
  const { namespace = '', name = '' } = pod.metadata;
  const hasFailed = phaseOf(pod) === 'Failed';
  return {
    reason: hasFailed ? 'FailedDaemonPod' : 'SucceededDaemonPod',
    message: `Found ${hasFailed ? 'failed' : 'succeeded'} daemon pod ${namespace}/${name} on node ${node}, will try to ${hasFailed ? 'kill' : 'delete'} it`,
  };
};
