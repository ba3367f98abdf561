/**
 * Where the time at which a program was initialized shows in its memory, and how: found by holding two memories against each
 * other that differ in nothing else. A word is either a time in one of the forms that Go has, or belongs to a generator of
 * `math/rand` that was seeded with one, or has coins in it that such a generator threw. Moving all of them to another time
 * gives what would have come of an initialization then, which a third memory confirms. Halves of a time are what is left of
 * it on a stack, under something shorter, where nobody reads them.
 */
import { type Form, FORMS, type ProgramTime } from './program-time.ts';
import { isFirstCoinZero, seededState, STATE_WORDS, tableOf, type Words } from './seeded-generator.ts';
import { isAsMoved, TIME_PARTS, type TimePart } from './time-parts.ts';

/** An initialization: when it was, and what came of it. */
export interface Initialized {
  readonly time: ProgramTime;
  readonly memory: Uint8Array;
}

export class MovedWords {
  readonly #from: ProgramTime;
  readonly #times = new Map<number, { readonly form: Form; readonly part: TimePart }>();
  readonly #generators: readonly Generator607[];
  readonly #coins = new Map<number, Coin>();
  /** Whether every word that differs is explained. */
  readonly isComplete: boolean;

  constructor(before: Initialized, after: Initialized) {
    this.#from = before.time;
    const pair: Pair = { before, after, words: wordsOf(before.memory), others: wordsOf(after.memory) };
    const unexplained: Run[] = [];
    for (const at of differing(pair.words, pair.others)) {
      const found = timeIn(pair, at);
      if (found) this.#times.set(at, found);
      else extend(unexplained, at);
    }
    this.#generators = unexplained.flatMap((run) => generatorAt(run, pair) ?? []);
    const known = new Set(this.#generators.map(({ at }) => at));
    const rest = unexplained.filter(({ at }) => !known.has(at));
    const table = this.#generators[0]?.table;
    for (const { at, length } of rest)
      for (let word = at; table && word < at + length; word++)
        for (const coin of coinsIn(pair, word, table)) this.#coins.set(coin.at, coin);
    this.isComplete =
      before.memory.length === after.memory.length &&
      rest.every(({ at, length }) => this.#hasCoins(pair, at, length));
  }

  /** Moves the memory of the first to another time. */
  move(memory: Uint8Array, to: ProgramTime): void {
    const words = wordsOf(memory);
    for (const [at, { form, part }] of this.#times)
      words[at] = part.moved(words[at] ?? 0n, form(to) - form(this.#from));
    for (const { at, form, draws, table } of this.#generators)
      words.set(BigUint64Array.from(seededState(table, form(to), draws)), at);
    for (const [at, { form, table }] of this.#coins) memory[at] = isFirstCoinZero(table, form(to)) ? 1 : 0;
  }

  /** Whether a move gives what an initialization at another time has given. */
  isConfirmedBy(first: Uint8Array, { time, memory }: Initialized): boolean {
    if (first.length !== memory.length) return false;
    const moved = first.slice();
    this.move(moved, time);
    const [words, real] = [wordsOf(moved), wordsOf(memory)];
    for (const at of differing(words, real)) {
      const known = this.#times.get(at);
      if (!known || !isAsMoved(known.part, words[at] ?? 0n, real[at] ?? 0n)) return false;
    }
    return true;
  }

  #hasCoins({ before, after }: Pair, at: number, length: number): boolean {
    for (let byte = at * 8; byte < (at + length) * 8; byte++)
      if (before.memory[byte] !== after.memory[byte] && !this.#coins.has(byte)) return false;
    return true;
  }
}

interface Pair {
  readonly before: Initialized;
  readonly after: Initialized;
  readonly words: BigUint64Array;
  readonly others: BigUint64Array;
}

interface Run {
  readonly at: number;
  length: number;
}

interface Generator607 {
  readonly at: number;
  readonly form: Form;
  readonly draws: number;
  readonly table: Words;
}

/** One byte. */
interface Coin {
  readonly at: number;
  readonly form: Form;
  readonly table: Words;
}

const wordsOf = (memory: Uint8Array): BigUint64Array =>
  new BigUint64Array(memory.buffer, memory.byteOffset, memory.length / 8);

const BLOCK_WORDS = 512;

/** Memories are alike but for little: whole blocks are compared first. */
function* differing(words: BigUint64Array, others: BigUint64Array): Generator<number> {
  for (let block = 0; block < words.length; block += BLOCK_WORDS) {
    if (Buffer.compare(blockOf(words, block), blockOf(others, block)) === 0) continue;
    for (let at = block; at < block + BLOCK_WORDS && at < words.length; at++)
      if (words[at] !== others[at]) yield at;
  }
}

const blockOf = (words: BigUint64Array, from: number): Buffer =>
  Buffer.from(words.buffer, words.byteOffset + from * 8, Math.min(BLOCK_WORDS, words.length - from) * 8);

function extend(runs: Run[], at: number): void {
  const last = runs.at(-1);
  if (last && last.at + last.length === at) last.length++;
  else runs.push({ at, length: 1 });
}

function timeIn(
  { before, after, words, others }: Pair,
  at: number,
): { readonly form: Form; readonly part: TimePart } | undefined {
  for (const part of TIME_PARTS)
    for (const form of FORMS)
      if (part.explains(words[at] ?? 0n, others[at] ?? 0n, form(after.time) - form(before.time)))
        return { form, part };
  return undefined;
}

/** Draws of an initialization, at the most. */
const MOST_DRAWS = 8;

function generatorAt({ at, length }: Run, { before, after, words, others }: Pair): Generator607 | undefined {
  if (length !== STATE_WORDS) return undefined;
  const [state, other] = [[...words.subarray(at, at + length)], [...others.subarray(at, at + length)]];
  for (const form of FORMS)
    for (let draws = 0; draws <= MOST_DRAWS; draws++) {
      const table = tableOf(state, form(before.time), draws);
      const again = tableOf(other, form(after.time), draws);
      if (table.every((word, index) => word === again[index])) return { at, form, draws, table };
    }
  return undefined;
}

function coinsIn({ before, after }: Pair, word: number, table: Words): readonly Coin[] {
  const coins: Coin[] = [];
  for (let at = word * 8; at < word * 8 + 8; at++) {
    if (before.memory[at] === after.memory[at]) continue;
    const form = FORMS.find((each) =>
      [before, after].every(
        ({ memory, time }) => memory[at] === (isFirstCoinZero(table, each(time)) ? 1 : 0),
      ),
    );
    if (form) coins.push({ at, form, table });
  }
  return coins;
}
