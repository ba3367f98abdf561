/**
 * Which pods are garbage: finished ones beyond a number, those of nodes that are out of service or gone for a while,
 * and those that were deleted before they had a node. Pure. Specification: not shown: Kubernetes 1.31.
 */
import type { Node, Pod } from '../../api/types/core-v1.ts';
import { seconds, type Micros } from '../../engine/time.ts';

export interface PodGarbage {
  readonly pod: Pod;
  readonly why: 'finished' | 'out-of-service' | 'orphaned' | 'unscheduled';
}

/** A node must have been gone for so long. */
export const QUARANTINE = seconds(40);
const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';

export interface PodsAndNodes {
  readonly pods: readonly Pod[];
  readonly nodes: ReadonlyMap<string, Node>;
  /** Since when a node that pods name has not been there. */
  readonly missing: ReadonlyMap<string, Micros>;
  readonly now: Micros;
  /** So many finished pods may stay; 0: all. */
  readonly keepsFinished: number;
}

export function garbageIn(view: PodsAndNodes): readonly PodGarbage[] {
  const found = new Map<Pod, PodGarbage['why']>();
  const note = (why: PodGarbage['why'], pods: readonly Pod[]): void => {
    for (const pod of pods) if (!found.has(pod)) found.set(pod, why);
  };
  note('finished', tooManyFinished(view));
  note(
    'out-of-service',
    view.pods.filter((pod) => isDeleted(pod) && isOutOfService(nodeOf(pod, view))),
  );
  note(
    'orphaned',
    view.pods.filter((pod) => isOrphan(pod, view)),
  );
  note(
    'unscheduled',
    view.pods.filter((pod) => isDeleted(pod) && !pod.spec?.nodeName),
  );
  return [...found].map(([pod, why]) => ({ pod, why }));
}

/** Nodes that pods name and that are not there, each with the time since when. */
export function missingNodes({ pods, nodes, missing, now }: PodsAndNodes): ReadonlyMap<string, Micros> {
  const names = pods
    .map(({ spec }) => spec?.nodeName ?? '')
    .filter((name) => name !== '' && !nodes.has(name));
  return new Map(names.map((name) => [name, missing.get(name) ?? now]));
}

const isDeleted = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

export const isFinished = ({ status }: Pod): boolean =>
  status?.phase === 'Succeeded' || status?.phase === 'Failed';

const nodeOf = ({ spec }: Pod, { nodes }: PodsAndNodes): Node | undefined => nodes.get(spec?.nodeName ?? '');

function isOutOfService(node: Node | undefined): boolean {
  const ready = node?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  return ready !== 'True' && (node?.spec?.taints ?? []).some(({ key }) => key === OUT_OF_SERVICE);
}

function isOrphan({ spec }: Pod, { missing, nodes, now }: PodsAndNodes): boolean {
  const name = spec?.nodeName ?? '';
  const since = missing.get(name);
  return since !== undefined && !nodes.has(name) && now - since >= QUARANTINE;
}

function tooManyFinished({ pods, keepsFinished }: PodsAndNodes): readonly Pod[] {
  const finished = pods.filter(isFinished);
  if (keepsFinished === 0 || finished.length <= keepsFinished) return [];
  return finished.toSorted(byAge).slice(0, finished.length - keepsFinished);
}

/** Evicted ones first, then the oldest; of one second, by name. */
function byAge(a: Pod, b: Pod): number {
  if (isEvicted(a) !== isEvicted(b)) return isEvicted(a) ? -1 : 1;
  const [left, right] = [a, b].map(
    ({ metadata: { creationTimestamp = '', namespace = '', name = '' } }) =>
      `${creationTimestamp} ${namespace}/${name}`,
  );
  return (left ?? '') < (right ?? '') ? -1 : 1;
}

const isEvicted = ({ status }: Pod): boolean => status?.phase === 'Failed' && status.reason === 'Evicted';
