/** The ready-made checkers of the language: their names, and what each promises. */
import { REST_RULE_TEXTS } from '../../model/rest/rest-rules.ts';
import { NODE_RULES, type NodeRuleName } from '../../model/nodes/node-rules.ts';
import { WORKLOAD_RULES, type WorkloadRuleName } from '../../model/workloads/workload-rules.ts';
import { SCHEDULING_RULES, type SchedulingRuleName } from '../../model/scheduling/scheduling-rules.ts';
import { API_RULES, type ApiRuleName } from '../../model/api/api-rules.ts';
import { WEBHOOK_RULES, type WebhookRuleName } from '../../model/api/webhook-rules.ts';
import { STORAGE_RULES, type StorageRuleName } from '../../model/storage/storage-rules.ts';
import {
  CONTROLLER_RULE_TEXTS,
  CONTROLLER_RULES,
  type ControllerRuleName,
} from '../../model/controllers/controller-rules.ts';
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
  'controllers-are-level-triggered':
    'runs in which a program crashes, is down for a while, loses its watches, sees everything late, is refused some writes or hears no answer to one, at a few instants each, end in the same state as the run itself (see `Twin`).',
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
  'leases-run-out':
    'nobody takes the lease of a leader before it has been unchanged for its whole time by the own clock.',
  'taints-match-conditions':
    "once nothing has changed for a while, a node's taints are those that its conditions and its cordon ask for.",
  'no-pod-overstays':
    'no pod stays on a node that is not ready, unreachable or gone for longer than it tolerates, plus the turns of the nodes before it.',
  'nodes-are-heard':
    'a node whose agent is hindered by nothing renews its lease, tells its status every five minutes, and is not called Unknown for long.',
  'containers-back-off':
    'a container that ends again and again waits for 10 s, 20 s and so on up to 5 minutes, and not for long after it ran well.',
  'containers-wait':
    'a container starts after the init containers before it, once for each sandbox, and when the volumes of its pod were attached.',
  'pods-end-in-time': 'a pod that is deleted is gone soon after its grace, where nothing hinders its agent.',
  'lost-pods-are-marked': 'pods of a node that falls silent are said not to be ready.',
  'all-lost-none-given-up': 'while no node at all is Ready, no node gets a taint that drives its pods away.',
  'no-pod-waits-in-vain':
    'a pod that asks for nothing but processor and memory does not wait for a minute while a node could take it.',
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
  'garbage-is-collected': 'what has no owner left is deleted within 90 s, unless a finalizer holds it.',
  'only-garbage-is-collected': 'the garbage collector deletes nothing that has an owner which stays.',
  'namespace-goes-last': 'a namespace is gone only when nothing is in it any more.',
  'one-claim-per-volume': 'no two claims are Bound to one volume.',
  'one-node-per-volume': 'a volume that one node may use is attached to one at the most.',
  'evictions-are-charged':
    'who evicts a pod that is ready spends a disruption of its budget, which never allows more than it has pods to spare.',
  'quota-counts-what-is-there': 'a quota counts as many objects as there are, within 5 minutes.',
} as const satisfies Readonly<Record<WorkloadRuleName, string>>;

const OF_SCHEDULERS = {
  'scheduler-never-overcommits':
    'a scheduler never gives a node more than it has, by what it knows of the node and of the pods there.',
  'scheduler-keeps-required-rules':
    'a scheduler sends no pod where taints, selectors, required affinities, gates or taken ports forbid it, by what it knows.',
  'scheduler-preempts-lesser-pods':
    'a scheduler deletes a pod only for one of higher priority that waits for a node.',
} as const satisfies Readonly<Record<SchedulingRuleName, string>>;

