/**
 * Things that are held once: what objects of one shape have in common is the same, and there are many of them. Each is
 * reached by what it is made of, one part after the other; when too many parts are known, all of them are forgotten.
 * Only for speed and memory: equal things need not be the same.
 */

/** One part after those before it. Most lead to one more or to none, and need no map for that. */
export interface Step<Part, Thing> {
  thing: Thing | undefined;
  readonly by: Part | undefined;
  next: Step<Part, Thing> | undefined;
  others: Map<Part, Step<Part, Thing>> | undefined;
}

const MOST_STEPS = 50_000;

export class HeldOnce<Part, Thing> {
  #first: Step<Part, Thing> = stepBy();
  #count = 0;

  /** Where all begin. */
  begin(): Step<Part, Thing> {
    if (this.#count > MOST_STEPS) {
      this.#first = stepBy();
      this.#count = 0;
    }
    return this.#first;
  }

  step(from: Step<Part, Thing>, by: Part): Step<Part, Thing> {
    const { next } = from;
    if (next !== undefined && next.by === by) return next;
    const known = from.others?.get(by);
    if (known) return known;
    this.#count++;
    const made: Step<Part, Thing> = stepBy(by);
    if (next) (from.others ??= new Map()).set(by, made);
    else from.next = made;
    return made;
  }
}

const stepBy = <Part, Thing>(by?: Part): Step<Part, Thing> => ({
  thing: undefined,
  by,
  next: undefined,
  others: undefined,
});
