/**
 * Many calls at once, each of which may fail by itself. Writes that the server may refuse for a common reason begin with
 * one and double, so that a reason for refusal is met once and not a thousand times.
 */
import { type CallFailure, isCallFailure } from '../../client/api-failure.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';

/** All of them at once. The failures, in order. */
export function* attemptAll(
  context: Context,
  calls: readonly Process<unknown>[],
): Process<readonly CallFailure[]> {
  if (calls.length === 0) return [];
  const outcomes = yield* context.all(calls.map(attempt));
  return outcomes.filter((outcome) => outcome !== undefined);
}

export interface SlowStart {
  /** Those that did not fail. */
  readonly successes: number;
  /** Calls that were not tried after the first failure. */
  readonly skipped: number;
  readonly failure: CallFailure | undefined;
}

export function* slowStart(
  context: Context,
  count: number,
  call: () => Process<unknown>,
): Process<SlowStart> {
  let left = count;
  let successes = 0;
  for (let batch = Math.min(left, 1); batch > 0; batch = Math.min(2 * batch, left)) {
    const failures = yield* attemptAll(
      context,
      Array.from({ length: batch }, () => call()),
    );
    successes += batch - failures.length;
    left -= batch;
    const [failure] = failures;
    if (failure) return { successes, skipped: left, failure };
  }
  return { successes, skipped: left, failure: undefined };
}

function* attempt(call: Process<unknown>): Process<CallFailure | undefined> {
  try {
    yield* call;
    return undefined;
  } catch (error) {
    if (!isCallFailure(error)) throw error;
    return error;
  }
}
