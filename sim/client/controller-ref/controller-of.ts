/** Who controls an object: the one owner reference that says so. Pure. */
import type { ApiObject, OwnerReference } from '../../api/object.ts';

export const controllerOf = ({ metadata: { ownerReferences } }: ApiObject): OwnerReference | undefined =>
  ownerReferences?.find(({ controller }) => controller === true);
