/** How long a pod may stay on a node with taints of effect NoExecute. Pure. Specification: "Taints". */
import { tolerates } from '../../api/selector/toleration.ts';
import type { Taint, Toleration } from '../../api/types/core-v1.ts';

/** Seconds from when pod and taints were seen together; 0: at once, Infinity: for ever. */
export function toleratedSeconds(tolerations: readonly Toleration[], taints: readonly Taint[]): number {
  const executing = taints.filter(({ effect }) => effect === 'NoExecute');
  let seconds = Infinity;
  for (const taint of executing) {
    const matching = tolerations.find((toleration) => tolerates(toleration, taint));
    if (!matching) return 0;
    const { tolerationSeconds } = matching;
    if (tolerationSeconds !== undefined) seconds = Math.min(seconds, Math.max(0, tolerationSeconds));
  }
  return seconds;
}
