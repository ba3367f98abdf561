/**
 * What must be so when a cluster rests: nothing is broken any more, nobody asks for anything new, and time has gone by.
 * Each rule looks at what is stored and at nothing else. Written from the documentation of the kinds; it knows nothing of
 * how anything comes to be.
 */
import type { ApiObject } from '../../sim/api/object.ts';
import { attachmentsRest } from './attachments.ts';
import { deedsAreTold } from './deeds-are-told.ts';
import { mirrorsRest, rolesRest } from './derived.ts';
import { definitionsRest, disruptionsRest, endedJobsRest, finalizersRest, quotasRest } from './held.ts';
import { autoscalersRest, certificatesRest, cronJobsRest, loadBalancersRest, tokensRest } from './keepers.ts';
import { containersRest, copiesRest } from './machines.ts';
import { deletionsRest, nodesRest, podsRest, waitingPodsRest } from './nodes-and-pods.ts';
import { type RestFacts, type RestRule, RestView } from './rest-view.ts';
import { budgetsRest, namespacesRest, ownersRest, servicesRest } from './services.ts';
import { templatesRest } from './templates.ts';
import { volumesRest } from './volumes.ts';
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
  'waiting-pods-rest': waitingPodsRest,
  'containers-rest': containersRest,
  'copies-rest': copiesRest,
  'volumes-rest': volumesRest,
  'quotas-rest': quotasRest,
  'finalizers-rest': finalizersRest,
  'disruptions-rest': disruptionsRest,
  'ended-jobs-rest': endedJobsRest,
  'definitions-rest': definitionsRest,
  'load-balancers-rest': loadBalancersRest,
  'certificates-rest': certificatesRest,
  'tokens-rest': tokensRest,
  'autoscalers-rest': autoscalersRest,
  'cron-jobs-rest': cronJobsRest,
  'roles-rest': rolesRest,
  'mirrors-rest': mirrorsRest,
  'attachments-rest': attachmentsRest,
  'templates-rest': templatesRest,
  'deeds-are-told': deedsAreTold,
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
  'stateful-sets-rest':
    'a StatefulSet has its pods by name, which bear it as a label, all of the newest revision, and says so.',
  'daemon-sets-rest': 'a DaemonSet has one pod on each node, and says so.',
  'jobs-rest':
    'a Job that is not over has pods; one that is over has none that run; all that ended are counted.',
  'services-rest': 'slices and Endpoints of a service name its ready pods and no others.',
  'budgets-rest': 'a disruption budget has counted its pods.',
  'namespaces-rest': 'a namespace has its service account and root certificate, or comes to its end.',
  'owners-rest': 'what had owners that are all gone is gone.',
  'waiting-pods-rest': 'no pod waits for a node while there is one with room for it.',
  'containers-rest':
    'every container that lives on a machine belongs to a pod of its node, once, and the pod says so.',
  'copies-rest': 'informers of controllers know every object as it is, and none that is gone.',
  'volumes-rest': 'claims and volumes that belong together are Bound, and no volume is kept for nobody.',
  'quotas-rest': 'a quota has counted what there is.',
  'finalizers-rest': "finalizers of the cluster's own hold nothing that is not needed any more.",
  'disruptions-rest': 'who was announced to be disrupted is gone, or was told otherwise.',
  'ended-jobs-rest': 'a Job that has a time to live after its end is gone by then.',
  'definitions-rest': 'definitions are established, and nothing is left of those that are gone.',
  'load-balancers-rest': 'services that want a load balancer have one, and others keep none.',
  'certificates-rest': 'what was approved is signed, or was found to be wrong.',
  'tokens-rest': 'tokens belong to accounts that there are, and whose time is over are gone.',
  'autoscalers-rest': 'an autoscaler has seen how large its target is, and keeps it within bounds.',
  'cron-jobs-rest': 'a CronJob lists no Job that does not run, and keeps no more than it is to.',
  'roles-rest': 'a role that sums up others has their rules, and no others.',
  'mirrors-rest': 'slices that mirror Endpoints name the same addresses, and are gone with them.',
  'attachments-rest':
    'volumes of drivers are attached where pods want them and nowhere else, and Nodes say so.',
  'templates-rest':
    'pods are what the templates say of which they were made, and what is promised of their kind.',
  'deeds-are-told':
    'where nothing ever went wrong, Events tell who made a pod, who gave it its node and that its containers were started.',
};

export interface RestProblem {
  readonly rule: RestRuleName;
  readonly message: string;
}

/** `exempt`: rules that need not hold. */
export interface RestQuestion extends RestFacts {
  readonly exempt?: readonly RestRuleName[];
}

/** Everything that is not right. */
export function restProblems(objects: readonly ApiObject[], question: RestQuestion): readonly RestProblem[] {
  const view = new RestView(objects, question);
  return rulesOf(question).flatMap((rule) => problemsOf(rule, view));
}

/** One rule that is broken; `suspect` is looked at first, as what is broken most often stays so for a while. */
export function brokenRule(
  objects: readonly ApiObject[],
  question: RestQuestion,
  suspect?: RestRuleName,
): RestRuleName | undefined {
  const view = new RestView(objects, question);
  const isBroken = (rule: RestRuleName): boolean => problemsOf(rule, view).length > 0;
  const rules = rulesOf(question);
  return suspect && rules.includes(suspect) && isBroken(suspect) ? suspect : rules.find(isBroken);
}

const rulesOf = ({ exempt = [] }: RestQuestion): readonly RestRuleName[] =>
  REST_RULES.filter((rule) => !exempt.includes(rule));

const problemsOf = (rule: RestRuleName, view: RestView): readonly RestProblem[] =>
  RULES[rule](view).map((message) => ({ rule, message }));
