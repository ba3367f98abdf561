/**
 * Lives of a guest whose program can be copied as it stands, such as one with a memory of its own that nobody else sees. A fork
 * of its cluster gives them to the same lives there, which do what these have done without running the program, and go on
 * from the copy.
 */
import type { Micros } from '../../engine/time.ts';
import type { GuestEnvironment, GuestFunction } from './guest-program.ts';

/** A life, as its program knows it. */
export interface CopiedLife {
  /** What it was and what it has come to; once it is over, only the former. @throws NoCopy */
  copy(isOver: boolean): object;
}

/** Why a life is lived again. */
export class NoCopy extends Error {
  override readonly name = 'NoCopy';
}

/** What a program is told of a life that begins. */
export interface LifeOfCopies {
  /** Of the same life in the cluster that this one was forked from. */
  readonly copy: object | undefined;
  /** Where the life itself can be copied from now on. */
  keep(life: CopiedLife): void;
}

/** By this a program has it that its lives are copied. */
export const COPIED = Symbol('copied');

export interface CopiedProgram extends GuestFunction {
  readonly [COPIED]: (guest: GuestEnvironment, life: LifeOfCopies) => Promise<void>;
}

export const isCopied = (program: object): program is CopiedProgram => COPIED in program;

interface Kept {
  readonly begunAt: Micros;
  life?: CopiedLife;
  /** Of one that is over. */
  over?: object;
}

/** By the number of a life. */
export type Copies = ReadonlyMap<number, object>;

export class GuestCopies {
  readonly #inherited: Copies;
  readonly #kept = new Map<number, Kept>();

  constructor(inherited: Copies = new Map()) {
    this.#inherited = inherited;
  }

  begin(number: number, begunAt: Micros): LifeOfCopies {
    for (const kept of this.#kept.values()) endOne(kept);
    const kept: Kept = { begunAt };
    this.#kept.set(number, kept);
    return { copy: this.#inherited.get(number), keep: (life) => (kept.life = life) };
  }

  /** Of a fork that begins at an instant, which is the present one or past. @throws NoCopy */
  at(instant: Micros, now: Micros): Copies {
    const copies = new Map<number, object>();
    const lives = [...this.#kept];
    for (const [index, [number, { over, life, begunAt }]] of lives.entries()) {
      if (begunAt > instant) break;
      const next = lives[index + 1]?.[1];
      if (next && next.begunAt <= instant) {
        if (over) copies.set(number, over);
      } else if (instant < now) throw new NoCopy('its state at an instant that is past was not kept');
      else if (life) copies.set(number, life.copy(false));
    }
    return copies;
  }
}

/** What it has come to is of no use to anybody. */
function endOne(kept: Kept): void {
  const { life } = kept;
  if (!life) return;
  delete kept.life;
  try {
    kept.over = life.copy(true);
  } catch (error) {
    if (!(error instanceof NoCopy)) throw error;
  }
}
