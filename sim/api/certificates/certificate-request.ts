/** What a certificate request (PKCS #10, in PEM and again in base64) asks for. Pure; signatures are not looked at. */
import { decodeBase64 } from '../codec/base64.ts';
import { firstPemBlock } from './pem.ts';
import { type Element, elementsIn, TAG } from './der.ts';

const TEXT = new TextDecoder();
/** 2.5.4.3 and 2.5.4.10: name and organization, which Kubernetes takes for user and group. */
const COMMON_NAME = '85,4,3';
const ORGANIZATION = '85,4,10';
/** 1.2.840.113549.1.9.14, the extensions that are wanted; 2.5.29.17, further names. */
const EXTENSION_REQUEST = '42,134,72,134,247,13,1,9,14';
const ALTERNATIVE_NAMES = '85,29,17';

const NAME_KINDS = { 0x81: 'emails', 0x82: 'dnsNames', 0x86: 'uris', 0x87: 'addresses' } as const;

export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** DER. */
  readonly subject: Uint8Array;
  /** DER. */
  readonly publicKey: Uint8Array;
  /** DER of all further names; absent: none. */
  readonly alternativeNames?: Uint8Array;
  /** How many there are of each kind. */
  readonly names: Readonly<Record<(typeof NAME_KINDS)[keyof typeof NAME_KINDS], number>>;
}

/** Undefined: it cannot be read. */
export function certificateRequestOf(base64: string): CertificateRequest | undefined {
  const block = firstPemBlock(TEXT.decode(decodeBase64(base64)));
  if (block?.type !== 'CERTIFICATE REQUEST') return undefined;
  const request = elementsIn(block.bytes)[0];
  // A request is what is asked for, an algorithm and a signature; what is asked for begins with a version and the subject.
  const asked = request?.tag === TAG.sequence ? elementsIn(request.content)[0] : undefined;
  const [, subject, publicKey, attributes] = asked?.tag === TAG.sequence ? elementsIn(asked.content) : [];
  if (subject?.tag !== TAG.sequence || publicKey?.tag !== TAG.sequence) return undefined;
  const alternativeNames = alternativeNamesIn(attributes);
  return {
    commonName: partsOfName(subject, COMMON_NAME).at(-1) ?? '',
    organizations: partsOfName(subject, ORGANIZATION),
    subject: subject.whole,
    publicKey: publicKey.whole,
    ...(alternativeNames && { alternativeNames }),
    names: countsOf(alternativeNames),
  };
}

const partsOfName = (subject: Element, type: string): readonly string[] =>
  elementsIn(subject.content).flatMap((names) =>
    names.tag === TAG.set ? elementsIn(names.content).flatMap((each) => partOf(each, type)) : [],
  );

function partOf({ tag, content }: Element, wanted: string): readonly string[] {
  if (tag !== TAG.sequence) return [];
  const [type, value] = elementsIn(content);
  return type && isNamed(type, wanted) && value ? [TEXT.decode(value.content)] : [];
}

const isNamed = ({ tag, content }: Element, wanted: string): boolean =>
  tag === TAG.identifier && content.join(',') === wanted;

function alternativeNamesIn(attributes: Element | undefined): Uint8Array | undefined {
  const extensions = elementsIn(attributes?.content ?? new Uint8Array()).flatMap(({ content }) => {
    const [type, values] = elementsIn(content);
    if (!type || !isNamed(type, EXTENSION_REQUEST) || !values) return [];
    return elementsIn(values.content).flatMap((list) => elementsIn(list.content));
  });
  const found = extensions
    .map(({ content }) => elementsIn(content))
    .find(([type]) => type && isNamed(type, ALTERNATIVE_NAMES));
  return found?.at(-1)?.content;
}

function countsOf(names: Uint8Array | undefined): CertificateRequest['names'] {
  const counts = { emails: 0, dnsNames: 0, uris: 0, addresses: 0 };
  for (const { tag } of elementsIn(elementsIn(names ?? new Uint8Array())[0]?.content ?? new Uint8Array())) {
    const kind = (NAME_KINDS as Readonly<Record<number, keyof typeof counts>>)[tag];
    if (kind) counts[kind] += 1;
  }
  return counts;
}
