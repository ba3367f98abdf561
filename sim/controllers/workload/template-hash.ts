/**
 * The hashes in names: of a pod template (`pod-template-hash`) and of a revision's data, as 32-bit FNV-1a in letters that
 * make no words. Equal templates give equal hashes, on every machine. Pure.
 */
import { goDump } from '../../api/codec/go-dump.ts';
import { RELEASE_1_31 } from '../../api/release/release-1-31.ts';
import type { PodTemplateSpec } from '../../api/types/core-v1.ts';

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const PRIME = 0x01000193;
const OFFSET = 0x811c9dc5 | 0;
const utf8 = new TextEncoder();
/** Templates are frozen and shared by every view of an object. */
const known = new WeakMap<PodTemplateSpec, TemplateFacts>();

interface TemplateFacts {
  readonly text: string;
  readonly hash: number;
}

/** `collisionCount`: how often the name was found to be taken. */
export function podTemplateHash(template: PodTemplateSpec, collisionCount?: number): string {
  const { hash } = factsOf(template);
  return safeText(collisionCount === undefined ? hash : fnv1a(littleEndian(collisionCount), hash));
}

/** Whether they say the same, in whatever words. */
export const isEqualTemplate = (a: PodTemplateSpec, b: PodTemplateSpec): boolean =>
  factsOf(a).hash === factsOf(b).hash && factsOf(a).text === factsOf(b).text;

function factsOf(template: PodTemplateSpec): TemplateFacts {
  const present = known.get(template);
  if (present) return present;
  const text = goDump(RELEASE_1_31.catalog.types.structOf('v1.PodTemplateSpec'), template);
  const facts = { text, hash: fnv1a(utf8.encode(text), OFFSET) };
  known.set(template, facts);
  return facts;
}

/** Of the data of a ControllerRevision as a Go encoder writes it. */
export const revisionHash = (data: string, collisionCount?: number): string =>
  safeText(fnv1(utf8.encode(`${data}${collisionCount ?? ''}`)));

function fnv1a(bytes: Uint8Array, start: number): number {
  let hash = start;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, PRIME);
  return hash;
}

function fnv1(bytes: Uint8Array): number {
  let hash = OFFSET;
  for (const byte of bytes) hash = Math.imul(hash, PRIME) ^ byte;
  return hash;
}

/** In the first four of eight bytes. */
const littleEndian = (count: number): Uint8Array =>
  new Uint8Array([count & 0xff, (count >>> 8) & 0xff, (count >>> 16) & 0xff, count >>> 24, 0, 0, 0, 0]);

const safeText = (hash: number): string =>
  [...String(hash >>> 0)].map((digit) => ALPHABET[digit.charCodeAt(0) % ALPHABET.length] ?? '').join('');
