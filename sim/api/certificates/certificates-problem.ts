/** Whether a text holds certificates that can be believed, in the words of Go's reader for what it cannot read. */
import { elementsIn, TAG } from './der.ts';
import { pemBlocks } from './pem.ts';

/** Undefined: it has at least one, and each begins as a certificate does. */
export function certificatesProblem(pem: string): string | undefined {
  const certificates = pemBlocks(pem).filter(({ type }) => type === 'CERTIFICATE');
  if (certificates.length === 0) return 'data does not contain any valid RSA or ECDSA certificates';
  return certificates.every(({ bytes }) => isWellFormed(bytes)) ? undefined : 'x509: malformed certificate';
}

/** A signed body, the kind of the signature and the signature: what is in them shows once it is used. */
function isWellFormed(der: Uint8Array): boolean {
  const [whole, ...more] = elementsIn(der);
  if (whole?.tag !== TAG.sequence || more.length > 0 || whole.whole.length !== der.length) return false;
  const [body, kind, signature] = elementsIn(whole.content);
  return body?.tag === TAG.sequence && kind?.tag === TAG.sequence && signature?.tag === TAG.bits;
}
