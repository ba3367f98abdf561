/**
 * What becomes of a seed in a generator of Go's `math/rand` (`rngSource`): each of its words is the seed's mixed with one of
 * a table that is always the same, and every draw puts the sum of two words in place of one.
 */

export const STATE_WORDS = 607;
const TAP = 273;
const SKIPPED = 20;
const MODULUS = 0x7fff_ffffn;
const IN_PLACE_OF_ZERO = 89_482_311;

export type Words = readonly bigint[];

const wrapped = (word: bigint): bigint => BigInt.asUintN(64, word);

/** What each word is before it is mixed. */
function seededWords(seed: bigint): Words {
  let state = Number(((BigInt.asIntN(64, seed) % MODULUS) + MODULUS) % MODULUS) || IN_PLACE_OF_ZERO;
  const next = (): bigint => {
    state = (state * 48_271) % 0x7fff_ffff;
    return BigInt(state);
  };
  for (let skipped = 0; skipped < SKIPPED; skipped++) next();
  return Array.from({ length: STATE_WORDS }, () => wrapped((next() << 40n) ^ (next() << 20n) ^ next()));
}

/** Which word a draw replaces, and which one it adds to it. */
const drawn = (draw: number): readonly [feed: number, tap: number] => [
  STATE_WORDS - TAP - 1 - draw,
  STATE_WORDS - 1 - draw,
];

/** The state of a generator that was seeded and then drawn from so often. */
export function seededState(table: Words, seed: bigint, draws: number): Words {
  const state = seededWords(seed).map((word, index) => word ^ (table[index] ?? 0n));
  for (let draw = 0; draw < draws; draw++) {
    const [feed, tap] = drawn(draw);
    state[feed] = wrapped((state[feed] ?? 0n) + (state[tap] ?? 0n));
  }
  return state;
}

/** The table by which a seed and so many draws explain a state. */
export function tableOf(state: Words, seed: bigint, draws: number): Words {
  const seeded = [...state];
  for (let draw = draws - 1; draw >= 0; draw--) {
    const [feed, tap] = drawn(draw);
    seeded[feed] = wrapped((seeded[feed] ?? 0n) - (seeded[tap] ?? 0n));
  }
  const words = seededWords(seed);
  return seeded.map((word, index) => word ^ (words[index] ?? 0n));
}

/** `rand.New(rand.NewSource(seed)).Intn(2) == 0`. */
export function isFirstCoinZero(table: Words, seed: bigint): boolean {
  const [feed] = drawn(0);
  return (((seededState(table, seed, 1)[feed] ?? 0n) >> 32n) & 1n) === 0n;
}
