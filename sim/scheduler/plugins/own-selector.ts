/** Which pods are of a sort with this one: what the services that select it and the workload that owns it select. */
import { append } from '../../api/append.ts';
import {
  EVERYTHING,
  type LabelRequirement,
  type LabelSelector,
  labelSelectorOf,
  selectorOfLabels,
  selectorOfRequirements,
} from '../../api/selector/label-selector.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import type { Listers } from '../framework/plugin.ts';

export function ownSelector({ metadata }: Pod, listers: Listers): LabelSelector {
  const { namespace = '', labels = {}, ownerReferences = [] } = metadata;
  const required: LabelRequirement[] = [];
  for (const { spec } of listers.services.byIndex('namespace', namespace)) {
    const selector = spec?.selector;
    if (!selector || Object.keys(selector).length === 0) continue;
    const wanted = selectorOfLabels(selector);
    if (wanted.matches(labels)) append(required, wanted.requirements);
  }
  const owner = ownerReferences.find(({ controller }) => controller === true);
  if (owner) append(required, requirementsOf(owner.kind, `${namespace}/${owner.name}`, listers));
  if (required.length === 0) return EVERYTHING;
  return selectorOfRequirements(required);
}

function requirementsOf(kind: string, key: string, listers: Listers): readonly LabelRequirement[] {
  switch (kind) {
    case 'ReplicationController':
      return selectorOfLabels(listers.replicationControllers.get(key)?.spec?.selector ?? {}).requirements;
    case 'ReplicaSet':
      return requirementsOfObject(listers.replicaSets.get(key)?.spec?.selector);
    case 'StatefulSet':
      return requirementsOfObject(listers.statefulSets.get(key)?.spec?.selector);
    default:
      return [];
  }
}

const known = new WeakMap<object, readonly LabelRequirement[]>();

/** All pods of a workload ask for the same. */
function requirementsOfObject(fields: Parameters<typeof labelSelectorOf>[0]): readonly LabelRequirement[] {
  if (!fields) return [];
  const found = known.get(fields);
  if (found) return found;
  const { requirements } = labelSelectorOf(fields);
  known.set(fields, requirements);
  return requirements;
}
