/** What ends a guest's life against its will, each by a name of its own. */

/** Its code ran when it was not its turn: what it does then would differ from run to run. */
export class OutsideTurn extends Error {
  override readonly name = 'OutsideTurn';
}

export type VerdictKind =
  /** Its function threw. */
  | 'threw'
  /** It awaited something real. */
  | 'outside-turn'
  /** It did what the simulation has none of: a socket of the machine, a thread, a process. */
  | 'escaped'
  | 'exited'
  /** A turn had no end. */
  | 'never-rests'
  /** Something was thrown, or a promise rejected, where nobody catches it. */
  | 'uncaught'
  | 'leaked-timers';

/** A verdict on a guest that is none of the errors of its own. */
export class GuestVerdict extends Error {
  override readonly name = 'GuestVerdict';
  readonly kind: VerdictKind;
  /** Of a process that ended itself. */
  exitCode?: number;

  constructor(kind: VerdictKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
  }
}

export const verdictOf = (error: unknown): VerdictKind => {
  if (error instanceof GuestVerdict) return error.kind;
  return error instanceof OutsideTurn ? 'outside-turn' : 'threw';
};

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
