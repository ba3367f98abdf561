/**
 * The stored form of an object that a server puts into its storage by itself: many servers of one process put the same
 * objects. Whoever asks, asks with the same object each time.
 */
import type { ApiObject } from '../../api/object.ts';
import type { Resource } from '../registry/resource.ts';
import { deepFreeze, stored } from '../registry/storage-form.ts';

const forms = new WeakMap<Resource, WeakMap<ApiObject, ApiObject>>();

export function keptForm(resource: Resource, object: ApiObject): ApiObject {
  let known = forms.get(resource);
  if (!known) forms.set(resource, (known = new WeakMap<ApiObject, ApiObject>()));
  const form = known.get(object);
  if (form) return form;
  const made = deepFreeze(stored(resource, object));
  known.set(object, made);
  return made;
}
