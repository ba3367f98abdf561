/** Signatures of tokens, checked by Node's own cryptography. */
import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { JsonWebKey, VerifySignature } from '../apiserver/authentication/jwt/issuer-keys.ts';

const CURVES: Readonly<Record<string, string>> = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' };

/** Keys are read once: the same set is asked about many tokens. */
const known = new WeakMap<JsonWebKey, KeyObject | null>();

export const verifySignature: VerifySignature = ({ key, algorithm, signed, signature }) => {
  const read = readKey(key);
  if (!read) return false;
  const digest = `sha${algorithm.slice(2)}`;
  try {
    switch (algorithm.slice(0, 2)) {
      case 'RS':
        return key['kty'] === 'RSA' && verify(digest, signed, read, signature);
      case 'PS':
        return key['kty'] === 'RSA' && verify(digest, signed, { key: read, ...PSS }, signature);
      case 'ES':
        return (
          key['crv'] === CURVES[algorithm] &&
          verify(digest, signed, { key: read, dsaEncoding: 'ieee-p1363' }, signature)
        );
      default:
        return false;
    }
  } catch {
    return false;
  }
};

const PSS = {
  padding: constants.RSA_PKCS1_PSS_PADDING,
  saltLength: constants.RSA_PSS_SALTLEN_AUTO,
} as const;

function readKey(key: JsonWebKey): KeyObject | null {
  let read = known.get(key);
  if (read === undefined) {
    try {
      read = createPublicKey({ key: { ...key }, format: 'jwk' });
    } catch {
      read = null;
    }
    known.set(key, read);
  }
  return read;
}
