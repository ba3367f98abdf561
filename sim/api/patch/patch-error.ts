/** Answers to patches that cannot be used. Specification: "Patches". */

import { goPlain } from '../go-text.ts';
import type { Json } from '../object.ts';
import { ApiError, badRequest } from '../status.ts';
import { invalid, invalidError } from '../validation/field-error.ts';
import { FieldPath } from '../validation/field-path.ts';

/** 422 without any detail: the patch is well-formed and cannot be carried out. */
export const unprocessablePatch = (): ApiError => new ApiError(UNPROCESSABLE);

export const UNPROCESSABLE = {
  reason: 'Invalid',
  message: 'the server rejected our request due to an error in our request',
  details: {},
} as const;

/** 400: the patch is no JSON of the shape that its media type asks for. */
export const undecodablePatch = (why: string): ApiError => badRequest(`error decoding patch: ${why}`);

/**
 * 422: what the patch gave is no object of its kind. `shown` is the whole patched JSON for JSON patch and merge patch,
 * the patch as Go prints a map for strategic merge patch.
 */
export const invalidPatchResult = (shown: string, why: string): ApiError =>
  invalidError({ group: '', kind: '' }, '', [invalid(FieldPath.of('patch'), shown, why)]);

/** Go's word for the type of a JSON value, as decoding errors have it. */
export const jsonTypeWord = (value: Json): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
};

/** A patch as Go prints it. */
export const patchText = (patch: Json): string => goPlain(patch);
