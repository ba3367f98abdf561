/**
 * What was done to a simulated world from outside, in order, so that it can be done again to another one: a world's past
 * is a function of its options and of these deeds. A deed within a deed is part of it. A deed that cannot be done again
 * (it holds on to this very world) is kept as such, and so is what the world looked like after each, so that a past
 * that was not remade is found out.
 */
import { InvariantViolation } from '../engine/invariant.ts';
import { formatMicros, type Micros } from '../engine/time.ts';
import type { Trace } from '../engine/trace.ts';

/** What is done; it touches nothing but the world that it is given. */
export type Act<World, T> = (world: World) => T;

/** Where a world stands. */
interface Stand {
  readonly at: Micros;
  readonly records: number;
  readonly lane: number;
}

interface Deed<World> {
  readonly what: string;
  readonly from: Micros;
  /** Undefined: it cannot be done again. */
  readonly act: Act<World, unknown> | undefined;
  readonly after: Stand;
  /** It was under way when a past that was made again came to its end. */
  readonly isCut: boolean;
  /** It comes to a promise. */
  readonly takesTime: boolean;
}

/** A deed that can be done again. */
export interface Doable<World> extends Pick<Deed<World>, 'what' | 'takesTime'> {
  readonly act: Act<World, unknown>;
}

/** Does a deed again, until an instant at the most: it ends with `PastEnds` there. Gives out what it comes to. */
type Redo<World> = (deed: Doable<World>, end: Micros) => Iterable<unknown>;

/** A world as the journal sees it. */
export interface Journalled {
  readonly now: Micros;
  readonly trace: Pick<Trace, 'length' | 'digestLane'>;
}

/** A past that cannot be made again. */
export class Irreproducible extends Error {
  override readonly name = 'Irreproducible';
}

/** Thrown through a deed that is done again, at the instant at which the past ends. */
export class PastEnds extends Error {
  override readonly name = 'PastEnds';
}

export class Journal<World extends Journalled> {
  readonly #world: World;
  readonly #deeds: Deed<World>[] = [];
  #isDoing = false;

  constructor(world: World) {
    this.#world = world;
  }

  /** Does something and remembers it. `again` is how to do it to another world. */
  record<T>(what: string, work: () => T, again: Act<World, unknown> | undefined): T {
    if (this.#isDoing) return work();
    const from = this.#world.now;
    let isCut = false;
    this.#isDoing = true;
    try {
      return work();
    } catch (error) {
      isCut = error instanceof PastEnds;
      throw error;
    } finally {
      this.#isDoing = false;
      this.#deeds.push({ what, from, act: again, after: standOf(this.#world), isCut, takesTime: false });
    }
  }

  /** The same of what ends only when the function that comes back is called. What else is done until then is part of it. */
  begin(what: string, again: Act<World, unknown> | undefined): (error?: unknown) => void {
    if (this.#isDoing) return () => undefined;
    const from = this.#world.now;
    this.#isDoing = true;
    return (error) => {
      this.#isDoing = false;
      const isCut = error instanceof PastEnds;
      this.#deeds.push({ what, from, act: again, after: standOf(this.#world), isCut, takesTime: true });
    };
  }

  /**
   * Does to another world what was done to this one up to an instant; what was under way then, is under way there.
   * @throws Irreproducible
   */
  relive(world: World, until: Micros, redo: Redo<World>): void {
    for (const reliving = this.reliving(world, until, redo); reliving.next().done !== true;);
  }

  /** The same step by step: what each deed comes to is given out, and whoever waits for that says if it fails later. */
  *reliving(world: World, until: Micros, redo: Redo<World>): Generator<unknown, void, void> {
    for (const deed of this.#deeds) {
      const { from, after, what, act, isCut, takesTime } = deed;
      if (from > until || (from === until && after.at > until)) return;
      if (!act) throw irreproducible(deed, 'it holds on to this very cluster');
      try {
        yield* redo({ what, act, takesTime }, isCut && after.at < until ? after.at : until);
      } catch (error) {
        // What failed then, fails now.
        if (error instanceof InvariantViolation) throw error;
      }
      if (after.at > until) return;
      if (!isSame(standOf(world), after))
        throw irreproducible(deed, 'before its end something was done otherwise');
    }
  }

  /** Whether another world stands where this one does. */
  isLike(world: World): boolean {
    return isSame(standOf(this.#world), standOf(world));
  }
}

const irreproducible = ({ what, from }: Pick<Deed<unknown>, 'what' | 'from'>, why: string): Irreproducible =>
  new Irreproducible(
    `the past of this cluster cannot be made again: "${what}" at ${formatMicros(from)}: ${why}; what is done from outside goes through its own methods or \`perform\``,
  );

const standOf = ({ now, trace }: Journalled): Stand => ({
  at: now,
  records: trace.length,
  lane: trace.digestLane,
});

const isSame = (a: Stand, b: Stand): boolean => a.at === b.at && a.records === b.records && a.lane === b.lane;
