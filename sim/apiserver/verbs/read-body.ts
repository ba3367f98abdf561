/**
 * The body of a write: its encoding, its text, and its type. Errors name the problem as the real
 * server does; which status they get is the verb's choice.
 */
import { parseJson } from '../../api/codec/strict-json.ts';
import { DecodeError } from '../../api/codec/decode-error.ts';
import { withExactWholes } from '../../api/codec/exact-wholes.ts';
import { ENVELOPE_PREFIX_LENGTH, isEnvelope, unwrapEnvelope } from '../../api/codec/envelope.ts';
import { type Utf8Problem, utf8ProblemOf } from '../../api/codec/utf8-problem.ts';
import { checkValues } from '../../api/codec/value-bound.ts';
import { hasControlCharacter, yamlToJson } from '../../api/codec/yaml.ts';
import { jsonTypeWord } from '../../api/patch/patch-error.ts';
import type { Json } from '../../api/object.ts';
import { ApiError } from '../../api/status.ts';
import type { Exchange } from '../request/exchange.ts';
import { boundedText } from './bounded-text.ts';
import { encodingOfBody, unsupportedBody } from '../representation/negotiate.ts';

export const MAX_BODY_BYTES = 3 * 1024 * 1024;

interface TextBody {
  readonly text: string;
  /** Its bytes are no UTF-8. */
  readonly problem?: Utf8Problem;
}

export type Body =
  | { readonly kind: 'object'; readonly value: unknown }
  | (TextBody & { readonly kind: 'json' })
  | (TextBody & { readonly kind: 'yaml'; readonly read: Exchange['readYaml'] })
  | { readonly kind: 'protobuf'; readonly bytes: Uint8Array };

/** What is a value once it has been parsed. */
export type ParsableBody = Exclude<Body, { kind: 'protobuf' }>;

export interface BodyType {
  readonly kind: string;
  readonly apiVersion: string;
}

/** The type of a body could not be read. */
export class BodyError extends Error {
  override readonly name = 'BodyError';
}

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

export const bodyBytes = ({ request: { body } }: Exchange): Uint8Array =>
  body?.kind === 'bytes' ? body.bytes : new Uint8Array();

