/** How long a pod may stay on a node with taints of effect NoExecute. Pure. Specification: "Taints". */
import { tolerates } from '../../api/selector/toleration.ts';
import type { Taint, Toleration } from '../../api/types/core-v1.ts';

/** Seconds from when pod and taints were seen together; Infinity: for ever, undefined: it does not tolerate them all. */
export function toleratedSeconds(
  tolerations: readonly Toleration[],
  taints: readonly Taint[],
): number | undefined {
  let seconds = Infinity;
  for (const taint of executing(taints)) {
    const matching = tolerations.find((toleration) => tolerates(toleration, taint));
    if (!matching) return undefined;
    const { tolerationSeconds } = matching;
    if (tolerationSeconds !== undefined) seconds = Math.min(seconds, Math.max(0, tolerationSeconds));
  }
  return seconds;
}

/** The taints by which pods have to go. */
export const executing = (taints: readonly Taint[] = []): readonly Taint[] =>
  taints.filter(({ effect }) => effect === 'NoExecute');
