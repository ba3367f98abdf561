/**
 * The body of a write as a JSON value with its kind and apiVersion, whatever encoding it came in.
 * Errors name the problem as the real server does; which status they get is the verb's choice.
 */
import { ApiError, badRequest } from '../../api/status.ts';
import { parseJson } from '../../api/codec/strict-json.ts';
import { yamlToJson } from '../../api/codec/yaml.ts';
import { unwrapEnvelope } from '../../api/codec/envelope.ts';
import { goQuote } from '../../api/go-text.ts';
import type { Exchange } from '../exchange.ts';
import { encodingOfBody, unsupportedBody } from '../representation/negotiate.ts';

export const MAX_BODY_BYTES = 3 * 1024 * 1024;

export interface ParsedBody {
  /** JSON value; of a protobuf body the raw message, to be decoded once the kind is known. */
  readonly value: unknown;
  readonly protobuf: Uint8Array | undefined;
  readonly kind: string;
  readonly apiVersion: string;
  /** Findings of the parser: members that stand twice, already as text. */
  readonly duplicates: readonly string[];
  /** The duplicates are lines of the YAML parser's own error. */
  readonly isYaml: boolean;
  /** For messages that quote what came. */
  readonly text: string;
}

/** The body's parser failed; `message` is the text behind `couldn't get version/kind; `. */
export class BodyError extends Error {
  readonly bodyText: string;

  constructor(message: string, bodyText: string) {
    super(message);
    this.bodyText = bodyText;
  }
}

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });
const STRICT_UTF8_BOM = '\uFEFF';

export const bodyBytes = ({ request: { body } }: Exchange): Uint8Array | undefined =>
  body?.kind === 'bytes' ? body.bytes : undefined;

export function checkBodySize(bytes: Uint8Array): void {
  if (bytes.length <= MAX_BODY_BYTES) return;
  throw new ApiError({
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: limit is ${MAX_BODY_BYTES}`,
  });
}

/** @throws ApiError UnsupportedMediaType, RequestEntityTooLarge; BodyError */
export function readBody(exchange: Exchange): ParsedBody {
  const { request } = exchange;
  if (request.body?.kind === 'object') return fromObject(request.body.object);
  const encoding = encodingOfBody(request.headers['content-type']);
  if (encoding === undefined) throw unsupportedBody();
  const bytes = bodyBytes(exchange) ?? new Uint8Array();
  checkBodySize(bytes);
  if (encoding === 'protobuf') return fromProtobuf(bytes);
  const text = UTF8.decode(bytes);
  if (encoding === 'json') return fromJson(text);
  const { value, duplicates } = parsed(() => yamlToJson(text), text);
  return { ...typeMetaOf(value, text), value: value ?? {}, protobuf: undefined, duplicates, isYaml: true, text };
}

function fromJson(text: string): ParsedBody {
  if (text.startsWith(STRICT_UTF8_BOM)) {
    throw new BodyError("json parse error: invalid character 'ï' looking for beginning of value", text);
  }
  const { value, duplicates } = parsed(() => parseJson(text), text);
  return { ...typeMetaOf(value, text), value: value ?? {}, protobuf: undefined, duplicates, isYaml: false, text };
}

function fromObject(object: unknown): ParsedBody {
  const { kind, apiVersion } = typeMetaOf(object, '');
  return { value: object, protobuf: undefined, kind, apiVersion, duplicates: [], isYaml: false, text: '' };
}

function fromProtobuf(bytes: Uint8Array): ParsedBody {
  const envelope = unwrapEnvelope(bytes);
  if (!envelope) throw badRequest('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  return {
    value: undefined,
    protobuf: envelope.raw,
    kind: envelope.kind,
    apiVersion: envelope.apiVersion,
    duplicates: [],
    isYaml: false,
    text: '',
  };
}

function parsed<T>(parse: () => T, text: string): T {
  try {
    return parse();
  } catch (error) {
    throw new BodyError(`json parse error: ${error instanceof Error ? error.message : String(error)}`, text);
  }
}

function typeMetaOf(value: unknown, text: string): { kind: string; apiVersion: string } {
  if (value === null || value === undefined) return { kind: '', apiVersion: '' };
  if (typeof value !== 'object' || Array.isArray(value)) {
    const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    throw new BodyError(
      `json parse error: json: cannot unmarshal ${type} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
      text,
    );
  }
  return { kind: stringMember(value, 'kind', text), apiVersion: stringMember(value, 'apiVersion', text) };
}

function stringMember(value: object, name: string, text: string): string {
  const member: unknown = Reflect.get(value, name);
  if (member === undefined || member === null) return '';
  if (typeof member === 'string') return member;
  const type = Array.isArray(member) ? 'array' : typeof member === 'boolean' ? 'bool' : typeof member;
  throw new BodyError(`json parse error: json: cannot unmarshal ${type} into Go struct field .${name} of type string`, text);
}

const QUOTED_BYTES = 30;

/** How messages show a body that they could not read: up to 30 bytes of JSON, or a hex dump. */
export function quotedBody(bytes: Uint8Array): string {
  if (bytes.length === 0) return '<empty>';
  const isJson = /^\s*\{/.test(UTF8.decode(bytes.subarray(0, QUOTED_BYTES)));
  const shown = bytes.subarray(0, QUOTED_BYTES);
  const text = isJson ? UTF8.decode(shown) : [...shown].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return bytes.length > QUOTED_BYTES ? `${text} ...` : text;
}

export const quotedVersion = (version: string): string => goQuote(version);
