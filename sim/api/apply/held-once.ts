/**
 * Things that are held once: what objects of one shape have in common is the same, and there are many of them. Each is
 * reached by what it is made of, one part after the other; when too many parts are known, all of them are forgotten.
 * Only for speed and memory: equal things need not be the same.
 */

export interface Step<Part, Thing> {
  thing: Thing | undefined;
  readonly next: Map<Part, Step<Part, Thing>>;
}

const MOST_STEPS = 50_000;

export class HeldOnce<Part, Thing> {
  #first: Step<Part, Thing> = { thing: undefined, next: new Map() };
  #count = 0;

  /** Where all begin. */
  begin(): Step<Part, Thing> {
    if (this.#count > MOST_STEPS) {
      this.#first = { thing: undefined, next: new Map() };
      this.#count = 0;
    }
    return this.#first;
  }

  step(from: Step<Part, Thing>, by: Part): Step<Part, Thing> {
    const known = from.next.get(by);
    if (known) return known;
    this.#count++;
    const made: Step<Part, Thing> = { thing: undefined, next: new Map() };
    from.next.set(by, made);
    return made;
  }
}
