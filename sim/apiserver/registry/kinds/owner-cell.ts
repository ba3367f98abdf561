/** The controller of an object, as a Table shows it. */
import type { ObjectMeta } from '../../../api/object.ts';

/** `statefulset.apps/web`, or `<none>`. */
export function ownerCell({ ownerReferences = [] }: ObjectMeta): string {
  const owner = ownerReferences.find(({ controller }) => controller === true);
  if (!owner) return '<none>';
  const slash = owner.apiVersion.indexOf('/');
  const group = slash < 0 ? '' : owner.apiVersion.slice(0, slash);
  const kind = owner.kind.toLowerCase();
  return `${group ? `${kind}.${group}` : kind}/${owner.name}`;
}
