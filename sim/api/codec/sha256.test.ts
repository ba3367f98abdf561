import { createHash, createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { hmacSha256, sha256 } from './sha256.ts';

const message = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, index) => (index * 7 + length) % 256);

test.each([0, 1, 55, 56, 63, 64, 65, 119, 120, 1_000])(
  '%d bytes have the digest that they should',
  (length) => {
    const bytes = message(length);
    expect(Buffer.from(sha256(bytes)).toString('hex')).toBe(createHash('sha256').update(bytes).digest('hex'));
    const key = message(length % 130);
    const expected = createHmac('sha256', key).update(bytes).digest('hex');
    expect(Buffer.from(hmacSha256(key, bytes)).toString('hex')).toBe(expected);
  },
);
