/** `application/strategic-merge-patch+json`: a merge patch that knows the types. */
import { compareStrings } from '../../../api/go-text.ts';
import { wrappedIntegers } from '../../../api/codec/wrap-integers.ts';
import { decodeStruct } from '../../../api/codec/decode.ts';
import { rewritten } from '../../../api/codec/rewritten.ts';
import { DecodeError } from '../../../api/codec/decode-error.ts';
import type { JsonObject } from '../../../api/object.ts';
import { badRequest, notFound } from '../../../api/status.ts';
import { invalidPatchResult, jsonTypeWord, patchText } from '../../../api/patch/patch-error.ts';
import { applyStrategicMergePatch, type StrategicResult } from '../../../api/patch/strategic-merge-patch.ts';
import { type Baseline, baselineOf, draftOf } from '../baseline.ts';
import { keepEmptyLists } from '../empty-lists.ts';
import { managedFieldsOfChange } from '../managed-fields.ts';
import type { DraftObject } from '../../registry/strategy.ts';
import { storageResource } from '../../registry/resource.ts';
import { checkNamespace } from '../create-object.ts';
import { checkName } from '../update.ts';
import { jsonPatchValue } from './patch-text.ts';
import type { Patcher } from './patcher.ts';

export const strategicPatcher: Patcher = ({ exchange, options, rules }) => {
  const { resource, version } = exchange.routed;
  const { value, duplicates } = jsonPatchValue(exchange, (finding) => finding);
  if (value !== null && (typeof value !== 'object' || Array.isArray(value))) {
    throw badRequest(
      `json: cannot unmarshal ${jsonTypeWord(value as never)} into Go value of type map[string]interface {}`,
    );
  }
  const patch = (value ?? {}) as JsonObject;
  return {
    produce: (live) => {
      if (!live) throw notFound(storageResource(resource), exchange.info.name);
      const baseline = baselineOf(exchange, live);
      return () => {
        const result = applyStrategicMergePatch(version.schema, live as JsonObject, patch);
        return () => {
          const draft = completed(result, baseline);
          return () =>
            managedFieldsOfChange(exchange, { live, draft, baseline, manager: options.fieldManager, rules });
        };
      };
    },
  };

  /** Defaulted; with what is unknown told. */
  function completed(result: StrategicResult, baseline: Baseline | undefined): DraftObject {
    const unknown: string[] = [];
    const draft = decoded(result, baseline, (path) => unknown.push(`unknown field "${path}"`));
    const findings = [...duplicates, ...unknown.sort(compareStrings)];
    if (findings.length > 0) {
      if (options.fieldValidation === 'Strict') {
        throw invalidPatchResult(patchText(result.left), `strict decoding error: ${findings.join(', ')}`);
      }
      if (options.fieldValidation === 'Warn') for (const finding of findings) exchange.warn(finding);
    }
    resource.strategy.defaults?.(draft, version.apiVersion, exchange.server.features);
    checkNamespace(exchange, resource, draft.metadata);
    checkName(draft.metadata.name ?? '', exchange.info.name);
    return draft;
  }

  function decoded(
    { patched, left }: StrategicResult,
    baseline: Baseline | undefined,
    unknown: (path: string) => void,
  ): DraftObject {
    try {
      const whole = rewritten(version.schema, patched);
      const shared = whole === patched ? baseline?.object : undefined;
      const object = decodeStruct(version.schema, whole, { unknown }, shared);
      const draft = draftOf(object, baseline);
      draft.kind = version.kind;
      draft.apiVersion = version.apiVersion;
      draft.metadata ??= {};
      keepEmptyLists(draft, patched, resource.strategy);
      return draft;
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      const whole = wrappedIntegers(version.schema, patched) as JsonObject;
      if (whole !== patched) return decoded({ patched: whole, left }, baseline, unknown);
      throw invalidPatchResult(patchText(left), error.message);
    }
  }
};
