/**
 * Certificates as a cluster's signer makes them of requests: X.509, in PEM, with the usages that were asked for. Who
 * signs is a function of the bytes, so that a simulation stays what it is. Pure.
 */
import { decodeBase64, encodeBase64 } from '../codec/base64.ts';
import type { CertificateRequest } from './certificate-request.ts';
import { bitString, element, elementsIn, identifier, integer, sequence, TAG, time } from './der.ts';

/** An authority: its own certificate, and what signs for it. */
export interface Signer {
  /** PEM. */
  readonly certificate: string;
  /** ECDSA with SHA-256 over the bytes, in DER. */
  readonly sign: (bytes: Uint8Array) => Uint8Array;
}

export interface CertificateTerms {
  readonly usages: readonly string[];
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** Big-endian. */
  readonly serialNumber: Uint8Array;
}

const ECDSA_WITH_SHA256 = sequence(identifier('1.2.840.10045.4.3.2'));
const VERSION_3 = element(0xa0, integer(Uint8Array.from([2])));
const YES = element(TAG.boolean, Uint8Array.from([0xff]));

/** Bits of the usage of a key, from the first. */
const KEY_USAGES: Readonly<Record<string, number>> = {
  signing: 0,
  'digital signature': 0,
  'content commitment': 1,
  'key encipherment': 2,
  'data encipherment': 3,
  'key agreement': 4,
  'cert sign': 5,
  'crl sign': 6,
  'encipher only': 7,
  'decipher only': 8,
};

const EXTENDED_USAGES: Readonly<Record<string, string>> = {
  any: '2.5.29.37.0',
  'server auth': '1.3.6.1.5.5.7.3.1',
  'client auth': '1.3.6.1.5.5.7.3.2',
  'code signing': '1.3.6.1.5.5.7.3.3',
  'email protection': '1.3.6.1.5.5.7.3.4',
  's/mime': '1.3.6.1.5.5.7.3.4',
  'ipsec end system': '1.3.6.1.5.5.7.3.5',
  'ipsec tunnel': '1.3.6.1.5.5.7.3.6',
  'ipsec user': '1.3.6.1.5.5.7.3.7',
  timestamping: '1.3.6.1.5.5.7.3.8',
  'ocsp signing': '1.3.6.1.5.5.7.3.9',
  'microsoft sgc': '1.3.6.1.4.1.311.10.3.3',
  'netscape sgc': '2.16.840.1.113730.4.1',
};

/** Who it is for, and the key that is his. */
export type CertificateSubject = Pick<CertificateRequest, 'subject' | 'publicKey' | 'alternativeNames'>;

export function certificateFor(
  request: CertificateSubject,
  { usages, notBeforeMs, notAfterMs, serialNumber }: CertificateTerms,
  signer: Signer,
): string {
  const issuer = authorityOf(signer.certificate);
  const content = sequence(
    VERSION_3,
    integer(serialNumber),
    ECDSA_WITH_SHA256,
    issuer.subject,
    sequence(time(notBeforeMs), time(Math.min(notAfterMs, issuer.notAfterMs))),
    request.subject,
    request.publicKey,
    element(0xa3, sequence(...extensionsOf(request, usages, issuer.keyIdentifier))),
  );
  return pemOf(sequence(content, ECDSA_WITH_SHA256, bitString(signer.sign(content))));
}

const extension = (name: string, value: Uint8Array, isCritical = false): Uint8Array =>
  sequence(identifier(name), ...(isCritical ? [YES] : []), element(TAG.octets, value));

function extensionsOf(
  { subject, alternativeNames }: CertificateSubject,
  usages: readonly string[],
  keyIdentifier: Uint8Array | undefined,
): readonly Uint8Array[] {
  const bits = usages.flatMap((usage) => KEY_USAGES[usage] ?? []);
  const extended = [...new Set(usages.flatMap((usage) => EXTENDED_USAGES[usage] ?? []))];
  const isUnnamed = elementsIn(subject)[0]?.content.length === 0;
  return [
    ...(bits.length > 0 ? [extension('2.5.29.15', usageBits(bits), true)] : []),
    ...(extended.length > 0 ? [extension('2.5.29.37', sequence(...extended.map(identifier)))] : []),
    extension('2.5.29.19', sequence(), true),
    ...(keyIdentifier ? [extension('2.5.29.35', sequence(element(0x80, keyIdentifier)))] : []),
    ...(alternativeNames ? [extension('2.5.29.17', alternativeNames, isUnnamed)] : []),
  ];
}

function usageBits(bits: readonly number[]): Uint8Array {
  const last = Math.max(...bits);
  const bytes = new Uint8Array(Math.floor(last / 8) + 1);
  for (const bit of bits) {
    const at = Math.floor(bit / 8);
    bytes[at] = (bytes[at] ?? 0) | (0x80 >> (bit % 8));
  }
  return bitString(bytes, 7 - (last % 8));
}

interface AuthorityFacts {
  readonly subject: Uint8Array;
  readonly notAfterMs: number;
  readonly keyIdentifier?: Uint8Array;
}

const known = new Map<string, AuthorityFacts>();

/** Of the certificate of an authority, in PEM. */
function authorityOf(pem: string): AuthorityFacts {
  const before = known.get(pem);
  if (before) return before;
  const [certificate] = elementsIn(decodeBase64(pem.replaceAll(/-----[^-]+-----|\s/g, '')));
  const [content] = elementsIn(certificate?.content ?? new Uint8Array());
  const members = elementsIn(content?.content ?? new Uint8Array());
  const [, , , , validity, subject] = members;
  const keyIdentifier = keyIdentifierIn(members.at(-1)?.content ?? new Uint8Array());
  const facts = {
    subject: subject?.whole ?? sequence(),
    notAfterMs: timeMs(elementsIn(validity?.content ?? new Uint8Array())[1]?.content),
    ...(keyIdentifier && { keyIdentifier }),
  };
  known.clear();
  known.set(pem, facts);
  return facts;
}

/** 2.5.29.14. */
const SUBJECT_KEY_IDENTIFIER = '85,29,14';

function keyIdentifierIn(extensions: Uint8Array): Uint8Array | undefined {
  const found = elementsIn(elementsIn(extensions)[0]?.content ?? new Uint8Array())
    .map(({ content }) => elementsIn(content))
    .find(([type]) => type?.content.join(',') === SUBJECT_KEY_IDENTIFIER);
  return elementsIn(found?.at(-1)?.content ?? new Uint8Array())[0]?.content;
}

/** Of either form of a time. */
function timeMs(content: Uint8Array = new Uint8Array()): number {
  const text = new TextDecoder().decode(content);
  const whole = text.length < 15 ? `20${text}` : text;
  return Date.parse(whole.replace(/^(....)(..)(..)(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));
}

const LINE = /.{1,64}/g;

const pemOf = (der: Uint8Array): string =>
  `-----BEGIN CERTIFICATE-----\n${(encodeBase64(der).match(LINE) ?? []).join('\n')}\n-----END CERTIFICATE-----\n`;
