/**
 * Chance. Every nondeterministic decision of a run is an answer at a named *site*: the name says component
 * and meaning, the occurrence counts how often that site was asked. The seed answers by a hash of (seed,
 * site, occurrence), so a new consumer shifts nobody else's answers. Every question has a *default* (first
 * option, nominal latency, no fault, smallest value); answers are integers of which 0 is the default, and
 * only the others are kept. This choice log replays a run, survives edits of the code that asks (an answer
 * that finds no question is counted, not fatal) and shrinks by dropping answers.
 * *Values* (identifiers, tokens) are drawn at sites too but decide nothing and stay out of the log.
 */

import { hashText, scramble } from './digest.ts';
import { invariant } from './invariant.ts';
import { uuidText } from './uuid-text.ts';

/** One answer that is not the default: at the n-th occurrence (from 0) of a site. */
export interface ChoiceAnswer {
  readonly site: string;
  readonly occurrence: number;
  /** Never 0; the site's kind of question gives it meaning: an index, a distance from the default. */
  readonly answer: number;
}

export type ChoiceLog = readonly ChoiceAnswer[];

export interface ChoicesOptions {
  /** Safe integer. */
  readonly seed: number;
  /** Answers instead of the seed; questions without an answer get their default. */
  readonly replay?: ChoiceLog;
  /** Whether answers are kept for `log()`; default true. A server that runs for days switches it off. */
  readonly isRecording?: boolean;
}

/** Where answers come from: the seed, or a log. Values always come from the seed. */
export class Choices {
  readonly isRecording: boolean;
  #seed: number;
  #replay: Map<string, Map<number, number>> | undefined;
  readonly #sites = new Map<string, ChoiceSite>();
  /** Kept from before `continueWith`, where later answers come from elsewhere. */
  #misfits: ChoiceAnswer[] = [];

  constructor({ seed, replay, isRecording = true }: ChoicesOptions) {
    invariant(Number.isSafeInteger(seed), 'a seed is a safe integer', { seed });
    this.#seed = seed;
    this.isRecording = isRecording;
    this.#replay = replay && groupBySite(replay);
  }

  get seed(): number {
    return this.#seed;
  }

  /** The site of this name; asked twice, it is the same one. Keep the handle where the question is frequent. */
  site(name: string): ChoiceSite {
    let site = this.#sites.get(name);
    if (!site) {
      site = new ChoiceSite(
        name,
        this.#seed,
        this.isRecording,
        this.#replay ? this.#answersFor(name) : undefined,
      );
      this.#sites.set(name, site);
    }
    return site;
  }