const OF_API = {
  'answers-are-true': 'a write answers what was stored, or what there was where it changed nothing.',
  'creates-what-is-new':
    'what is created was not there, has a uid that nothing ever had, and is as it was sent.',
  'updates-replace':
    'an update replaces the version and the uid that it names, and leaves nothing else behind.',
  'patches-change-what-they-name':
    'a patch changes what it names, of the version that it names, and nothing else.',
  'status-stays-apart': 'the status changes by its own subresource, which changes nothing else.',
  'deletes-what-was-meant': 'a deletion meets its preconditions, waits for finalizers, and is not forgotten.',
  'refusals-are-just':
    'who is told NotFound, AlreadyExists or Conflict, is told so for a reason that there was.',
  'refusals-change-nothing': 'nothing changes by what is refused or a dry run.',
  'servers-do-not-fail': 'no answer is 500, unless a fault makes it so.',
  'writes-are-sent-once':
    'nobody sends a write again as it was: what became of the first has to be looked at before.',
  'uids-are-heeded': 'whoever names the uid of the object that he means meets that object, or nothing.',
  'late-writers-say-whom-they-mean':
    'agents and controllers that delete or adopt what they saw a while ago name its uid.',
  'reads-are-true': 'an object that is read without a version was so between question and answer.',
  'deprecated-warns': 'who uses a deprecated version is warned.',
  'applies-by-owners':
    'who applies owns just what was applied; what nobody else owns goes; nobody takes from others without force, or is refused without need.',
  'managed-fields-are-true': 'each manager has one entry for a thing, and what it says is there.',
  'restarts-only-grow': 'the restarts of a container that the agent of its node counts are never taken back.',
  'starts-stay':
    'when a pod or a Job began does not change, whoever looks after it; a Job that was suspended begins anew.',
  'ends-are-remembered': 'how a container ended last is told until it ends again.',
  'identity-stays': 'uid, name, namespace and creation time of an object never change.',
  'versions-are-of-their-change': 'the version of an object is that of its last change.',
  'going-goes-on':
    'what is being deleted goes on going: no later, with no more grace, and held by nothing new.',
  'finalizers-hold': 'what finalizers hold does not end.',
  'generation-moves-with-spec': 'the generation moves when what is wanted changes, and never else.',
  'pods-go-forward': 'a pod stays on its node, and once it has ended it stays so.',
  'conditions-turn-honestly': 'the time of a condition moves when it turns, and never else.',
  'foreign-marks-stay': 'conditions of nodes and pods do not vanish by the writes of others.',
  'writes-say-something': 'nothing is stored again just as it was.',
} as const satisfies Readonly<Record<ApiRuleName, string>>;

const OF_WEBHOOKS = {
  'denials-hold': 'nothing is stored that a webhook denied whose failures count.',
  'gone-webhooks-rest': 'a webhook whose configuration is gone is asked no more, two minutes later.',
  'dry-runs-are-harmless': 'no dry run asks a webhook that has side effects.',
} as const satisfies Readonly<Record<WebhookRuleName, string>>;

const OF_RELEASES = {
  'storage-versions-wait':
    'no object is stored in a version that an API server which runs, or the release before, cannot read (rule 4b).',
  'forms-stay':
    'once all API servers are of one release, no object changes to and fro between two stored versions.',
  'stored-stays-readable': 'what could be read before an upgrade can be read after it.',
  'upgrades-lose-nothing': 'what was stored before an upgrade is there after it, with all that it said.',
  'custom-objects-are-valid':
    'what is stored of a custom resource is right by the schema at its write, or was as wrong before.',
  'policies-hold': 'nothing is stored that a fail-closed policy refuses whose binding denies.',
} as const satisfies Readonly<Record<StorageRuleName, string>>;

/** Rules that watch whole runs, without being asked to. */
export type RuleName =
  | StorageRuleName
  | WebhookRuleName
  | ApiRuleName
  | ControllerRuleName
  | ReadRuleName
  | NodeRuleName
  | WorkloadRuleName
  | SchedulingRuleName;

export const CHECKERS = [
  ...READ_RULES,
  ...API_RULES,
  ...WEBHOOK_RULES,
  ...CONTROLLER_RULES,
  ...STORAGE_RULES,
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
    'So do rules about the API, for every request of every client and everything that is stored:',
    '',
    ...listed(OF_API),
    '',
    'And rules about the webhooks of the cluster (`cluster.webhooks`):',
    '',
    ...listed(OF_WEBHOOKS),
    '',
    'And rules about what is stored, where the releases of API servers change:',
    '',
    ...listed(OF_RELEASES),
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
    '',
    'Rules about controllers watch programs of your own (`cluster.programs`, and guests in TypeScript), whatever they are for:',
    '',
    ...listed(CONTROLLER_RULE_TEXTS),
    '',
    '## Rest',
    '',
    'The step `settle` waits until all of these hold, and then until nobody writes any more but heartbeats (`writing-ceases`):',
    '',
    ...listed(REST_RULE_TEXTS),
    '',
    'Where it is the last step, every server, manager, scheduler and agent then crashes and starts again, and no object may become another by that (`restarts-change-nothing`); what time alone moves, and a cluster with programs, is left alone.',
  ].join('\n');
}
