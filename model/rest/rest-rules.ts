/**
 * What must be so when a cluster rests: nothing is broken any more, nobody asks for anything new, and time has gone by.
 * Each rule looks at what is stored and at nothing else. Written from the documentation of the kinds; it knows nothing of
 * how anything comes to be.
 */
import type { ApiObject } from '../../sim/api/object.ts';
import { deletionsRest, nodesRest, podsRest } from './nodes-and-pods.ts';
import { type RestRule, RestView } from './rest-view.ts';
import { budgetsRest, namespacesRest, ownersRest, servicesRest } from './services.ts';
import { daemonSetsRest, deploymentsRest, jobsRest, replicaSetsRest, statefulSetsRest } from './workloads.ts';

const RULES = {
  'nodes-rest': nodesRest,
  'pods-rest': podsRest,
  'deletions-rest': deletionsRest,
  'replica-sets-rest': replicaSetsRest,
  'deployments-rest': deploymentsRest,
  'stateful-sets-rest': statefulSetsRest,
  'daemon-sets-rest': daemonSetsRest,
  'jobs-rest': jobsRest,
  'services-rest': servicesRest,
  'budgets-rest': budgetsRest,
  'namespaces-rest': namespacesRest,
  'owners-rest': ownersRest,
} as const satisfies Readonly<Record<string, RestRule>>;

export type RestRuleName = keyof typeof RULES;
export const REST_RULES = Object.keys(RULES) as readonly RestRuleName[];

/** What each promises, for readers. */
export const REST_RULE_TEXTS: Readonly<Record<RestRuleName, string>> = {
  'nodes-rest': 'every node is Ready, renews its lease, and has no taint that says otherwise.',
  'pods-rest': 'a pod that asks for nothing special has a node that there is, runs and is Ready.',
  'deletions-rest': 'what is being deleted is gone, unless a finalizer holds it.',
  'replica-sets-rest': 'a ReplicaSet has the pods that it wants, and its status counts them.',
  'deployments-rest': 'a Deployment has its pods, all of the newest template, and says so.',
  'stateful-sets-rest': 'a StatefulSet has its pods by name, all of the newest revision, and says so.',
  'daemon-sets-rest': 'a DaemonSet has one pod on each node, and says so.',
  'jobs-rest':
    'a Job that is not over has pods; one that is over has none that run; all that ended are counted.',
  'services-rest': 'slices and Endpoints of a service name its ready pods and no others.',
  'budgets-rest': 'a disruption budget has counted its pods.',
  'namespaces-rest': 'a namespace has its service account and root certificate, or comes to its end.',
  'owners-rest': 'what had owners that are all gone is gone.',
};

export interface RestProblem {
  readonly rule: RestRuleName;
  readonly message: string;
}

/** Everything that is not right; `nowMs`: milliseconds since 1970. */
export function restProblems(
  objects: readonly ApiObject[],
  { nowMs, exempt = [] }: { readonly nowMs: number; readonly exempt?: readonly RestRuleName[] },
): readonly RestProblem[] {
  const view = new RestView(objects, nowMs);
  return REST_RULES.filter((rule) => !exempt.includes(rule)).flatMap((rule) =>
    RULES[rule](view).map((message) => ({ rule, message })),
  );
}
