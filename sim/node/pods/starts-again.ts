/** Whether a container is started again once it has ended, by its part in its pod. */
import type { Pod } from '../../api/types/core-v1.ts';
import { isSidecar, type PodContainer } from './pod-containers.ts';

export function startsAgain({ spec: pod }: Pod, { role, spec }: PodContainer, exitCode: number): boolean {
  if (role === 'ephemeral') return false;
  if (role === 'init' && isSidecar(spec)) return true;
  const policy = pod?.restartPolicy ?? 'Always';
  if (policy === 'Never') return false;
  return exitCode !== 0 || (policy === 'Always' && role === 'main');
}
