/**
 * Access is decided at once, in the middle of whatever asks. Where that takes an answer from outside (a webhook), the
 * decision is broken off by an `AnswerAwaited`: whoever can wait asks, and has it decided anew. What breaks off must
 * not have had any effect.
 */
import type { Process } from '../../engine/process.ts';

export class AnswerAwaited extends Error {
  override readonly name = 'AnswerAwaited';
  /** Asks, and remembers the answer for the request. */
  readonly ask: () => Process<void>;

  constructor(ask: () => Process<void>) {
    super('somebody has to be asked first');
    this.ask = ask;
  }
}

/** Decides, after as many answers from outside as that takes. */
export function* untilAnswered<T>(decide: () => T): Process<T> {
  for (;;) {
    try {
      return decide();
    } catch (error) {
      if (!(error instanceof AnswerAwaited)) throw error;
      yield* error.ask();
    }
  }
}

/** The same of what may have to wait for more: only what comes before that is done anew. */
export function answered(step: () => Process<void> | void): Process<void> | void {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof AnswerAwaited)) throw error;
    return goOn(error, step);
  }
}

function* goOn(awaited: AnswerAwaited, step: () => Process<void> | void): Process<void> {
  yield* awaited.ask();
  const waiting = yield* untilAnswered(step);
  if (waiting) yield* waiting;
}
