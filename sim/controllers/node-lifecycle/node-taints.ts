/**
 * Which taints the conditions of a node ask for. Pure. Taints of effect NoSchedule follow the conditions at once;
 * NoExecute ones are for nodes that are not ready. Others' taints are left alone. Specification: "Taints".
 */
import { formatTime } from '../../api/time-format.ts';
import type { Node, Taint } from '../../api/types/core-v1.ts';

export const NOT_READY = 'node.kubernetes.io/not-ready';
export const UNREACHABLE = 'node.kubernetes.io/unreachable';
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';

/** The taint of a condition, by its type and status. */
const CONDITION_TAINTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: NOT_READY, Unknown: UNREACHABLE },
  MemoryPressure: { True: 'node.kubernetes.io/memory-pressure' },
  DiskPressure: { True: 'node.kubernetes.io/disk-pressure' },
  PIDPressure: { True: 'node.kubernetes.io/pid-pressure' },
  NetworkUnavailable: { True: 'node.kubernetes.io/network-unavailable' },
};

const MANAGED: ReadonlySet<string> = new Set([
  ...Object.values(CONDITION_TAINTS).flatMap((taints) => Object.values(taints)),
  UNSCHEDULABLE,
]);

/** All taints as they should be with regard to NoSchedule, in the order of the conditions; undefined: they are. */
export function scheduleTaints(node: Node, nowMs: number): readonly Taint[] | undefined {
  const conditions = node.status?.conditions ?? [];
  const wanted = conditions.flatMap(({ type, status }) => CONDITION_TAINTS[type]?.[status] ?? []);
  if (node.spec?.unschedulable === true) wanted.push(UNSCHEDULABLE);
  const present = node.spec?.taints ?? [];
  const isOwn = ({ key, effect }: Taint): boolean => effect === 'NoSchedule' && MANAGED.has(key);
  const kept = present.filter((taint) => !isOwn(taint) || wanted.includes(taint.key));
  const missing = wanted.filter((key) => !present.some((taint) => isOwn(taint) && taint.key === key));
  if (missing.length === 0 && kept.length === present.length) return undefined;
  return [
    ...kept,
    ...missing.map((key): Taint => ({ key, effect: 'NoSchedule', timeAdded: formatTime(nowMs) })),
  ];
}

/** The key of the NoExecute taint that a node of such readiness is to have; undefined: none. */
export function executeTaintOf(readiness: string | undefined): string | undefined {
  if (readiness === 'False') return NOT_READY;
  return readiness === 'Unknown' ? UNREACHABLE : undefined;
}

const isExecute = ({ key, effect }: Taint): boolean =>
  effect === 'NoExecute' && (key === NOT_READY || key === UNREACHABLE);

/** The keys of the controller's NoExecute taints on a node. */
export const executeTaintsOn = (node: Node): readonly string[] =>
  (node.spec?.taints ?? []).filter(isExecute).map(({ key }) => key);

/** All taints with the given NoExecute taint of the controller and no other of it; undefined: they are so. */
export function withExecuteTaint(
  node: Node,
  key: string | undefined,
  nowMs: number,
): readonly Taint[] | undefined {
  const present = node.spec?.taints ?? [];
  const own = present.filter(isExecute);
  if (own.length === (key === undefined ? 0 : 1) && own.every((taint) => taint.key === key)) return undefined;
  const kept = present.filter((taint) => !isExecute(taint) || taint.key === key);
  const isThere = own.some((taint) => taint.key === key);
  if (key === undefined || isThere) return kept;
  return [...kept, { key, effect: 'NoExecute', timeAdded: formatTime(nowMs) }];
}
