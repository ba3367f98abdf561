/**
 * Hashing without Node built-ins: two 32-bit lanes with different multipliers, good against accidents, not
 * against adversaries. A `Digest` runs over words and texts; `hashText` gives one lane of a text.
 */

const LANE_A = 0x9e3779b1 | 0;
const LANE_B = 0x85ebca6b | 0;
const TWO_32 = 0x1_0000_0000;

/** A name together with its hash, so that hot paths never hash text. */
export interface Label {
  readonly text: string;
  readonly hash: number;
}

export const label = (text: string): Label => ({ text, hash: hashText(text) });

/** Texts come again and again; more than so many different ones do not. */
const MOST_LABELS = 20_000;

/** Labels by their text, made once. */
export class Labels {
  readonly #labels = new Map<string, Label>();

  of(text: string): Label {
    const known = this.#labels.get(text);
    if (known) return known;
    if (this.#labels.size >= MOST_LABELS) this.#labels.clear();
    const made = label(text);
    this.#labels.set(text, made);
    return made;
  }
}

/** 32-bit hash (signed) of a text's code units. */
export function hashText(text: string, seed = 0): number {
  let hash = seed ^ LANE_B;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    hash ^= hash >>> 15;
  }
  return scramble(hash ^ text.length);
}

/** Every bit of the answer depends on every bit of the word (a bijection of 32-bit words). */
export function scramble(word: number): number {
  let mixed = word ^ (word >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

function mixA(state: number, word: number): number {
  const mixed = Math.imul(state ^ word, LANE_A);
  return mixed ^ (mixed >>> 15);
}

function mixB(state: number, word: number): number {
  const mixed = Math.imul((state + word) | 0, LANE_B);
  return mixed ^ (mixed >>> 13);
}

/** A running digest: equal sequences of words give equal digests, and order counts. */
export class Digest {
  #a = LANE_A;
  #b = LANE_B;

  /** Takes the low 32 bits of a word. */
  word(word: number): void {
    this.#a = mixA(this.#a, word);
    this.#b = mixB(this.#b, word);
  }

  /** Takes all 53 bits of a non-negative safe integer. */
  integer(value: number): void {
    this.word(value | 0);
    this.word((value / TWO_32) | 0);
  }

  /** As an integer and four words, in one go: what every event costs. */
  event(at: number, actor: number, kind: number, subject: number, cause: number): void {
    let a = mixA(mixA(this.#a, at | 0), (at / TWO_32) | 0);
    let b = mixB(mixB(this.#b, at | 0), (at / TWO_32) | 0);
    a = mixA(mixA(mixA(mixA(a, actor), kind), subject), cause);
    b = mixB(mixB(mixB(mixB(b, actor), kind), subject), cause);
    this.#a = a;
    this.#b = b;
  }

  text(text: string): void {
    this.word(hashText(text));
  }

  /**
   * Takes any JSON-like value, members in their own order; functions and symbols count by type alone. Members named
   * `skipped` do not count, wherever they are.
   */
  value(value: unknown, skipped?: string): void {
    if (typeof value === 'string') this.text(value);
    else if (typeof value === 'number' && Number.isSafeInteger(value)) this.integer(value);
    else if (typeof value === 'object' && value !== null) this.#members(value, skipped);
    else this.text(typeof value === 'function' || typeof value === 'symbol' ? typeof value : String(value));
  }

  #members(value: object, skipped: string | undefined): void {
    const members = value as Readonly<Record<string, unknown>>;
    for (const key in members) {
      if (key === skipped || !Object.hasOwn(members, key)) continue;
      this.text(key);
      this.value(members[key], skipped);
    }
    this.word(Array.isArray(value) ? 1 : 2);
  }

  /** One lane, for cheap comparison of prefixes. */
  get lane(): number {
    return this.#a;
  }

  /** 16 hex digits. */
  toString(): string {
    return hex32(scramble(this.#a ^ this.#b)) + hex32(scramble(this.#b));
  }
}

const hex32 = (word: number): string => (word >>> 0).toString(16).padStart(8, '0');
