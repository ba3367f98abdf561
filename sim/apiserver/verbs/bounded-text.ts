/**
 * The text of a write, with no more values than walks have time for, and nested no deeper than they go. What lies
 * deeper is dropped by every built-in type, so it is left out before anybody looks; where it would be kept the text is
 * refused.
 */
import { MAX_DEPTH } from '../../api/codec/json-nodes.ts';
import {
  isNestedBeyond,
  isNestedTooDeep,
  MAX_KEPT_DEPTH,
  withoutDeepParts,
} from '../../api/codec/nesting.ts';
import { checkValuesOfText } from '../../api/codec/value-bound.ts';
import type { Schema } from '../../api/schema.ts';
import { badRequest } from '../../api/status.ts';
import type { Target } from '../request/exchange.ts';

const JSON_START = /^\s*[[{]/;

/** Texts that are not JSON, or beyond the parser's own bound, are left to it. @throws ApiError BadRequest, RequestEntityTooLarge */
export function boundedText(text: string, { resource, version }: Target): string {
  if (isNestedBeyond(text, MAX_DEPTH)) return text;
  if (JSON_START.test(text)) checkValuesOfText(text);
  if (!isNestedTooDeep(text) || !isJson(text)) return text;
  if (resource.isCustom || keepsAnyDepth(version.schema))
    throw badRequest(`the body is nested deeper than ${MAX_KEPT_DEPTH} levels`);
  return withoutDeepParts(text);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const known = new Map<Schema, boolean>();

/** Whether values of a type can be as deep as their authors like. What managed fields name is never deeper than the object. */
function keepsAnyDepth(schema: Schema): boolean {
  const answer = known.get(schema) ?? holdsAnyDepth(schema, new Set());
  known.set(schema, answer);
  return answer;
}

function holdsAnyDepth(schema: Schema, above: ReadonlySet<Schema>): boolean {
  if (schema.kind === 'scalar') return false;
  if (schema.kind === 'opaque') return schema.opaque !== 'fieldsV1';
  if (above.has(schema)) return true;
  const path = new Set([...above, schema]);
  if (schema.kind === 'list') return holdsAnyDepth(schema.items, path);
  if (schema.kind === 'map') return holdsAnyDepth(schema.values, path);
  return schema.fields.some((field) => holdsAnyDepth(field.schema, path));
}