  #answersFor(name: string): Map<number, number> {
    return this.#replay?.get(name) ?? new Map<number, number>();
  }

  /** From now on the given seed answers: the same past, a different future. */
  continueWith(seed: number): void {
    invariant(Number.isSafeInteger(seed), 'a seed is a safe integer', { seed });
    for (const site of this.#sites.values()) {
      for (const stray of site.strayAnswers()) this.#misfits.push(stray);
      site.answerBy(seed);
    }
    this.#seed = seed;
    this.#replay = undefined;
  }

  /** All answers so far that differ from their default: by site in order of first use, then by occurrence. */
  log(): ChoiceLog {
    return [...this.#sites.values()].flatMap((site) => site.log());
  }

  /** Answers of the replayed log that no question has asked for so far, or that were not among its options. */
  strayAnswers(): ChoiceLog {
    const unvisited = [...(this.#replay ?? [])].filter(([name]) => !this.#sites.has(name));
    return [
      ...this.#misfits,
      ...[...this.#sites.values()].flatMap((site) => site.strayAnswers()),
      ...unvisited.flatMap(([site, answers]) =>
        [...answers].map(([occurrence, answer]) => ({ site, occurrence, answer })),
      ),
    ];
  }
}

const TWO_32 = 0x1_0000_0000;
const TWO_21 = 0x20_0000;

/** One named place where the simulation asks. Made by `Choices.site`. */
export class ChoiceSite {
  readonly name: string;
  #laneA = 0;
  #laneB = 0;
  #asked = 0;
  #valuesDrawn = 0;
  #replay: Map<number, number> | undefined;
  readonly #isRecording: boolean;
  /** Occurrence and answer alternate: cheaper than an object for each answer. */
  readonly #kept: number[] = [];
  #misfits: ChoiceAnswer[] = [];

  constructor(name: string, seed: number, isRecording: boolean, replay: Map<number, number> | undefined) {
    this.name = name;
    this.#isRecording = isRecording;
    this.answerBy(seed);
    this.#replay = replay;
  }

  /** For `Choices.continueWith`. */
  answerBy(seed: number): void {
    this.#laneA = scramble(hashText(this.name, seed | 0));
    this.#laneB = scramble(hashText(this.name, Math.floor(seed / TWO_32) ^ 0x5bd1e995) ^ this.#laneA);
    this.#replay = undefined;
  }

  /** One of several options; the first is the default. */
  pick<T>(options: readonly T[]): T {
    invariant(options.length > 0, 'a choice needs options', { site: this.name });
    return options[this.int(0, options.length - 1)] as T;
  }

  /** An integer from min to max, both included; min is the default. */
  int(min: number, max: number): number {
    return this.around(min, min, max);
  }

  /** True with the given probability (0 to 1); false is the default. */
  bool(probability: number): boolean {
    const occurrence = this.#asked++;
    const answer = this.#replay
      ? this.#replayed(occurrence, 0, 1)
      : this.#word(occurrence) < probability * TWO_32
        ? 1
        : 0;
    if (answer !== 0) this.#keep(occurrence, answer);
    return answer === 1;
  }

  /**
   * An integer from min to max whose default is the nominal value. Below and above it are equally likely (where
   * both exist); below spreads evenly, above thins out quadratically towards max, as latencies do; where nominal
   * is min (`int`), all values are equally likely.
   */
  around(min: number, nominal: number, max: number): number {
    const occurrence = this.#asked++;
    const answer = this.#replay
      ? this.#replayed(occurrence, min - nominal, max - nominal)
      : this.#spread(occurrence, nominal - min, max - nominal);
    if (answer !== 0) this.#keep(occurrence, answer);
    return nominal + answer;
  }

  #spread(occurrence: number, below: number, above: number): number {
    const word = this.#word(occurrence);
    if (below === 0) return this.#upTo(occurrence, word, above);
    const fraction = (word >>> 1) / (TWO_32 / 2);
    if ((word & 1) === 0 || above === 0) return 0 - Math.floor(fraction * (below + 1));
    return Math.floor(fraction * fraction * (above + 1));
  }

  /** 0 to above, evenly. Wide ranges need more than 32 random bits. */
  #upTo(occurrence: number, word: number, above: number): number {
    if (above < TWO_21) return Math.floor((word * (above + 1)) / TWO_32);
    const fine = scramble(this.#laneB ^ Math.imul(occurrence, 0x27d4eb2f) ^ word) >>> 11;
    return Math.min(above, Math.floor(((word * TWO_21 + fine) / (TWO_32 * TWO_21)) * (above + 1)));
  }

  /** A value of 32 random bits that decides nothing; not in the log. */
  uint32(): number {
    // Values count apart from questions, and from the other end, so that neither shifts the other.
    return this.#word(-1 - this.#valuesDrawn++);
  }

  /** Lower-case hexadecimal digits of a value. */
  hex(digits: number): string {
    let text = '';
    while (text.length < digits) text += this.uint32().toString(16).padStart(8, '0');
    return text.slice(0, digits);
  }

  /** Random bytes of a value. */
  bytes(count: number): Uint8Array {
    const bytes = new Uint8Array(count);
    let word = 0;
    for (let index = 0; index < count; index++) {
      word = index % 4 === 0 ? this.uint32() : word >>> 8;
      bytes[index] = word;
    }
    return bytes;
  }

  /** A version 4 UUID in its usual text form. */
  uuid(): string {
    const a = this.uint32();
    const b = this.uint32();
    const c = this.uint32();
    const d = this.uint32();
    const version = 0x4000 | (b & 0x0fff);
    const variant = 0x8000 | ((c >>> 16) & 0x3fff);
    return uuidText(a, (b & 0xffff0000) | version, (variant << 16) | (c & 0xffff), d);
  }

  log(): ChoiceLog {
    const answers: ChoiceAnswer[] = [];
    for (let index = 0; index < this.#kept.length; index += 2) {
      const [occurrence = 0, answer = 0] = this.#kept.slice(index, index + 2);
      answers.push({ site: this.name, occurrence, answer });
    }
    return answers;
  }

  strayAnswers(): ChoiceLog {
    const unasked = [...(this.#replay ?? [])].filter(([occurrence]) => occurrence >= this.#asked);
    return [
      ...this.#misfits,
      ...unasked.map(([occurrence, answer]) => ({ site: this.name, occurrence, answer })),
    ];
  }

  /** The logged answer, if there is one and it is still among the options. */
  #replayed(occurrence: number, least: number, most: number): number {
    const answer = this.#replay?.get(occurrence) ?? 0;
    if (answer >= least && answer <= most) return answer;
    this.#misfits.push({ site: this.name, occurrence, answer });
    return 0;
  }

  #keep(occurrence: number, answer: number): void {
    if (this.#isRecording) this.#kept.push(occurrence, answer);
  }

  /** 0 to 2^32 - 1: a function of seed, name and occurrence alone. */
  #word(occurrence: number): number {
    const mixed = scramble(this.#laneA ^ Math.imul(occurrence, 0x9e3779b1));
    return scramble((mixed + this.#laneB) | 0) >>> 0;
  }
}

function groupBySite(log: ChoiceLog): Map<string, Map<number, number>> {
  const groups = new Map<string, Map<number, number>>();
  for (const { site, occurrence, answer } of log) {
    const group = groups.get(site) ?? new Map<number, number>();
    group.set(occurrence, answer);
    groups.set(site, group);
  }
  return groups;
}
