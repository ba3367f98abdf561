/** The one sentence that tells why a pod fits nowhere. Pure. Kubernetes 1.31. */
import type { Rejection, RejectionCode } from './rejection.ts';

export interface Diagnosis {
  readonly nodeCount: number;
  /** What was said of single nodes, by their names. */
  readonly rejections: ReadonlyMap<string, Rejection>;
  /** What counts for nodes of which nothing was said. */
  readonly otherwise: RejectionCode;
  /** What was said of the pod, whatever the node. */
  readonly ofPod?: string | undefined;
  /** Names of all plugins that have rejected a node or the pod. */
  readonly plugins: ReadonlySet<string>;
}

export const NO_NODES = 'no nodes available to schedule pods';

/** `after`: what came of preemption. */
export function fitErrorText({ nodeCount, rejections, ofPod = '' }: Diagnosis, after = ''): string {
  const why = ofPod === '' ? histogramOf(rejections.values()).join(', ') : ofPod;
  return `0/${nodeCount} nodes are available:${why && ` ${why}.`}${after && ` ${after}`}`;
}

/** `2 Insufficient cpu`, in order of these texts. */
function histogramOf(rejections: Iterable<Rejection>): readonly string[] {
  const counts = new Map<string, number>();
  for (const { reasons } of rejections)
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
}
