/**
 * The opaque token of the next page: the version of the first page and the place to go on from.
 * A version of -1 goes on at the newest state. Specification: "Chunked list".
 */
import type { Json } from '../../api/object.ts';
import { jsonTypeWord } from '../../api/patch/patch-error.ts';
import { ApiError, badRequest } from '../../api/status.ts';

export interface Continuation {
  readonly revision: number;
  /** Key below the list's prefix, inclusive. */
  readonly start: string;
}

const API_VERSION = 'meta.k8s.io/v1';
/** Revision of tokens that go on at the newest state. */
export const NEWEST = -1;

export function encodeContinue({ revision, start }: Continuation): string {
  const text = JSON.stringify({ v: API_VERSION, rv: revision, start });
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** @throws ApiError BadRequest */
export function decodeContinue(token: string): Continuation {
  const fields = readToken(token);
  if (fields.v !== API_VERSION) {
    throw malformed(
      `continue key is not valid: server does not recognize this encoded version ${fields.v ?? ''}`,
    );
  }
  const { rv } = fields;
  if (rv === 0 || rv === undefined) {
    throw malformed(
      'continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
    );
  }
  if (!fields.start)
    throw malformed('continue key is not valid: encoded start key empty (version meta.k8s.io/v1)');
  if (fields.start.split('/').some((part) => part === '..'))
    throw malformed(`continue key is not valid: ${fields.start}`);
  return { revision: rv, start: fields.start.replace(/^\/+/, '') };
}

interface TokenFields {
  readonly v?: string;
  readonly rv?: number;
  readonly start?: string;
}

const malformed = (why: string): Error => badRequest(`invalid continue token: ${why}`);

function readToken(token: string): TokenFields {
  const bad = /[^A-Za-z0-9_-]/.exec(token);
  if (bad) throw malformed(`continue key is not valid: illegal base64 data at input byte ${bad.index}`);
  if (token.length % 4 === 1)
    throw malformed(`continue key is not valid: illegal base64 data at input byte ${token.length - 1}`);
  const binary = atob(token.replaceAll('-', '+').replaceAll('_', '/'));
  const text = new TextDecoder().decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) throw new Error('not an object');
    checkFields(value as Readonly<Record<string, unknown>>);
    return value;
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw malformed(`continue key is not valid: ${jsonProblem(text)}`);
  }
}

const FIELD_TYPES = { v: 'string', rv: 'int64', start: 'string' } as const;

function checkFields(value: Readonly<Record<string, unknown>>): void {
  for (const [name, type] of Object.entries(FIELD_TYPES)) {
    const field = Object.hasOwn(value, name) ? (value[name] ?? undefined) : undefined;
    const fits = type === 'string' ? typeof field === 'string' : Number.isSafeInteger(field);
    if (field === undefined || fits) continue;
    const found =
      typeof field === 'number'
        ? `number${type === 'int64' ? ` ${field}` : ''}`
        : jsonTypeWord(field as Json);
    throw malformed(
      `continue key is not valid: json: cannot unmarshal ${found} into Go struct field continueToken.${name} of type ${type}`,
    );
  }
}

const jsonProblem = (text: string): string =>
  text === ''
    ? 'unexpected end of JSON input'
    : `invalid character ${quoteCharacter(text)} looking for beginning of value`;

function quoteCharacter(text: string): string {
  const first = text[0] ?? '';
  return first === "'" ? `'\\''` : first === '"' ? `'"'` : `'${first}'`;
}
