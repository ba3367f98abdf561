/**
 * A call that got no answer. Clients throw it, beside `ApiError` for calls that were answered with a refusal:
 * whoever catches one of them can tell what is known about the call. Specification: "Errors".
 */

/**
 * `refused`: no server took the call, so it was surely not done. `reset`: the connection broke; `timeout`: nothing
 * came in time. After both nobody knows whether it was done.
 */
export type NoAnswerKind = 'refused' | 'reset' | 'timeout';

export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly kind: NoAnswerKind;

  constructor(kind: NoAnswerKind, call: string) {
    super(`${call}: ${TEXTS[kind]}`);
    this.kind = kind;
  }

  get wasSurelyNotDone(): boolean {
    return this.kind === 'refused';
  }
}

const TEXTS: Readonly<Record<NoAnswerKind, string>> = {
  refused: 'connection refused',
  reset: 'connection reset by peer',
  timeout: 'no answer in time',
};
