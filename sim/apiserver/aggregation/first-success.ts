/** Several attempts at the same time: the first that succeeds counts, and where none does the failure that came last. */
import type { Process } from '../../engine/process.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';

/** They end by themselves within `timeoutMs`; those that are not waited for any more go on to their end. */
export function* firstSuccess<Outcome>(
  surroundings: Pick<ApiServerSurroundings, 'start' | 'waitFor'>,
  attempts: readonly Process<Outcome>[],
  { isSuccess, timeoutMs }: { readonly isSuccess: (outcome: Outcome) => boolean; readonly timeoutMs: number },
): Process<Outcome | undefined> {
  const outcomes: Outcome[] = [];
  let wake = (): void => undefined;
  const isDecided = (): boolean => outcomes.length === attempts.length || outcomes.some(isSuccess);
  for (const attempt of attempts)
    surroundings.start(
      told(attempt, (outcome) => {
        outcomes.push(outcome);
        if (isDecided()) wake();
      }),
    );
  if (!isDecided())
    yield* surroundings.waitFor((woken) => {
      wake = woken;
      return () => undefined;
    }, timeoutMs);
  return outcomes.find(isSuccess) ?? outcomes.at(-1);
}

function* told<Outcome>(attempt: Process<Outcome>, tell: (outcome: Outcome) => void): Process<void> {
  tell(yield* attempt);
}
