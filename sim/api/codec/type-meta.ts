/** Kind and version of a body, read before its type is known. Specification: "Errors". */
import { DecodeError } from './decode-error.ts';

export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

const TARGET =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

const wordFor = (value: unknown): string => {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
};

const unreadable = (message: string): DecodeError =>
  new DecodeError(`couldn't get version/kind; json parse error: ${message}`);

/**
 * Kind and version of a parsed body; null is an object without either. Here, and only here, the
 * server takes names in any case (`Kind`).
 * @throws DecodeError `couldn't get version/kind; json parse error: …`
 */
export const typeMetaOf = (body: unknown): TypeMeta => {
  const found = { apiVersion: '', kind: '' };
  if (body === null) return found;
  if (typeof body !== 'object' || Array.isArray(body))
    throw unreadable(`json: cannot unmarshal ${wordFor(body)} into Go value of type ${TARGET}`);
  const members = body as Readonly<Record<string, unknown>>;
  for (const name in members) {
    const lowerName = name.length <= 10 ? name.toLowerCase() : name;
    const target = lowerName === 'kind' ? 'kind' : lowerName === 'apiversion' ? 'apiVersion' : undefined;
    const value = members[name];
    if (!target || value === null) continue;
    if (typeof value !== 'string')
      throw unreadable(
        `json: cannot unmarshal ${wordFor(value)} into Go struct field .${target} of type string`,
      );
    found[target] = value;
  }
  return found;
};

const QUOTED_BYTES = 30;

const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** A body as messages quote it: its beginning as text if it looks like JSON, else in hexadecimal. */
export const quotedBody = (body: Uint8Array): string => {
  if (body.length === 0) return '<empty>';
  const head = body.subarray(0, QUOTED_BYTES);
  const text = body[0] === 0x7b ? new TextDecoder().decode(head) : hexOf(head);
  return body.length > QUOTED_BYTES ? `${text} ...` : text;
};

/** `the object provided is unrecognized (must be of type ConfigMap): … ({"kind":5})` */
export const unrecognizedBody = (kind: string, why: string, body: Uint8Array): string =>
  `the object provided is unrecognized (must be of type ${kind}): ${why} (${quotedBody(body)})`;
