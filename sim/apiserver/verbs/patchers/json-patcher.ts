/** `application/json-patch+json`: RFC 6902. */
import { encodeJson } from '../../../api/codec/encode.ts';
import { applyJsonPatchText, readJsonPatch } from '../../../api/patch/json-patch.ts';
import { managedFieldsOfChange } from '../managed-fields.ts';
import { notFound } from '../../../api/status.ts';
import { andThen } from '../../../api/steps.ts';
import { storageResource } from '../../registry/resource.ts';
import { decodePatched } from './decode-patched.ts';
import { jsonPatchText } from './patch-text.ts';
import type { Patcher } from './patcher.ts';

export const jsonPatcher: Patcher = (request) => {
  const { exchange, options, rules } = request;
  // Whoever does not want to know what is unknown has the patch read once, not twice.
  const isChecked = options.fieldValidation !== 'Ignore';
  const { text, duplicates } = jsonPatchText(
    exchange,
    (finding) => (isChecked ? 'error decoding patch: ' : '') + finding,
    true,
  );
  const patch = readJsonPatch(text, { isChecked });
  const findings = [
    ...duplicates.map((finding) => `json patch ${finding}`),
    ...patch.unknownFields.map((path) => `json patch unknown field "${path}"`),
  ];
  return {
    produce: (live) => {
      if (!live) throw notFound(storageResource(exchange.routed.resource), exchange.info.name);
      const patched = applyJsonPatchText(encodeJson(live), patch);
      return () => {
        const manager = options.fieldManager;
        return andThen(
          decodePatched(request, patched, findings),
          (draft) => () => managedFieldsOfChange(exchange, { live, draft, manager, rules }),
        );
      };
    },
  };
};
