/**
 * What a Go program has done to JavaScript, in order: all that its host needs to have the same values again without running
 * the program. Together with a copy of its memory it is the program's state. A tape is written as the program runs, and
 * played (`go-player.ts`) where another life of the same past is to go on from there; then it is written on.
 */

/** What stands on a tape, each before its operands. */
export const OP = {
  enter: 0,
  leave: 1,
  text: 2,
  get: 3,
  set: 4,
  delete: 5,
  index: 6,
  setIndex: 7,
  call: 8,
  invoke: 9,
  construct: 10,
  prepare: 11,
  release: 12,
  copy: 13,
  timeout: 14,
  clearTimeout: 15,
  chance: 16,
  print: 17,
  started: 18,
  exit: 19,
  timers: 20,
} as const;

/** How a value is referred to: the number that follows, or the value with that identity. */
const IS_NUMBER = 0;
const IS_HELD = 1;
const IS_UNDEFINED = 2;

/** Longer ones are given up: 64 MB of numbers, or as many letters and bytes. */
const MOST_NUMBERS = 8 * 1024 * 1024;
const MOST_LETTERS = 64 * 1024 * 1024;
const FIRST_NUMBERS = 1024;

type Thing = string | Uint8Array;

/** What was done when the tape was written is not what happens now. */
export class TapeDiffers extends Error {
  override readonly name = 'TapeDiffers';
}

export class GoTape {
  #numbers = new Float64Array(FIRST_NUMBERS);
  #length = 0;
  #things: Thing[] = [];
  #letters = 0;
  /** Places of texts, of which many come again. */
  readonly #texts = new Map<string, number>();
  #at = 0;
  #isGivenUp = false;

  /** Another one that says the same, to be played from its beginning. */
  copy(): GoTape {
    const copy = new GoTape();
    copy.#numbers = this.#numbers.slice();
    copy.#length = this.#length;
    copy.#things = this.#things.slice();
    copy.#letters = this.#letters;
    return copy;
  }

  get length(): number {
    return this.#length;
  }

  /** Whether it has become too long, and says nothing. */
  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  get isPlaying(): boolean {
    return this.#at < this.#length;
  }

  write(...numbers: readonly number[]): void {
    for (const number of numbers) this.#push(number);
  }

  writeThing(thing: Thing): void {
    if (this.#isGivenUp) return;
    const known = typeof thing === 'string' ? this.#texts.get(thing) : undefined;
    if (known === undefined) {
      if (typeof thing === 'string') this.#texts.set(thing, this.#things.length);
      this.#things.push(thing);
      this.#letters += thing.length;
      if (this.#letters > MOST_LETTERS) return this.#giveUp();
    }
    this.#push(known ?? this.#things.length - 1);
  }

  /** A value as a program refers to it, in eight bytes of its memory. */
  writeReference(view: DataView, at: number): void {
    const number = view.getFloat64(at, true);
    if (number === 0) this.write(IS_UNDEFINED, 0);
    else if (Number.isNaN(number)) this.write(IS_HELD, view.getUint32(at, true));
    else this.write(IS_NUMBER, number);
  }

  #push(number: number): void {
    if (this.#isGivenUp) return;
    if (this.#length === MOST_NUMBERS) return this.#giveUp();
    if (this.#length === this.#numbers.length) {
      const longer = new Float64Array(this.#length * 2);
      longer.set(this.#numbers);
      this.#numbers = longer;
    }
    this.#numbers[this.#length++] = number;
    this.#at = this.#length;
  }

  #giveUp(): void {
    this.#isGivenUp = true;
    this.#numbers = new Float64Array(0);
    this.#length = this.#at = 0;
    this.#things = [];
    this.#texts.clear();
  }

  /** @throws TapeDiffers at its end */
  read(): number {
    if (this.#at >= this.#length) throw new TapeDiffers('its past has an end amid a turn');
    return this.#numbers[this.#at++] ?? 0;
  }

  readText(): string {
    return String(this.#readThing());
  }

  readBytes(): Uint8Array {
    const thing = this.#readThing();
    return typeof thing === 'string' ? new Uint8Array() : thing;
  }

  #readThing(): Thing {
    return this.#things[this.read()] ?? '';
  }

  /** `held` gives the value of an identity. */
  readReference(held: (id: number) => unknown): unknown {
    const [kind, payload] = [this.read(), this.read()];
    if (kind === IS_UNDEFINED) return undefined;
    return kind === IS_HELD ? held(payload) : payload;
  }

  /** @throws TapeDiffers where something else stands there */
  expect(what: string, number: number): void {
    const then = this.read();
    if (then !== number) throw new TapeDiffers(`${what} was ${then} in the past and is ${number} now`);
  }
}
