/** SHA-256, and the code of a message that it makes with a key (HMAC). Pure: simulation rooms have no library for it. */
import { joined } from './joined.ts';

const BLOCK = 64;

const primes = function* (): Generator<number> {
  for (let candidate = 2; ; candidate++) {
    let isPrime = true;
    for (let divisor = 2; divisor * divisor <= candidate; divisor++)
      if (candidate % divisor === 0) isPrime = false;
    if (isPrime) yield candidate;
  }
};

const fraction = (value: number): number => Math.floor((value - Math.floor(value)) * 2 ** 32) | 0;

const CONSTANTS = new Int32Array(64);
const FIRST_STATE = new Int32Array(8);
let filled = 0;
for (const prime of primes()) {
  if (filled === CONSTANTS.length) break;
  if (filled < FIRST_STATE.length) FIRST_STATE[filled] = fraction(Math.sqrt(prime));
  CONSTANTS[filled++] = fraction(Math.cbrt(prime));
}

const turned = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

export function sha256(message: Uint8Array): Uint8Array {
  const state = FIRST_STATE.slice();
  const padded = paddedTo512Bits(message);
  const schedule = new Int32Array(64);
  for (let at = 0; at < padded.byteLength; at += BLOCK) mix(state, schedule, new DataView(padded.buffer, at));
  const digest = new DataView(new ArrayBuffer(32));
  for (const [index, word] of state.entries()) digest.setInt32(index * 4, word);
  return new Uint8Array(digest.buffer);
}

function paddedTo512Bits(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const padded = new Uint8Array(Math.ceil((message.length + 9) / BLOCK) * BLOCK);
  padded.set(message);
  padded[message.length] = 0x80;
  new DataView(padded.buffer).setBigUint64(padded.length - 8, BigInt(message.length) * 8n);
  return padded;
}

function mix(state: Int32Array, schedule: Int32Array, block: DataView): void {
  const word = (index: number): number => schedule[index] ?? 0;
  for (let index = 0; index < 16; index++) schedule[index] = block.getInt32(index * 4);
  for (let index = 16; index < 64; index++) {
    const [old, late] = [word(index - 15), word(index - 2)];
    const first = turned(old, 7) ^ turned(old, 18) ^ (old >>> 3);
    const second = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
    schedule[index] = word(index - 16) + first + word(index - 7) + second;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let index = 0; index < 64; index++) {
    const sumE = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const added = (h + sumE + ((e & f) ^ (~e & g)) + (CONSTANTS[index] ?? 0) + word(index)) | 0;
    const sumA = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + added) | 0, c, b, a, (added + sumA + majority) | 0];
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) state[index] = (state[index] ?? 0) + value;
}

export function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array {
  const block = new Uint8Array(BLOCK);
  block.set(key.length > BLOCK ? sha256(key) : key);
  const inner = sha256(joined([block.map((byte) => byte ^ 0x36), message]));
  return sha256(joined([block.map((byte) => byte ^ 0x5c), inner]));
}
