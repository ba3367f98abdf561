/** A scheduler deletes a pod only for one that is more important and has no node yet. */
import type { Pod } from '../../sim/api/types/core-v1.ts';
import type { Deletion, SchedulingRule } from './observation.ts';

const priorityOf = ({ spec }: Pod): number => spec?.priority ?? 0;

export class PreemptsLesserPods implements SchedulingRule {
  deletionProblem({ victims, waiting }: Deletion): string | undefined {
    const priority = Math.min(...victims.map(priorityOf));
    const isForOne = (waiting as readonly Pod[]).some(
      (pod) => priorityOf(pod) > priority && pod.spec?.preemptionPolicy !== 'Never',
    );
    return isForOne ? undefined : 'nobody who is more important waits';
  }
}
