/**
 * Aggregates cluster roles: a role with an aggregation rule gets the rules of the roles that it selects, by their
 * names and each once, whatever somebody writes into it. Specification: "Authorization".
 */
import type { JsonObject, ManagedFieldsEntry } from '../../api/object.ts';
import { labelSelectorOf } from '../../api/selector/label-selector.ts';
import type { ClusterRole, PolicyRule } from '../../api/types/rbac-authorization-k8s-io-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isNotFound, isUnsupportedMediaType } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Process } from '../../engine/process.ts';
import { defineController } from '../manager/controller.ts';

const { clusterRoles } = BUILTIN_HANDLES;

const API_VERSION = 'rbac.authorization.k8s.io/v1';
const FIELD_MANAGER = 'clusterrole-aggregation-controller';

export const CLUSTER_ROLE_AGGREGATION = defineController({
  name: 'clusterrole-aggregation-controller',
  formerNames: ['clusterrole-aggregation'],
  serviceAccount: 'clusterrole-aggregation-controller',
  leaves: ({ clusterRoles: first }) => ({ handle: clusterRoles, objects: aggregated(first) }),
  *start({ context, client, informerOf }) {
    const queue = new WorkQueue(context);
    const roles = informerOf(clusterRoles);
    /** Names of those that were seen with an aggregation rule. */
    const sums = new Set<string>();
    const note = ({ metadata: { name = '' }, aggregationRule }: ClusterRole): void => {
      if (aggregationRule) sums.add(name);
      for (const sum of sums) queue.add(sum);
    };
    roles.addHandler({ added: note, changed: note, removed: note });
    yield* roles.waitUntilSynced();
    startWorkers(context, queue, {
      workers: 5,
      reconcile: (name) => aggregate(client, roles.store.get(name), roles.store.list()),
    });
  },
});

function* aggregate(
  client: ApiClient,
  role: ClusterRole | undefined,
  roles: readonly ClusterRole[],
): Process<undefined> {
  if (!role?.aggregationRule) return undefined;
  const rules = aggregatedRules(role, roles);
  if (isSame(rules, role.rules ?? [])) return undefined;
  try {
    const { name = '' } = role.metadata;
    yield* client.apply(
      clusterRoles,
      { apiVersion: API_VERSION, kind: 'ClusterRole', metadata: { name }, rules },
      { fieldManager: FIELD_MANAGER, force: true },
    );
  } catch (error) {
    // Servers that know no apply.
    if (isUnsupportedMediaType(error)) yield* client.update(clusterRoles, { ...role, rules });
    else if (!isNotFound(error)) throw error;
  }
  return undefined;
}

/** The rules of the roles that it selects. Pure. */
export function aggregatedRules(role: ClusterRole, roles: readonly ClusterRole[]): readonly PolicyRule[] {
  const byName = roles.toSorted((one, other) => compare(one.metadata.name ?? '', other.metadata.name ?? ''));
  const found = new Map<string, PolicyRule>();
  for (const fields of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const selector = labelSelectorOf(fields);
    for (const { metadata, rules } of byName) {
      if (metadata.name === role.metadata.name || !selector.matches(metadata.labels ?? {})) continue;
      for (const rule of rules ?? []) {
        const text = textOf(rule);
        if (!found.has(text)) found.set(text, rule);
      }
    }
  }
  return [...found.values()];
}

/** Those that aggregate, with their rules, until no rule is missing: a sum may be a part of another one. */
function aggregated(first: readonly ClusterRole[]): readonly ClusterRole[] {
  const current = new Map(first.map((role) => [role.metadata.name ?? '', role]));
  const sums = first.filter(({ aggregationRule }) => aggregationRule !== undefined);
  for (let isGrowing = true; isGrowing;) {
    isGrowing = false;
    for (const { metadata } of sums) {
      const role = current.get(metadata.name ?? '');
      if (!role) continue;
      const rules = aggregatedRules(role, [...current.values()]);
      if (isSame(rules, role.rules ?? [])) continue;
      current.set(metadata.name ?? '', { ...role, rules });
      isGrowing = true;
    }
  }
  return sums.map((role) => ({
    ...role,
    rules: current.get(role.metadata.name ?? '')?.rules ?? [],
    metadata: { ...role.metadata, managedFields: managedFieldsOf(role) },
  }));
}

/** Of a role whose rules were applied, and whose other fields are those of the server that made it. */
const managedFieldsOf = ({ metadata }: ClusterRole): readonly ManagedFieldsEntry[] => [
  {
    manager: FIELD_MANAGER,
    operation: 'Apply',
    apiVersion: API_VERSION,
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:rules': {} },
  },
  {
    manager: 'kube-apiserver',
    operation: 'Update',
    apiVersion: API_VERSION,
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:aggregationRule': { '.': {}, 'f:clusterRoleSelectors': {} },
      'f:metadata': {
        'f:annotations': fieldsOf(metadata.annotations),
        'f:labels': fieldsOf(metadata.labels),
      },
    },
  },
];

const fieldsOf = (members: Readonly<Record<string, string>> = {}): JsonObject => ({
  '.': {},
  ...Object.fromEntries(Object.keys(members).map((name) => [`f:${name}`, {}])),
});

const isSame = (rules: readonly PolicyRule[], others: readonly PolicyRule[]): boolean =>
  rules.length === others.length && rules.every((rule, index) => areEqual(rule, others[index]));

const areEqual = (rule: PolicyRule, other: PolicyRule | undefined): boolean =>
  rule === other || (other !== undefined && textOf(rule) === textOf(other));

/** Of rules that are never changed, and of which the same few are in many roles and many clusters. */
const texts = new WeakMap<PolicyRule, string>();

function textOf(rule: PolicyRule): string {
  const known = texts.get(rule);
  if (known !== undefined) return known;
  const text = JSON.stringify(rule);
  if (Object.isFrozen(rule)) texts.set(rule, text);
  return text;
}

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
