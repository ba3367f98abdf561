/** Texts in the shape of a JWT, signed for this simulation: it is no cryptography. */
import { contentTag } from '../discovery/content-tag.ts';

const SECRET = 'kubesim';

export function signed(payload: object): string {
  const body = `${encode({ alg: 'RS256', kid: contentTag(SECRET) })}.${encode(payload)}`;
  return `${body}.${signatureOf(body)}`;
}

/** What was signed here; undefined: it was not. */
export function readSigned(token: string): unknown {
  const [head = '', payload = '', signature = '', ...more] = token.split('.');
  if (more.length > 0 || signature === '' || signatureOf(`${head}.${payload}`) !== signature)
    return undefined;
  const binary = atob(payload.replaceAll('-', '+').replaceAll('_', '/'));
  return JSON.parse(
    new TextDecoder().decode(Uint8Array.from(binary, (character) => character.charCodeAt(0))),
  ) as unknown;
}

const encode = (value: object): string => encodeText(JSON.stringify(value));

const encodeText = (text: string): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(text)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const signatureOf = (body: string): string => encodeText(contentTag(`${SECRET}.${body}`));