export function checkBodySize(bytes: Uint8Array): void {
  if (bytes.length <= MAX_BODY_BYTES) return;
  throw new ApiError({
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: limit is ${MAX_BODY_BYTES}`,
  });
}

/** @throws ApiError UnsupportedMediaType, RequestEntityTooLarge */
export function readBody(exchange: Exchange): Body {
  const { request } = exchange;
  if (request.body?.kind === 'object') return { kind: 'object', value: request.body.object };
  const encoding = encodingOfBody(request.headers['content-type']);
  if (encoding === undefined) throw unsupportedBody();
  const bytes = bodyBytes(exchange);
  checkBodySize(bytes);
  if (encoding !== 'protobuf') {
    const text = boundedText(UTF8.decode(bytes), exchange.routed);
    const problem = text.includes('\ufffd') ? utf8ProblemOf(bytes) : undefined;
    const own = { text, ...(problem && { problem }) };
    return encoding === 'yaml'
      ? { kind: encoding, ...own, read: exchange.readYaml }
      : { kind: encoding, ...own };
  }
  return { kind: encoding, bytes };
}

/** Settles which encoding the body has, for whoever has to refuse it before all else. @throws ApiError UnsupportedMediaType */
export function checkEncoding({ request: { body, headers } }: Exchange): void {
  if (body?.kind !== 'object' && encodingOfBody(headers['content-type']) === undefined)
    throw unsupportedBody();
}

export interface ProtobufBody {
  readonly raw: Uint8Array;
  readonly type: BodyType;
}

/** @throws BodyError */
export function readProtobuf(bytes: Uint8Array): ProtobufBody {
  try {
    if (bytes.length === 0) throw new BodyError('empty data');
    if (bytes.length === ENVELOPE_PREFIX_LENGTH && isEnvelope(bytes)) throw new BodyError('empty body');
    const { raw, kind, apiVersion } = unwrapEnvelope(bytes);
    return { raw, type: { kind, apiVersion } };
  } catch (error) {
    throw error instanceof DecodeError ? new BodyError(error.message) : error;
  }
}

/** A JSON or YAML value with its type and the repeated members that its parser found. */
export interface ParsedBody {
  readonly value: unknown;
  readonly type: BodyType;
  readonly duplicates: readonly string[];
  /** The value says all that the text does. */
  readonly isPlain: boolean;
}

/** `isTyped`: who goes on knows of each number what it has to be. @throws BodyError */
export function parseBody(body: ParsableBody, isTyped = false): ParsedBody {
  if (body.kind === 'object')
    return { value: body.value, type: typeOf(body.value), duplicates: [], isPlain: true };
  if (body.kind === 'yaml') {
    const { value, duplicates } = parseYamlBody(body);
    return { value: value ?? {}, type: typeOf(sorted(value)), duplicates, isPlain: true };
  }
  const parsed = parseJsonBody(body, isTyped);
  return { ...parsed, value: parsed.value ?? {}, type: typeOf(parsed.value) };
}

function parseJsonBody({ text, problem }: TextBody, isTyped: boolean): ReturnType<typeof parseJson> {
  try {
    return parseJson(text, { isTyped });
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    // What stands for bytes that are no character has others.
    const shown = problem ? `'${String.fromCharCode(problem.octet)}'` : REPLACEMENT_SHOWN;
    throw unreadable(error.message.replace(REPLACEMENT_SHOWN, shown));
  }
}

/** Whatever comes first. */
const unreadableWords = (text: string, { words }: Utf8Problem): string =>
  hasControlCharacter(text.slice(0, text.indexOf('\ufffd'))) ? 'control characters are not allowed' : words;

/** How a message shows U+FFFD, by its first byte. */
const REPLACEMENT_SHOWN = "'\u00ef'";

/** YAML is made JSON before anybody asks for its type, so that its errors stand alone. */
function parseYamlBody({
  text,
  read,
  problem,
}: Extract<Body, { kind: 'yaml' }>): ReturnType<typeof yamlToJson> {
  if (problem) throw new BodyError(`yaml: ${unreadableWords(text, problem)}`);
  if (read?.kind === 'value') return { ...read, value: withExactWholes(read.value, text) };
  if (read) throw new BodyError(read.message);
  try {
    const { value, duplicates } = yamlToJson(text);
    checkValues(value);
    return { value: withExactWholes(value, text), duplicates };
  } catch (error) {
    throw error instanceof DecodeError ? new BodyError(error.message) : error;
  }
}

/** What YAML says is made a text of JSON, whose members are in the order of their names. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const unreadable = (message: string): BodyError => new BodyError(withoutType(message));

const withoutType = (message: string): string => `couldn't get version/kind; json parse error: ${message}`;

const TYPE_META_IN_GO =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** Where an object should be there is something else, by its JSON name. */
export const ofNoType = (word: string): string =>
  withoutType(`json: cannot unmarshal ${word} into Go value of type ${TYPE_META_IN_GO}`);

function typeOf(value: unknown): BodyType {
  if (value === null || value === undefined) return { kind: '', apiVersion: '' };
  if (typeof value !== 'object' || Array.isArray(value)) {
    const word = jsonTypeWord(value as Json);
    throw new BodyError(ofNoType(word));
  }
  const type = { kind: '', apiVersion: '' };
  for (const key in value) {
    // Names of members are compared as Go compares them, without regard to case; the last one counts.
    if (key.length === 4 && key.toLowerCase() === 'kind') type.kind = text(value, key, 'kind') ?? type.kind;
    else if (key.length === 10 && key.toLowerCase() === 'apiversion')
      type.apiVersion = text(value, key, 'apiVersion') ?? type.apiVersion;
  }
  return type;
}

/** Of null: undefined. */
function text(value: object, key: string, name: string): string | undefined {
  const member: unknown = Reflect.get(value, key);
  if (member === undefined || member === null) return undefined;
  if (typeof member === 'string') return member;
  const word = jsonTypeWord(member as Json);
  throw unreadable(`json: cannot unmarshal ${word} into Go struct field .${name} of type string`);
}

const QUOTED_BYTES = 30;
const OPENING_BRACE = 0x7b;

/** How messages show a body that they could not read: up to 30 bytes of JSON, or a hex dump. */
export function quotedBody(bytes: Uint8Array): string {
  if (bytes.length === 0) return '<empty>';
  const shown = bytes.subarray(0, QUOTED_BYTES);
  const isJson = shown[0] === OPENING_BRACE;
  const text = isJson
    ? UTF8.decode(shown)
    : [...shown].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return bytes.length > QUOTED_BYTES ? `${text} ...` : text;
}
