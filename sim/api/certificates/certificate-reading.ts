/**
 * Reads a certificate (X.509, DER) as strictly as Go's reader does: lengths are minimal, nothing is left over, no extension
 * comes twice, keys are keys. Signatures are not looked at. Pure.
 */
import { TAG } from './der.ts';
import { DerReader, Misread } from './der-reader.ts';
import { readExtension } from './certificate-extensions.ts';
import { readPublicKey } from './certificate-keys.ts';

export interface CertificateFacts {
  /** It may sign others: its basic constraints say so. */
  readonly isAuthority: boolean;
}

const VERSION = 0xa0;
const ISSUER_ID = 0x81;
const SUBJECT_ID = 0x82;
const EXTENSIONS = 0xa3;
const WITH_IDS = 2;
const WITH_EXTENSIONS = 3;

/** Undefined: it cannot be read. */
export function certificateFacts(der: Uint8Array): CertificateFacts | undefined {
  try {
    const outer = new DerReader(der);
    const certificate = outer.open(TAG.sequence);
    outer.end();
    const body = certificate.open(TAG.sequence);
    const algorithm = certificate.take(TAG.sequence);
    const facts = readBody(body, algorithm.whole);
    certificate.bytesOfBits();
    return facts;
  } catch (error) {
    if (error instanceof Misread) return undefined;
    throw error;
  }
}

function readBody(body: DerReader, algorithm: Uint8Array): CertificateFacts {
  const version = readVersion(body);
  body.number();
  const own = body.take(TAG.sequence);
  if (own.whole.join() !== algorithm.join()) throw new Misread();
  readAlgorithm(new DerReader(own.content));
  readName(body.open(TAG.sequence));
  const validity = body.open(TAG.sequence);
  validity.time();
  validity.time();
  readName(body.open(TAG.sequence));
  readKey(body.open(TAG.sequence));
  if (version >= WITH_IDS) for (const tag of [ISSUER_ID, SUBJECT_ID]) body.optional(tag);
  const extensions = version >= WITH_EXTENSIONS ? body.optional(EXTENSIONS) : undefined;
  return { isAuthority: extensions !== undefined && readExtensions(extensions) };
}

function readVersion(body: DerReader): number {
  const stated = body.optional(VERSION);
  if (!stated) return 1;
  const version = stated.smallNumber() + 1;
  stated.end();
  if (version < 1 || version > WITH_EXTENSIONS) throw new Misread();
  return version;
}

interface Algorithm {
  readonly algorithm: string;
  readonly parameters: Uint8Array | undefined;
}

function readAlgorithm(reader: DerReader): Algorithm {
  const algorithm = reader.identifier();
  return { algorithm, parameters: reader.isAtEnd ? undefined : reader.any().whole };
}

function readName(name: DerReader): void {
  while (!name.isAtEnd) {
    const parts = name.open(TAG.set);
    while (!parts.isAtEnd) {
      const part = parts.open(TAG.sequence);
      part.identifier();
      part.text();
    }
  }
}

function readKey(key: DerReader): void {
  const algorithm = readAlgorithm(key.open(TAG.sequence));
  readPublicKey({ ...algorithm, bytes: key.bytesOfBits() });
}

function readExtensions(wrapped: DerReader): boolean {
  const extensions = wrapped.open(TAG.sequence);
  const seen = new Set<string>();
  let isAuthority = false;
  while (!extensions.isAtEnd) {
    const extension = extensions.open(TAG.sequence);
    const name = extension.identifier();
    if (extension.isNext(TAG.boolean)) extension.boolean();
    const { content } = extension.take(TAG.octets);
    if (seen.has(name)) throw new Misread();
    seen.add(name);
    isAuthority = readExtension(name, new DerReader(content)) || isAuthority;
  }
  return isAuthority;
}
