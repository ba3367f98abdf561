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

/** By form, as of the last moment: clusters of a process put the same forms at the same times. */
const timed = new WeakMap<ApiObject, { readonly now: string; readonly form: ApiObject }>();

export function newObject(form: ApiObject, { uid, revision, now }: NewObjectFacts): ApiObject {
  const dated = isDated(form) ? datedForm(form, now) : form;
  const facts = { uid, creationTimestamp: now, resourceVersion: String(revision) };
  const { metadata } = deepFreeze(dated);
  return Object.freeze({ ...dated, metadata: Object.freeze({ ...metadata, ...facts }) });
}

/** Whether something in it tells of a moment. */
const isDated = ({ metadata, status }: ApiObject): boolean =>
  metadata.managedFields !== undefined || status !== undefined;

function datedForm(form: ApiObject, now: string): ApiObject {
  const known = timed.get(form);
  if (known?.now === now) return known.form;
  const made = withTimes(form, now);
  // Forms that are made for one cluster alone are not frozen yet.
  if (Object.isFrozen(form)) timed.set(form, { now, form: made });
  return made;
}

/** Conditions that are told of the first moment have come about then, and fields are managed since. */
function withTimes(form: ApiObject, now: string): ApiObject {
  const { managedFields } = form.metadata;
  const metadata = managedFields && {
    ...form.metadata,
    managedFields: managedFields.map(({ fieldsType, fieldsV1, subresource, ...entry }) => ({
      ...entry,
      time: now,
      ...(fieldsType && { fieldsType }),
      ...(fieldsV1 && { fieldsV1 }),
      ...(subresource && { subresource }),
    })),
  };
  const status = timedStatus(form, now);
  return deepFreeze({ ...form, ...(metadata && { metadata }), ...(status && { status }) });
}

function timedStatus({ status }: ApiObject, now: string): JsonObject | undefined {
  const { conditions, ...rest } = (status ?? {}) as { readonly conditions?: readonly JsonObject[] };
  if (!conditions?.some(({ lastTransitionTime }) => lastTransitionTime === null)) return undefined;
  const since = conditions.map((condition) => ({
    ...condition,
    lastTransitionTime: condition['lastTransitionTime'] ?? now,
  }));
  return { ...rest, conditions: since };
}
