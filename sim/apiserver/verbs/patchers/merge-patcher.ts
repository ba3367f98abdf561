/** `application/merge-patch+json`: RFC 7386. */
import { encodeJson } from '../../../api/codec/encode.ts';
import type { Json, JsonObject } from '../../../api/object.ts';
import { applyMergePatchText, INVALID_PATCH, mergeValues } from '../../../api/patch/merge-patch.ts';
import { notFound } from '../../../api/status.ts';
import { andThen } from '../../../api/steps.ts';
import type { DraftObject } from '../../registry/strategy.ts';
import { isMap } from '../../custom-resources/json-schema.ts';
import { baselineOf } from '../baseline.ts';
import { managedFieldsOfChange } from '../managed-fields.ts';
import { storageResource } from '../../registry/resource.ts';
import { decodePatched, decodePatchedValue } from './decode-patched.ts';
import { jsonPatchValue } from './patch-text.ts';
import type { Patcher, PatchRequest } from './patcher.ts';

export const mergePatcher: Patcher = (request) => {
  const { exchange, options, rules } = request;
  // Whoever does not want to know what is unknown has the patch read once, by who applies it.
  const isChecked = options.fieldValidation !== 'Ignore';
  const words = isChecked ? (finding: string) => `error decoding patch: ${finding}` : () => INVALID_PATCH;
  const { value, text, duplicates, isPlain } = jsonPatchValue(exchange, words);
  const values = isPlain ? plainValues(request, value) : undefined;
  return {
    produce: (live) => {
      if (!live) throw notFound(storageResource(exchange.routed.resource), exchange.info.name);
      const baseline = baselineOf(exchange, live);
      const merged = values && mergeValues(live as JsonObject, values);
      const noted = (draft: DraftObject) => () =>
        managedFieldsOfChange(exchange, { live, draft, baseline, manager: options.fieldManager, rules });
      return () => {
        const draft = merged && decodePatchedValue(request, merged, baseline);
        if (draft) return noted(draft);
        const patched = applyMergePatchText(encodeJson(live), text(), { isChecked });
        return () => andThen(decodePatched(request, patched, duplicates), noted);
      };
    },
  };
};

/** The usual patch changes values only: then no text has to be written and read again. Undefined: it is another. */
function plainValues({ exchange }: PatchRequest, value: unknown): JsonObject | undefined {
  if (exchange.routed.resource.isCustom) return undefined;
  if (!isMap(value) || 'kind' in value || 'apiVersion' in value) return undefined;
  const { metadata } = value;
  if (metadata === null || (isMap(metadata) && 'managedFields' in metadata)) return undefined;
  return value as Record<string, Json>;
}
