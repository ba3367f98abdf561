/** Fields that a write does not own, since the strategy puts them back: by version, as apply asks for them. */
import { FieldSet } from '../../api/apply/field-set.ts';
import type { ResetFields } from '../../api/apply/ownership.ts';
import type { Resource, ResourceVersion } from '../registry/resource.ts';
import type { UpdateRules } from '../registry/strategy.ts';

/** Kinds share rules, and servers of different releases share kinds. */
const resets = new WeakMap<Resource | ResourceVersion, Map<UpdateRules, ResetFields>>();

/** Versions of a custom resource differ in what they put back, and each write goes by those of its own. */
export function resetFieldsOf(
  resource: Resource,
  version: ResourceVersion | undefined,
  rules: UpdateRules,
): ResetFields | undefined {
  if (!rules.resetFields || rules.resetFields.length === 0) return undefined;
  const alone = resource.isCustom ? version : undefined;
  if (alone && !alone.subresources.has('status')) return undefined;
  const owner = alone ?? resource;
  let ofOwner = resets.get(owner);
  if (!ofOwner) resets.set(owner, (ofOwner = new Map()));
  const known = ofOwner.get(rules);
  if (known) return known;
  const set = FieldSet.ofPaths(rules.resetFields.map((path) => path.map((name) => `f:${name}`)));
  const versions = alone ? [alone] : [...resource.versions.values()];
  const made = Object.fromEntries(versions.map(({ apiVersion }) => [apiVersion, set]));
  ofOwner.set(rules, made);
  return made;
}
