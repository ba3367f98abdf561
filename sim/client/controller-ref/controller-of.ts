/** Who controls an object: the one owner reference that says so. Pure. */
import type { ApiObject, OwnerReference } from '../../api/object.ts';

export function controllerOf({ metadata: { ownerReferences } }: ApiObject): OwnerReference | undefined {
  if (ownerReferences === undefined) return undefined;
  for (const reference of ownerReferences) if (reference.controller === true) return reference;
  return undefined;
}
