/** Whether an update is of no concern to those who guard what an object says. */
import type { ApiObject } from '../../../api/object.ts';
import { isEqualJson } from '../../verbs/equal-json.ts';

/** Finalizers and owners may change, so that what goes can go. */
export const isSameButForCollection = (object: ApiObject, old: ApiObject): boolean =>
  isEqualJson(plain(object), plain(old));

function plain({ metadata, ...rest }: ApiObject): object {
  const { finalizers: _f, ownerReferences: _o, managedFields: _m, resourceVersion: _r, ...meta } = metadata;
  return { ...rest, metadata: meta };
}
