/**
 * Aggregates cluster roles: a role with an aggregation rule gets the rules of the roles that it selects, by their
 * names and each once, whatever somebody writes into it. Specification: "Authorization".
 */
import { labelSelectorOf } from '../../api/selector/label-selector.ts';
import type { ClusterRole, PolicyRule } from '../../api/types/rbac-authorization-k8s-io-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Process } from '../../engine/process.ts';
import { defineController } from '../manager/controller.ts';

const { clusterRoles } = BUILTIN_HANDLES;

export const CLUSTER_ROLE_AGGREGATION = defineController({
  name: 'clusterrole-aggregation-controller',
  formerNames: ['clusterrole-aggregation'],
  serviceAccount: 'clusterrole-aggregation-controller',
  *start({ context, client, informerOf }) {
    const queue = new WorkQueue(context);
    const roles = informerOf(clusterRoles);
    const noteAll = (): void => {
      for (const role of roles.store.list()) if (role.aggregationRule) queue.add(role.metadata.name ?? '');
    };
    roles.addHandler({ added: noteAll, changed: noteAll, removed: noteAll });
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
  if (textOf(rules) === textOf(role.rules ?? [])) return undefined;
  try {
    const { name = '' } = role.metadata;
    yield* client.apply(
      clusterRoles,
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules },
      { fieldManager: 'clusterrole-aggregation-controller', force: true },
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
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
      for (const rule of rules ?? []) if (!found.has(textOf(rule))) found.set(textOf(rule), rule);
    }
  }
  return [...found.values()];
}

const textOf = (value: unknown): string => JSON.stringify(value);

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
