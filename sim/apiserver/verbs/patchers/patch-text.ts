/** The text of a patch, checked to be well-formed JSON where it has to be. */
import { type ParsedJson, parseJson } from '../../../api/codec/strict-json.ts';
import { ApiError, badRequest } from '../../../api/status.ts';
import type { Exchange } from '../../request/exchange.ts';
import { boundedText } from '../bounded-text.ts';
import { bodyBytes, checkBodySize } from '../read-body.ts';

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

export function patchText(exchange: Exchange): string {
  const { body } = exchange.request;
  if (body?.kind === 'object') return JSON.stringify(body.object);
  const bytes = bodyBytes(exchange);
  checkBodySize(bytes);
  return boundedText(UTF8.decode(bytes), exchange.routed);
}

/** The value of a patch, and its text for whoever needs that. */
export interface PatchValue {
  readonly value: unknown;
  readonly duplicates: readonly string[];
  /** The value says all that the text does. */
  readonly isPlain: boolean;
  text(): string;
}

/** What a first-party component sends is a value already. @throws ApiError BadRequest */
export function jsonPatchValue(exchange: Exchange, words: Words): PatchValue {
  const { body } = exchange.request;
  if (body?.kind === 'object' && isPlain(body.object))
    return { value: body.object, duplicates: [], isPlain: true, text: () => patchText(exchange) };
  const { text, ...parsed } = jsonPatchText(exchange, words);
  return { ...parsed, text: () => text };
}

/** Whether a value comes back from its JSON text as it is. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== 'object' || value === null) return value !== undefined && typeof value !== 'function';
  if (Array.isArray(value)) return value.every(isPlain);
  for (const name in value) if (!isPlain(Reflect.get(value, name))) return false;
  return true;
}

/** What to say of what the parser says. */
type Words = (finding: string) => string;

export interface JsonText extends ParsedJson {
  readonly text: string;
}

/** `isTyped`: who goes on knows of each number what it has to be. @throws ApiError BadRequest */
export function jsonPatchText(exchange: Exchange, words: Words, isTyped = false): JsonText {
  const text = patchText(exchange);
  try {
    return { text, ...parseJson(text, { isTyped }) };
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw badRequest(words(error instanceof Error ? error.message : String(error)));
  }
}
