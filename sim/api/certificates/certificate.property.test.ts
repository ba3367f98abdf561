/** Certificates of drawn subjects and terms, as a library reads them that knows nothing of ours; and such as are none. */
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import { certificateFor } from './certificate.ts';
import { certificateFacts } from './certificate-reading.ts';
import { certificateRequestOf } from './certificate-request.ts';
import { AUTHORITY } from './certificates.fixture.ts';
import { bitString, element, identifier, integer, sequence, TAG, time } from './der.ts';
import { firstPemBlock } from './pem.ts';

const text = new TextEncoder();
const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const PUBLIC_KEY = new Uint8Array(publicKey.export({ type: 'spki', format: 'der' }));
const ECDSA = sequence(identifier('1.2.840.10045.4.3.2'));

/** Bits of the usage of a key in their order. */
const KEY_USAGES = [
  ...['digital signature', 'content commitment', 'key encipherment', 'data encipherment', 'key agreement'],
  ...['cert sign', 'crl sign', 'encipher only', 'decipher only'],
];
const EXTENDED = { 'server auth': '1.3.6.1.5.5.7.3.1', 'client auth': '1.3.6.1.5.5.7.3.2' } as const;

interface Drawn {
  readonly commonName: string | undefined;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly keyUsages: readonly string[];
  readonly extended: readonly (keyof typeof EXTENDED)[];
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

const word = fc.stringMatching(/^[a-z]{1,8}$/);
const authority = new X509Certificate(AUTHORITY);
const END_OF_AUTHORITY = Date.parse(authority.validTo);
const wholeSeconds = (min: number, max: number): fc.Arbitrary<number> =>
  fc.integer({ min: min / 1_000, max: max / 1_000 }).map((each) => each * 1_000);

const drawn: fc.Arbitrary<Drawn> = fc.record({
  commonName: fc.option(word, { nil: undefined }),
  organizations: fc.array(word, { maxLength: 3 }),
  dnsNames: fc.array(word, { maxLength: 3 }),
  keyUsages: fc.subarray(KEY_USAGES),
  extended: fc.subarray(Object.keys(EXTENDED) as (keyof typeof EXTENDED)[]),
  notBeforeMs: wholeSeconds(Date.UTC(2025, 0), Date.UTC(2030, 0)),
  notAfterMs: wholeSeconds(END_OF_AUTHORITY - 10_000, END_OF_AUTHORITY + 10_000),
});

const part = (type: string, value: string): Uint8Array =>
  element(TAG.set, sequence(identifier(type), element(TAG.utf8Text, text.encode(value))));

const subjectOf = ({ commonName, organizations }: Pick<Drawn, 'commonName' | 'organizations'>): Uint8Array =>
  sequence(
    ...organizations.map((each) => part('2.5.4.10', each)),
    ...(commonName === undefined ? [] : [part('2.5.4.3', commonName)]),
  );

const namesOf = ({ dnsNames }: Drawn): Uint8Array =>
  sequence(...dnsNames.map((each) => element(0x82, text.encode(each))));

/** As a client makes it, in PEM and again in base64. */
function requestOf(wish: Drawn): string {
  const extension = sequence(identifier('2.5.29.17'), element(TAG.octets, namesOf(wish)));
  const attribute = sequence(identifier('1.2.840.113549.1.9.14'), element(TAG.set, sequence(extension)));
  const asked = sequence(
    integer(Uint8Array.of(0)),
    subjectOf(wish),
    PUBLIC_KEY,
    element(0xa0, ...(wish.dnsNames.length > 0 ? [attribute] : [])),
  );
  const der = sequence(asked, ECDSA, bitString(Uint8Array.of(1)));
  const lines = Buffer.from(der).toString('base64');
  return btoa(`-----BEGIN CERTIFICATE REQUEST-----\n${lines}\n-----END CERTIFICATE REQUEST-----\n`);
}

/** The bits of the usage of a key, the first one first; undefined: it says nothing of them, or not that they matter. */
function usageBitsIn(der: Uint8Array): string | undefined {
  const hex = Buffer.from(der).toString('hex');
  const [, unused = '', bytes = ''] = /0603551d0f0101ff04..030[23](0.)((?:..){1,2}?)30/.exec(hex) ?? [];
  if (bytes === '') return undefined;
  const bits = BigInt(`0x${bytes}`)
    .toString(2)
    .padStart(bytes.length * 4, '0');
  return bits.slice(0, bits.length - Number(unused));
}

const bitsOf = (usages: readonly string[]): string | undefined => {
  const last = KEY_USAGES.findLastIndex((usage) => usages.includes(usage));
  const bits = KEY_USAGES.slice(0, last + 1).map((usage) => (usages.includes(usage) ? '1' : '0'));
  return last < 0 ? undefined : bits.join('');
};

it('says of its subject, its time and its usages what was asked for', () => {
  fc.assert(
    fc.property(drawn, (wish) => {
      const request = certificateRequestOf(requestOf(wish));
      const { commonName, organizations, dnsNames, keyUsages, extended, notBeforeMs, notAfterMs } = wish;
      expect(request).toMatchObject({
        commonName: commonName ?? '',
        organizations,
        names: { dnsNames: dnsNames.length, emails: 0, uris: 0, addresses: 0 },
      });
      if (!request) return;
      const pem = certificateFor(
        request,
        { usages: [...keyUsages, ...extended], notBeforeMs, notAfterMs, serialNumber: Uint8Array.of(0, 200) },
        {
          certificate: AUTHORITY,
          sign: () => sequence(integer(Uint8Array.of(1)), integer(Uint8Array.of(2))),
        },
      );
      const read = new X509Certificate(pem);
      const parts = [
        ...organizations.map((each) => `O=${each}`),
        ...(commonName === undefined ? [] : [`CN=${commonName}`]),
      ];
      expect({
        subject: read.subject ?? '',
        names: read.subjectAltName ?? '',
        from: Date.parse(read.validFrom),
        to: Date.parse(read.validTo),
        extended: read.keyUsage ?? [],
        serial: read.serialNumber,
        isAuthority: read.ca,
        isIssued: read.checkIssued(authority),
        bits: usageBitsIn(read.raw),
        // Where the subject has no name, the others are what counts.
        isCritical: Buffer.from(read.raw).toString('hex').includes('0603551d110101ff'),
        facts: certificateFacts(firstPemBlock(pem)?.bytes ?? new Uint8Array()),
      }).toEqual({
        subject: parts.join('\n'),
        names: dnsNames.map((each) => `DNS:${each}`).join(', '),
        from: notBeforeMs,
        to: Math.min(notAfterMs, END_OF_AUTHORITY),
        extended: extended.map((each) => EXTENDED[each]),
        serial: 'C8',
        isAuthority: false,
        isIssued: true,
        bits: bitsOf(keyUsages),
        isCritical: dnsNames.length > 0 && parts.length === 0,
        facts: { isAuthority: false },
      });
    }),
    asOftenAs(150),
  );
});

const extensionOf = (name: string, value: Uint8Array): Uint8Array =>
  sequence(identifier(name), element(TAG.octets, value));
const constraints = extensionOf('2.5.29.19', sequence(element(TAG.boolean, Uint8Array.of(0xff))));

/** With its length in a form that is longer than it has to be. */
const stretched = (der: Uint8Array): Uint8Array => Uint8Array.from([der[0] ?? 0, 0x81, ...der.subarray(1)]);

const strange = fc.record({
  unused: fc.integer({ min: 0, max: 8 }),
  byte: fc.integer({ min: 0, max: 255 }),
  isRepeated: fc.boolean(),
  isStretched: fc.boolean(),
  isFollowed: fc.boolean(),
});

it('is none with an extension twice, bits that mean nothing, lengths that are too long, or more behind it', () => {
  fc.assert(
    fc.property(strange, ({ unused, byte, isRepeated, isStretched, isFollowed }) => {
      const usages = extensionOf('2.5.29.15', bitString(Uint8Array.of(byte), unused));
      const extensions = sequence(constraints, usages, ...(isRepeated ? [constraints] : []));
      const name = subjectOf({ commonName: 'a', organizations: [] });
      const serial = integer(Uint8Array.of(1));
      const body = sequence(
        element(0xa0, integer(Uint8Array.of(2))),
        isStretched ? stretched(serial) : serial,
        ECDSA,
        name,
        sequence(time(0), time(1_000)),
        name,
        PUBLIC_KEY,
        element(0xa3, extensions),
      );
      const der = sequence(body, ECDSA, bitString(Uint8Array.of(1)));
      const whole = isFollowed ? Uint8Array.from([...der, 0]) : der;
      const isStrange = unused > 7 || byte % 2 ** unused !== 0 || isRepeated || isStretched || isFollowed;
      expect(certificateFacts(whole)).toEqual(isStrange ? undefined : { isAuthority: true });
    }),
    asOftenAs(300),
  );
});
