/** What a certificate request (PKCS #10, in PEM and again in base64) says of its subject. */
import { decodeBase64 } from '../../../../api/codec/base64.ts';

const TEXT = new TextDecoder();
const SEQUENCE = 0x30;
const SET = 0x31;
const OBJECT_IDENTIFIER = 0x06;
/** 2.5.4.10, the organization: what Kubernetes takes for a group. */
const ORGANIZATION = '85,4,10';

interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
}

/** Organizations of the subject; none if the request cannot be read. */
export function organizationsOfRequest(base64: string): readonly string[] {
  const pem = TEXT.decode(decodeBase64(base64));
  const body = /-----BEGIN CERTIFICATE REQUEST-----([A-Za-z0-9+/=\s]*)-----END/.exec(pem)?.[1];
  if (body === undefined) return [];
  const request = elementsIn(decodeBase64(body.replaceAll(/\s/g, '')))[0];
  // A request is what is asked for, an algorithm and a signature; what is asked for begins with a version and the subject.
  const asked = request?.tag === SEQUENCE ? elementsIn(request.content)[0] : undefined;
  const subject = asked?.tag === SEQUENCE ? elementsIn(asked.content)[1] : undefined;
  if (subject?.tag !== SEQUENCE) return [];
  return elementsIn(subject.content).flatMap((names) =>
    names.tag === SET ? elementsIn(names.content).flatMap(organizationOf) : [],
  );
}

function organizationOf({ tag, content }: Element): readonly string[] {
  if (tag !== SEQUENCE) return [];
  const [type, value] = elementsIn(content);
  const isOrganization = type?.tag === OBJECT_IDENTIFIER && type.content.join(',') === ORGANIZATION;
  return isOrganization && value ? [TEXT.decode(value.content)] : [];
}

/** The elements of DER, one behind the other; what is cut off is left out. */
function elementsIn(der: Uint8Array): readonly Element[] {
  const elements: Element[] = [];
  for (let at = 0; at + 1 < der.length;) {
    const tag = der[at] ?? 0;
    const first = der[at + 1] ?? 0;
    const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
    const start = at + 2 + lengthBytes;
    const length =
      lengthBytes === 0 ? first : der.subarray(at + 2, start).reduce((sum, byte) => sum * 256 + byte, 0);
    if (start + length > der.length) break;
    elements.push({ tag, content: der.subarray(start, start + length) });
    at = start + length;
  }
  return elements;
}
