/**
 * What is wrong with the DER of a certificate request, in the words of Go's parser, which reads it element by element.
 * Looks as deep as to what is asked for; what stands in names, keys, extensions and signatures is let through.
 */
import { TAG } from './der.ts';

interface Header {
  readonly class: number;
  readonly tag: number;
  readonly isCompound: boolean;
  readonly length: number;
  /** Where the content begins. */
  readonly start: number;
}

const SEQUENCE = TAG.sequence & 0x1f;
const PARAMETERS =
  '{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false}';

/** Ends the reading with Go's words. */
class Misread extends Error {}

const syntaxError = (what: string): Misread => new Misread(`asn1: syntax error: ${what}`);
const structureError = (what: string): Misread => new Misread(`asn1: structure error: ${what}`);

/** Undefined: nothing that this looks at. */
export function requestProblem(der: Uint8Array): string | undefined {
  try {
    const request = elementAt(der, 0, SEQUENCE, 'certificateRequest');
    const asked = elementAt(request.content, 0, SEQUENCE, 'tbsCertificateRequest');
    const version = elementAt(asked.content, 0, TAG.integer, 'int');
    // Names are kept as they are, and read for themselves.
    const rest = asked.content.subarray(version.end);
    const subject = elementAt(rest, 0, SEQUENCE, 'RDNSequence');
    elementAt(asked.content, version.end + subject.end, SEQUENCE, 'publicKeyInfo');
    elementAt(request.content, asked.end, SEQUENCE, 'AlgorithmIdentifier');
    if (request.end < der.length) throw syntaxError('trailing data');
    return undefined;
  } catch (error) {
    if (error instanceof Misread) return error.message;
    throw error;
  }
}

interface Read {
  readonly content: Uint8Array;
  readonly end: number;
}

/** `what` is the name of the Go type that is wanted there. */
function elementAt(der: Uint8Array, at: number, tag: number, what: string): Read {
  if (at >= der.length) throw syntaxError('sequence truncated');
  const { start, length, ...header } = headerAt(der, at);
  const isWanted = header.class === 0 && header.tag === tag && header.isCompound === (tag === SEQUENCE);
  if (!isWanted) {
    const found = `{class:${header.class} tag:${header.tag} length:${length} isCompound:${header.isCompound}}`;
    throw structureError(`tags don't match (${tag} vs ${found}) ${PARAMETERS} ${what} @${start}`);
  }
  if (start + length > der.length) throw syntaxError('data truncated');
  return { content: der.subarray(start, start + length), end: start + length };
}

function headerAt(der: Uint8Array, at: number): Header {
  const first = der[at] ?? 0;
  if ((first & 0x1f) === 0x1f) throw syntaxError('non-minimal tag');
  const head = { class: first >> 6, tag: first & 0x1f, isCompound: (first & 0x20) !== 0 };
  const byte = byteAt(der, at + 1);
  if (byte < 0x80) return { ...head, length: byte, start: at + 2 };
  const count = byte & 0x7f;
  if (count === 0) throw syntaxError('indefinite length found (not DER)');
  let length = 0;
  for (let index = 0; index < count; index += 1) {
    const next = byteAt(der, at + 2 + index);
    if (length >= 1 << 23) throw structureError('length too large');
    length = length * 256 + next;
    if (length === 0) throw structureError('superfluous leading zeros in length');
  }
  if (length < 0x80) throw structureError('non-minimal length');
  return { ...head, length, start: at + 2 + count };
}

function byteAt(der: Uint8Array, at: number): number {
  const byte = der[at];
  if (byte === undefined) throw syntaxError('truncated tag or length');
  return byte;
}
