/**
 * What a server that starts does to its own roles and bindings that somebody has changed: rights, subjects, labels and
 * annotations that are missing come back, what was added stays, and a binding to another role is made anew. Nothing is
 * done to what says `rbac.authorization.kubernetes.io/autoupdate: "false"`. Pure.
 * Specification: not shown (Kubernetes: RBAC, auto-reconciliation).
 */
import type { ApiObject } from '../../api/object.ts';
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Subject,
} from '../../api/types/rbac-authorization-k8s-io-v1.ts';

import { missingRules } from '../authorization/covering-rules.ts';

const AUTO_UPDATE = 'rbac.authorization.kubernetes.io/autoupdate';

export type Restoration =
  { readonly kind: 'change'; readonly object: ApiObject } | { readonly kind: 'make-anew' };

/** Undefined: there is nothing to do. */
export function restoration(present: ApiObject, wanted: ApiObject): Restoration | undefined {
  if (isUntouched(present, wanted)) return undefined;
  if (present.metadata.annotations?.[AUTO_UPDATE] === 'false') return undefined;
  if (!isSame(roleRefOf(present), roleRefOf(wanted))) return { kind: 'make-anew' };
  const object = {
    ...present,
    metadata: restoredMetadata(present, wanted),
    ...restoredContent(present, wanted),
  };
  return isSame(object, present) ? undefined : { kind: 'change', object };
}

/** The very members that it was made of: most are so, wherever several servers start. */
const isUntouched = (present: ApiObject, { metadata, ...content }: ApiObject): boolean =>
  present.metadata.labels === metadata.labels &&
  present.metadata.annotations === metadata.annotations &&
  Object.entries(content).every(([member, value]) => Reflect.get(present, member) === value);

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const isBinding = (object: ApiObject): object is ClusterRoleBinding => 'roleRef' in object;

const roleRefOf = (object: ApiObject): unknown => {
  if (!isBinding(object)) return undefined;
  const { kind, name } = object.roleRef;
  return [kind, name];
};

/** What somebody has set counts. */
function restoredMetadata({ metadata }: ApiObject, wanted: ApiObject): ApiObject['metadata'] {
  const labels = together(metadata.labels, wanted.metadata.labels);
  const annotations = together(metadata.annotations, wanted.metadata.annotations);
  return { ...metadata, ...(labels && { labels }), ...(annotations && { annotations }) };
}

function together(
  present: Readonly<Record<string, string>> | undefined,
  wanted: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> | undefined {
  const missing = Object.entries(wanted).filter(([key]) => present?.[key] === undefined);
  return missing.length === 0 ? present : { ...present, ...Object.fromEntries(missing) };
}

function restoredContent(present: ApiObject, wanted: ApiObject): object {
  if (isBinding(present) && isBinding(wanted)) {
    const missing = missingSubjects(present.subjects ?? [], wanted.subjects ?? []);
    return missing.length === 0 ? {} : { subjects: [...(present.subjects ?? []), ...missing] };
  }
  const { rules: owned, aggregationRule: summed } = present as ClusterRole;
  const { rules, aggregationRule } = wanted as ClusterRole;
  const missing: readonly PolicyRule[] = missingRules(owned ?? [], rules ?? []);
  return {
    ...(missing.length > 0 && { rules: [...(owned ?? []), ...missing] }),
    ...(aggregationRule && !summed && { aggregationRule }),
  };
}

const missingSubjects = (present: readonly Subject[], wanted: readonly Subject[]): readonly Subject[] =>
  wanted.filter(
    ({ kind, name, namespace }) =>
      !present.some((one) => one.kind === kind && one.name === name && one.namespace === namespace),
  );
