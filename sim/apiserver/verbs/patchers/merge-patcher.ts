/** `application/merge-patch+json`: RFC 7386. */
import { encodeJson } from '../../../api/codec/encode.ts';
import { applyMergePatchText } from '../../../api/patch/merge-patch.ts';
import { notFound } from '../../../api/status.ts';
import { managedFieldsOfChange } from '../../managed-fields.ts';
import { storageResource } from '../../registry/resource.ts';
import { decodePatched } from './decode-patched.ts';
import { jsonPatchText } from './patch-text.ts';
import type { Patcher } from './patcher.ts';

export const mergePatcher: Patcher = (request) => {
  const { exchange, options, rules } = request;
  const { text, duplicates } = jsonPatchText(exchange, 'error decoding patch: ');
  return {
    produce: (live) => {
      if (!live) throw notFound(storageResource(exchange.routed.resource), exchange.info.name);
      const draft = decodePatched(request, applyMergePatchText(encodeJson(live), text), duplicates);
      managedFieldsOfChange(exchange, { live, draft, manager: options.fieldManager, rules });
      return draft;
    },
  };
};
