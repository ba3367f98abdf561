/** The ready-made checkers of the language: their names, and what each promises. */
import { NODE_RULES, type NodeRuleName } from '../../model/nodes/node-rules.ts';
import { WORKLOAD_RULES, type WorkloadRuleName } from '../../model/workloads/workload-rules.ts';
import { SCHEDULING_RULES, type SchedulingRuleName } from '../../model/scheduling/scheduling-rules.ts';
import { READ_RULES, type ReadRuleName } from '../../model/reads/observation.ts';

const OF_READS = {
  'watch-ordered': 'events of a watch come in the order of their versions, after the initial state.',
  'watch-unique': 'no event of a watch comes twice.',
  'watch-atomic': 'what was written at once is not parted by a bookmark.',
  'watch-complete':
    'no event is left out: the initial state is one that there was, every change after it comes before later ones, and within 30 s where nothing hinders it.',
  'watch-filtered':
    'only what was asked for comes, as what it is to the selection (ADDED, MODIFIED, DELETED), and as it was written.',
  'watch-bookmarkable': 'at a bookmark everything up to its version has come, and nothing of it comes later.',
  'watch-resumable':
    'a watch that goes on where its reader was brings what came next; informers go on where they were told to be.',
  'watch-fresh': 'a watch without a version begins with a state no older than its request.',
  'list-snapshot': 'all pages of a list show the one state that there was at its version.',
  'list-sorted': 'items come in the order of their keys, each once, over all pages.',
  'list-counted': 'every page but the last says that there is more, and how much.',
  'list-fresh':
    'a list is as new as it was asked to be; without a version, as everything that was written before its request.',
} as const satisfies Readonly<Record<ReadRuleName, string>>;

const OF_WHAT_WAS_SEEN = {
  'writes-durable': 'a write that was answered did happen, as it was answered.',
  'reads-linearizable':
    'a read without a version shows the object as it was between its call and its answer, no older than what was known before.',
} as const;

const OF_NODES = {
  'one-live-container-per-identity':
    'never two live containers of one pod name of a StatefulSet, unless the pod was deleted by force.',
  'unknown-only-after-grace':
    'a node is declared Unknown only after 40 s (60 s if it never said how it is) without a heartbeat that reached the controller, by its clock.',
  'lease-renewals-monotone':
    "renewals of a node's lease never go back in time, unless its clock was turned back; nobody takes a lease that has not run out.",
  'taints-match-conditions':
    "once nothing has changed for a while, a node's taints are those that its conditions and its cordon ask for.",
  'no-pod-overstays':
    'no pod stays on a node that is not ready, unreachable or gone for longer than it tolerates, plus the turns of the nodes before it.',
} as const satisfies Readonly<Record<NodeRuleName, string>>;

const OF_WORKLOADS = {
  'one-controller-per-object': 'nothing has two controllers, or is taken from the one that it has.',
  'replicas-converge':
    'ReplicaSets and ReplicationControllers come to have as many pods as they want, and make none when they have.',
  'rollouts-within-bounds':
    'a rolling update never asks for more pods than its surge allows, and leaves as many available as it must.',
  'stateful-pods-in-order':
    'pods of a StatefulSet are made one after the other, each when those before it are ready.',
  'job-pods-counted-once':
    'a Job claims no more successes and failures than there were, takes none back, and makes no pod for an index that is done.',
  'cron-starts-once': 'a CronJob starts once at each of its times, and leaves none out that it must not.',
} as const satisfies Readonly<Record<WorkloadRuleName, string>>;

const OF_SCHEDULERS = {
  'scheduler-never-overcommits':
    'a scheduler never gives a node more than it has, by what it knows of the node and of the pods there.',
  'scheduler-keeps-required-rules':
    'a scheduler sends no pod where taints, selectors, required affinities, gates or taken ports forbid it, by what it knows.',
  'scheduler-preempts-lesser-pods':
    'a scheduler deletes a pod only for one of higher priority that waits for a node.',
} as const satisfies Readonly<Record<SchedulingRuleName, string>>;

/** Rules that watch whole runs, without being asked to. */
export type RuleName = ReadRuleName | NodeRuleName | WorkloadRuleName | SchedulingRuleName;

export const CHECKERS = [
  ...READ_RULES,
  ...(Object.keys(OF_WHAT_WAS_SEEN) as (keyof typeof OF_WHAT_WAS_SEEN)[]),
  ...NODE_RULES,
  ...WORKLOAD_RULES,
  ...SCHEDULING_RULES,
];
export type CheckerName = (typeof CHECKERS)[number];

/** For the reference. */
export function checkersText(): string {
  const listed = (docs: Readonly<Record<string, string>>): readonly string[] =>
    Object.entries(docs).map(([name, doc]) => `- \`${name}\`: ${doc}`);
  return [
    '`checkers` names checks of all that the scenario has asked:',
    '',
    ...listed(OF_WHAT_WAS_SEEN),
    '',
    'Rules about reads watch every run, from outside and without a trace in it, for every watch and every list of every client: users, informers and agents alike. `exempt` switches them off one by one:',
    '',
    ...listed(OF_READS),
    '',
    'Rules about nodes watch every cluster that has nodes, from outside and without a trace in the run; `exempt` switches them off one by one. They allow for faults of API servers and controllers, and for two and a half minutes after them:',
    '',
    ...listed(OF_NODES),
    '',
    'Rules about workloads watch every cluster with all controllers, in the same way:',
    '',
    ...listed(OF_WORKLOADS),
    '',
    'So do rules about schedulers:',
    '',
    ...listed(OF_SCHEDULERS),
  ].join('\n');
}
