/** Chance by a seed: equal seeds draw equally, whatever else is drawn elsewhere. */
export class Random {
  #state: number;

  /** Every word changes what is drawn. */
  constructor(...words: readonly (string | number)[]) {
    this.#state = 0x9e3779b9;
    for (const word of words)
      for (const character of `${word}|`) this.#state = mix(this.#state ^ (character.codePointAt(0) ?? 0));
  }

  /** From 0 up to, and without, `end`. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    return (mix(this.#state) >>> 0) % end;
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(items: readonly [T, ...T[]] | readonly T[]): T {
    const found = items[this.below(items.length)];
    if (found === undefined) throw new RangeError('nothing to pick from');
    return found;
  }
}

/** Spreads the bits of a number. */
function mix(value: number): number {
  let bits = Math.imul(value ^ (value >>> 15), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
