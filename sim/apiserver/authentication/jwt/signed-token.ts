/** A token in three parts, read but not believed: what it says of its signature, its claims, and the bytes that are signed. */
import { decodeBase64 } from '../../../api/codec/base64.ts';
import { DecodeError } from '../../../api/codec/decode-error.ts';
import { Claims } from './claims.ts';

export interface SignedToken {
  readonly algorithm: string;
  /** Empty: any key may have signed it. */
  readonly keyId: string;
  /** It asks for something that nobody here understands. */
  readonly isExtended: boolean;
  readonly claims: Claims;
  readonly signed: Uint8Array;
  readonly signature: Uint8Array;
}

const TEXT = new TextDecoder();
const BYTES = new TextEncoder();

/** What the token says of its issuer, whoever wrote that; undefined: it is no such token. */
export function claimedIssuer(token: string): string | undefined {
  const parts = token.split('.');
  if (parts.length !== 3 || token.trimStart().startsWith('{')) return undefined;
  const payload = bytesOf(parts[1] ?? '');
  const claims = payload && Claims.read(TEXT.decode(payload));
  const issuer = claims?.get('iss');
  if (!claims || (issuer && issuer.kind !== 'string' && issuer.kind !== 'null')) return undefined;
  const text = issuer?.kind === 'string' ? issuer.value : '';
  return text === 'accounts.google.com' ? `https://${text}` : text;
}

/** Undefined: it cannot be read as a signed one. */
export function readSignedToken(token: string): SignedToken | undefined {
  const [head = '', payload = '', tail = ''] = token.split('.');
  const [headBytes, payloadBytes, signature] = [head, payload, tail].map(bytesOf);
  const header = headBytes && Claims.read(TEXT.decode(headBytes));
  const claims = payloadBytes && Claims.read(TEXT.decode(payloadBytes));
  if (!header || !claims || !signature) return undefined;
  const text = (name: string): string => {
    const node = header.get(name);
    return node?.kind === 'string' ? node.value : '';
  };
  return {
    algorithm: text('alg'),
    keyId: text('kid'),
    isExtended: header.get('crit') !== undefined || header.get('b64') !== undefined,
    claims,
    signed: BYTES.encode(`${head}.${payload}`),
    signature,
  };
}

/** Base64 of URLs, without padding. */
function bytesOf(text: string): Uint8Array | undefined {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return undefined;
  const padded = text.replaceAll('-', '+').replaceAll('_', '/');
  try {
    return decodeBase64(padded.padEnd(Math.ceil(padded.length / 4) * 4, '='));
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}
