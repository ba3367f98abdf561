/** What is accepted in the spec of a Job, or in the template of one, but deserves a warning. */
import type { JobSpec } from '../../../../api/types/batch-v1.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import type { HookContext } from '../../strategy.ts';
import { podTemplateWarnings } from '../pod-spec/warnings.ts';

/** Both together: what failed of so many may be too much to write down. */
const MANY_COMPLETIONS = 100_000;
const MUCH_PARALLELISM = 10_000;

export function jobWarnings(
  spec: JobSpec | undefined,
  path: FieldPath,
  context: HookContext,
): readonly string[] {
  if (!spec) return [];
  const { completionMode, completions = 0, parallelism = 0, template } = spec;
  const isTooMuch =
    completionMode === 'Indexed' && completions > MANY_COMPLETIONS && parallelism > MUCH_PARALLELISM;
  return [
    ...(isTooMuch
      ? [
          `${path.text}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
        ]
      : []),
    ...podTemplateWarnings(template, path.child('template'), context),
  ];
}
