/** The JSON patch in the answer of a mutating webhook; whatever is wrong with it is an internal error of the request. */
import { DecodeError } from '../../../api/codec/decode-error.ts';
import {
  applyJsonPatchText,
  type JsonPatch,
  readJsonPatch,
  TooMuchCopied,
} from '../../../api/patch/json-patch.ts';
import { patchProblem } from '../../../api/patch/json-patch-problem.ts';
import { parseJson } from '../../../api/codec/strict-json.ts';
import { ApiError, internalError } from '../../../api/status.ts';
import { jsonTypeWord } from '../../../api/patch/patch-error.ts';
import type { Json } from '../../../api/object.ts';

const NONE: JsonPatch = { operations: [], unknownFields: [] };

/** @throws ApiError InternalError */
export function readHookPatch(text: string): JsonPatch {
  const value = valueOf(text);
  if (value === null) return NONE;
  if (!Array.isArray(value))
    throw internalError(
      `json: cannot unmarshal ${jsonTypeWord(value)} into Go value of type jsonpatch.Patch`,
    );
  for (const item of value)
    if (item !== null && (typeof item !== 'object' || Array.isArray(item)))
      throw internalError(
        `json: cannot unmarshal ${jsonTypeWord(item)} into Go value of type jsonpatch.Operation`,
      );
  try {
    return readJsonPatch(text, { isOfRequest: false });
  } catch (error) {
    throw error instanceof ApiError ? internalError(error.message) : error;
  }
}

function valueOf(text: string): Json {
  try {
    return parseJson(text).value as Json;
  } catch (error) {
    throw error instanceof DecodeError ? internalError(error.message) : error;
  }
}

/** The text of what the patch makes of a document. @throws ApiError InternalError */
export function applyHookPatch(document: string, patch: JsonPatch): string {
  try {
    return applyJsonPatchText(document, patch);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error instanceof TooMuchCopied) throw internalError(error.why);
    throw internalError(patchProblem(document, patch));
  }
}
