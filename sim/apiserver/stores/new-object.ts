/** What a server itself puts where nothing was: the form it has written down, with uid and the times of this moment. */
import type { ApiObject, JsonObject } from '../../api/object.ts';
import type { Revision } from '../../storage/storage.ts';
import { deepFreeze } from '../registry/storage-form.ts';

export interface NewObjectFacts {
  readonly uid: string;
  readonly revision: Revision;
  /** RFC 3339. */
  readonly now: string;
}

export const newObject = (form: ApiObject, facts: NewObjectFacts): ApiObject =>
  deepFreeze({ ...withTimes(form, facts.now), metadata: newMetadata(form.metadata, facts) });

/** Conditions that are told of the first moment have come about then. */
function withTimes(form: ApiObject, now: string): ApiObject {
  const { conditions, ...rest } = (form.status ?? {}) as { readonly conditions?: readonly JsonObject[] };
  if (!conditions?.some(({ lastTransitionTime }) => lastTransitionTime === null)) return form;
  const timed = conditions.map((condition) => ({
    ...condition,
    lastTransitionTime: condition['lastTransitionTime'] ?? now,
  }));
  return { ...form, status: { ...rest, conditions: timed } };
}

function newMetadata(
  metadata: ApiObject['metadata'],
  { uid, revision, now }: NewObjectFacts,
): ApiObject['metadata'] {
  const { managedFields } = metadata;
  const facts = { ...metadata, uid, creationTimestamp: now, resourceVersion: String(revision) };
  if (!managedFields) return facts;
  return {
    ...facts,
    managedFields: managedFields.map(({ fieldsType, fieldsV1, ...entry }) => ({
      ...entry,
      time: now,
      ...(fieldsType && { fieldsType }),
      ...(fieldsV1 && { fieldsV1 }),
    })),
  };
}
