/** The conditions of a node, from the state of its machine. Pure. Specification: "Node", `conditions[]`. */
import { formatTime } from '../../api/time-format.ts';
import type { NodeCondition } from '../../api/types/core-v1.ts';
import type { Machine } from '../machine/machine.ts';
import type { Pressure } from '../machine/pressure.ts';

export type MachineView = Pick<Machine, 'isUnder' | 'hasNetwork' | 'problems'>;

/** Status, reason and message, without times. */
type Finding = Pick<NodeCondition, 'type' | 'status' | 'reason' | 'message'>;

/** [type, reason and message when it is fine, reason and message when it is not] */
const PRESSURES: Readonly<Record<Pressure, readonly [string, string, string, string, string]>> = {
  memory: [
    'MemoryPressure',
    'KubeletHasSufficientMemory',
    'kubelet has sufficient memory available',
    'KubeletHasInsufficientMemory',
    'kubelet has insufficient memory available',
  ],
  disk: [
    'DiskPressure',
    'KubeletHasNoDiskPressure',
    'kubelet has no disk pressure',
    'KubeletHasDiskPressure',
    'kubelet has disk pressure',
  ],
  pid: [
    'PIDPressure',
    'KubeletHasSufficientPID',
    'kubelet has sufficient PID available',
    'KubeletHasInsufficientPID',
    'kubelet has insufficient PID available',
  ],
};

/**
 * All conditions as of now: heard now, changed when their status is not that of `previous`. `nowMs` is the machine's
 * wall clock. Conditions that others have added stay.
 */
export function conditionsOf(
  machine: MachineView,
  previous: readonly NodeCondition[],
  nowMs: number,
): readonly NodeCondition[] {
  const now = formatTime(nowMs);
  const findings = findingsOf(machine);
  const own = findings.map((finding): NodeCondition => {
    const old = previous.find(({ type }) => type === finding.type);
    const hasChanged = old?.status !== finding.status;
    return {
      ...finding,
      lastHeartbeatTime: now,
      lastTransitionTime: hasChanged ? now : (old?.lastTransitionTime ?? now),
    };
  });
  const others = previous.filter(({ type }) => !findings.some((finding) => finding.type === type));
  return [...others, ...own];
}

/** Whether two reports say the same, whenever they were made. */
export function sayTheSame(a: readonly NodeCondition[], b: readonly NodeCondition[]): boolean {
  return a.length === b.length && a.every((condition) => b.some((other) => isSame(condition, other)));
}

const isSame = (a: NodeCondition, b: NodeCondition): boolean =>
  a.type === b.type && a.status === b.status && a.reason === b.reason && a.message === b.message;

function findingsOf(machine: MachineView): readonly Finding[] {
  return [
    networkOf(machine),
    ...(['memory', 'disk', 'pid'] as const).map((pressure) => pressureOf(machine, pressure)),
    readinessOf(machine),
  ];
}

function networkOf({ hasNetwork }: MachineView): Finding {
  return hasNetwork
    ? {
        type: 'NetworkUnavailable',
        status: 'False',
        reason: 'RouteCreated',
        message: 'RouteController created a route',
      }
    : {
        type: 'NetworkUnavailable',
        status: 'True',
        reason: 'NoRouteCreated',
        message: 'RouteController failed to create a route',
      };
}

function pressureOf(machine: MachineView, pressure: Pressure): Finding {
  const [type, fineReason, fineMessage, badReason, badMessage] = PRESSURES[pressure];
  return machine.isUnder(pressure)
    ? { type, status: 'True', reason: badReason, message: badMessage }
    : { type, status: 'False', reason: fineReason, message: fineMessage };
}

/** Several problems are told as Go prints a list of errors. */
function readinessOf({ problems }: MachineView): Finding {
  const [first = '', second] = problems;
  if (problems.length === 0) {
    return {
      type: 'Ready',
      status: 'True',
      reason: 'KubeletReady',
      message: 'kubelet is posting ready status',
    };
  }
  const message = second === undefined ? first : `[${problems.join(', ')}]`;
  return { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message };
}
