import { describe, expect, it } from 'vitest';
import { certificateFacts } from './certificate-reading.ts';
import { AUTHORITY, LEAF, RSA_AUTHORITY } from './certificates.fixture.ts';
import { firstPemBlock } from './pem.ts';

const derOf = (pem: string): Uint8Array => firstPemBlock(pem)?.bytes ?? new Uint8Array();

const changed = (pem: string, at: number, byte: number): Uint8Array => {
  const der = Uint8Array.from(derOf(pem));
  der[at] = byte;
  return der;
};

describe('a certificate', () => {
  it.each([
    ['of a curve', AUTHORITY, true],
    ['of RSA', RSA_AUTHORITY, true],
    ['that signs nobody', LEAF, false],
  ])('%s says whether it is an authority', (_, pem, isAuthority) => {
    expect(certificateFacts(derOf(pem))).toEqual({ isAuthority });
  });

  it.each([
    ['nothing', new Uint8Array()],
    ['text', new TextEncoder().encode('hello')],
    ['an empty sequence', Uint8Array.from([0x30, 0])],
    ['one that is cut', derOf(AUTHORITY).subarray(0, -1)],
    ['one with more behind it', Uint8Array.from([...derOf(AUTHORITY), 0])],
    ['another kind of signature outside than inside', changed(AUTHORITY, 298, 0x03)],
    ['a key beside its curve', changed(AUTHORITY, 160, 0x00)],
    ['a curve that nobody knows', changed(AUTHORITY, 128, 0x00)],
    ['a version that is not there', changed(AUTHORITY, 12, 0x05)],
  ])('is not %s', (_, der) => {
    expect(certificateFacts(der)).toBeUndefined();
  });

  it('is never read in part: whatever byte of its frame is another, it is another or none', () => {
    for (const at of [0, 1, 4, 5, 8, 9]) expect(certificateFacts(changed(LEAF, at, 0xff))).toBeUndefined();
  });
});
