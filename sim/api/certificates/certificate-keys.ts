/** Public keys in certificates, as far as Go's reader looks at them: of the algorithms that it knows. Pure. */
import { TAG } from './der.ts';
import { DerReader, Misread } from './der-reader.ts';

/** Contents of identifiers, byte by byte. */
const RSA = '42,134,72,134,247,13,1,1,1';
const ELLIPTIC = '42,134,72,206,61,2,1';
const ED25519 = '43,101,112';
const X25519 = '43,101,110';

const SHORT_KEY_BYTES = 32;
const NULL = 0x05;
const UNCOMPRESSED = 0x04;

/** y² = x³ − 3x + b, modulo p. */
interface Curve {
  readonly bytes: number;
  readonly p: bigint;
  readonly b: bigint;
}

const CURVES: ReadonlyMap<string, Curve> = new Map([
  [
    '43,129,4,0,33',
    {
      bytes: 28,
      p: 2n ** 224n - 2n ** 96n + 1n,
      b: 0xb4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4n,
    },
  ],
  [
    '42,134,72,206,61,3,1,7',
    {
      bytes: 32,
      p: 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n,
      b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
    },
  ],
  [
    '43,129,4,0,34',
    {
      bytes: 48,
      p: 2n ** 384n - 2n ** 128n - 2n ** 96n + 2n ** 32n - 1n,
      b: 0xb3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aefn,
    },
  ],
  [
    '43,129,4,0,35',
    {
      bytes: 66,
      p: 2n ** 521n - 1n,
      b: 0x051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00n,
    },
  ],
]);

/** `parameters`: of the algorithm, absent if there are none. */
export interface PublicKey {
  readonly algorithm: string;
  readonly parameters: Uint8Array | undefined;
  readonly bytes: Uint8Array;
}

/** @throws Misread */
export function readPublicKey({ algorithm, parameters, bytes }: PublicKey): void {
  const isGood =
    algorithm === RSA
      ? parameters?.join() === `${NULL},0` && isRsaKey(bytes)
      : algorithm === ELLIPTIC
        ? parameters !== undefined && isPoint(bytes, new DerReader(parameters).identifier())
        : algorithm !== ED25519 && algorithm !== X25519
          ? true
          : parameters === undefined && bytes.length === SHORT_KEY_BYTES;
  if (!isGood) throw new Misread();
}

function isRsaKey(bytes: Uint8Array): boolean {
  const key = new DerReader(bytes).open(TAG.sequence);
  const [modulus, exponent] = [key.number(), key.number()];
  const isPositive = (number: Uint8Array): boolean =>
    (number[0] ?? 0) < 0x80 && number.some((byte) => byte !== 0);
  return isPositive(modulus) && isPositive(exponent) && exponent.length <= 8;
}

function isPoint(bytes: Uint8Array, name: string): boolean {
  const curve = CURVES.get(name);
  if (!curve || bytes[0] !== UNCOMPRESSED || bytes.length !== 1 + 2 * curve.bytes) return false;
  const x = numberOf(bytes.subarray(1, 1 + curve.bytes));
  const y = numberOf(bytes.subarray(1 + curve.bytes));
  const { p, b } = curve;
  return x < p && y < p && (y * y - (x * x * x - 3n * x + b)) % p === 0n;
}

const numberOf = (bytes: Uint8Array): bigint => bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
