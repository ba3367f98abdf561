/** The text of a patch, checked to be well-formed JSON where it has to be. */
import { parseJson } from '../../../api/codec/strict-json.ts';
import { ApiError, badRequest } from '../../../api/status.ts';
import type { Exchange } from '../../request/exchange.ts';
import { bodyBytes, checkBodySize } from '../read-body.ts';

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

export function patchText(exchange: Exchange): string {
  const { body } = exchange.request;
  if (body?.kind === 'object') return JSON.stringify(body.object);
  const bytes = bodyBytes(exchange);
  checkBodySize(bytes);
  return UTF8.decode(bytes);
}

export interface JsonText {
  readonly text: string;
  readonly value: unknown;
  readonly duplicates: readonly string[];
}

/** `prefix` stands before the parser's words. @throws ApiError BadRequest */
export function jsonPatchText(exchange: Exchange, prefix: string): JsonText {
  const text = patchText(exchange);
  try {
    const { value, duplicates } = parseJson(text);
    return { text, value, duplicates };
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw badRequest(prefix + (error instanceof Error ? error.message : String(error)));
  }
}
