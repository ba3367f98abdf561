/** May a pod that is not critical come to a node that is under pressure? Pure. */
import { tolerates } from '../../api/selector/toleration.ts';
import type { Pod, Taint } from '../../api/types/core-v1.ts';
import type { Rejection } from '../pods/pod-admission.ts';
import type { Pressure } from '../machine/pressure.ts';

const CONDITIONS: Readonly<Record<Pressure, string>> = {
  disk: 'DiskPressure',
  memory: 'MemoryPressure',
  pid: 'PIDPressure',
};
const MEMORY_TAINT: Taint = { key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' };

/** Undefined: it may. */
export function pressureRejectionOf(pod: Pod, pressures: ReadonlySet<Pressure>): Rejection | undefined {
  if (pressures.size === 0) return undefined;
  const isMemoryOnly = pressures.size === 1 && pressures.has('memory');
  if (isMemoryOnly && (pod.status?.qosClass !== 'BestEffort' || toleratesMemoryPressure(pod)))
    return undefined;
  const names = (['memory', 'disk', 'pid'] as const)
    .filter((pressure) => pressures.has(pressure))
    .map((pressure) => CONDITIONS[pressure]);
  return { reason: 'Evicted', message: `The node had condition: [${names.join(' ')}]. ` };
}

const toleratesMemoryPressure = ({ spec }: Pod): boolean =>
  (spec?.tolerations ?? []).some((toleration) => tolerates(toleration, MEMORY_TAINT));
