/** At rest every workload has the pods that it asks for, of its newest template, and its status tells the truth. */
import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from '../../sim/api/types/apps-v1.ts';
import type { Job } from '../../sim/api/types/batch-v1.ts';
import type { Pod } from '../../sim/api/types/core-v1.ts';
import { controllerOf } from '../workloads/owned-pods.ts';
import { hasEnded, isReady } from '../pod-facts.ts';
import {
  conditionOf,
  differences,
  isGoing,
  isUndemanding,
  lacksAccount,
  textOf,
  type RestView,
} from './rest-view.ts';

interface Workload {
  readonly metadata: { readonly namespace?: string };
  readonly spec?: { readonly template?: unknown };
}

/** Its pods ask for nothing, and its namespace takes them. */
const isPlain = (view: RestView, { metadata, spec }: Workload): boolean =>
  isUndemanding({ metadata: {}, ...(spec?.template as object) } as Pod) &&
  !lacksAccount(view, metadata.namespace);

/** Pods of such a workload can run where any node is open. */
const canRun = (view: RestView, workload: Workload): boolean =>
  view.openNodes.length > 0 && isPlain(view, workload);

const activePods = (view: RestView, owner: ReplicaSet | StatefulSet | DaemonSet | Job): readonly Pod[] =>
  view.podsOf(owner).filter((pod) => !isGoing(pod) && !hasEnded(pod));

export function replicaSetsRest(view: RestView): readonly string[] {
  return view.of('ReplicaSet').flatMap((set) => {
    if (isGoing(set)) return [];
    const pods = activePods(view, set);
    const wanted = set.spec?.replicas ?? 1;
    const count =
      pods.length === wanted || conditionOf(set.status, 'ReplicaFailure') === 'True'
        ? []
        : [`${textOf(set)} has ${pods.length} pods and wants ${wanted}`];
    if (view.past.lostUnseen(set)) return count;
    return [
      ...count,
      ...differences(set, set.status, {
        observedGeneration: set.metadata.generation,
        replicas: pods.length,
        readyReplicas: pods.filter(isReady).length,
      }),
    ];
  });
}

export function deploymentsRest(view: RestView): readonly string[] {
  return view.of('Deployment').flatMap((deployment) => {
    const { spec, status, metadata } = deployment;
    if (isGoing(deployment) || spec?.paused === true) return [];
    const wanted = spec?.replicas ?? 1;
    const sets = view
      .of('ReplicaSet')
      .filter((set) => controllerOf(set)?.uid === metadata.uid && (set.spec?.replicas ?? 1) > 0);
    if (!canRun(view, deployment))
      return differences(deployment, status, { observedGeneration: metadata.generation });
    const old = sets.find((set) => !isOfTemplate(set, deployment));
    return [
      ...(old ? [`${textOf(deployment)} still has ${textOf(old)} of an older template`] : []),
      ...differences(deployment, status, {
        observedGeneration: metadata.generation,
        replicas: wanted,
        updatedReplicas: wanted,
        readyReplicas: wanted,
        availableReplicas: wanted,
        unavailableReplicas: 0,
      }),
      ...(wanted > 0 && conditionOf(status, 'Available') !== 'True'
        ? [`${textOf(deployment)} does not say that it is Available`]
        : []),
    ];
  });
}

const byName = ([a]: readonly [string, string], [b]: readonly [string, string]): number => (a < b ? -1 : 1);

/** Labels of the ReplicaSet's own aside. */
function isOfTemplate({ spec: of }: ReplicaSet, { spec }: Deployment): boolean {
  const { 'pod-template-hash': _, ...labels } = of?.template?.metadata?.labels ?? {};
  const images = (template: unknown): string =>
    JSON.stringify((template as Pod | undefined)?.spec?.containers?.map(({ name, image }) => [name, image]));
  return (
    JSON.stringify(Object.entries(labels).sort(byName)) ===
      JSON.stringify(Object.entries(spec?.template?.metadata?.labels ?? {}).sort(byName)) &&
    images(of?.template) === images(spec?.template)
  );
}

const NAME_OF_POD = 'statefulset.kubernetes.io/pod-name';

export function statefulSetsRest(view: RestView): readonly string[] {
  return view.of('StatefulSet').flatMap((set) => {
    const { spec, status, metadata } = set;
    if (isGoing(set) || !canRun(view, set)) return [];
    const wanted = spec?.replicas ?? 1;
    const first = spec?.ordinals?.start ?? 0;
    const own = activePods(view, set);
    const names = own.map((pod) => pod.metadata.name ?? '').sort();
    const should = Array.from(
      { length: wanted },
      (_, index) => `${metadata.name ?? ''}-${first + index}`,
    ).sort();
    // Whose pods need claims may have none that run: there need not be volumes.
    const needsClaims = (spec?.volumeClaimTemplates ?? []).length > 0;
    if (needsClaims && !own.every(isReady)) return [];
    const strangers = own.filter(({ metadata: { name, labels } }) => labels?.[NAME_OF_POD] !== name);
    const isRolling =
      spec?.updateStrategy?.type !== 'OnDelete' && !spec?.updateStrategy?.rollingUpdate?.partition;
    return [
      ...(names.join() === should.join()
        ? []
        : [
            `${textOf(set)} has the pods ${names.join(', ') || 'none'} and should have ${should.join(', ') || 'none'}`,
          ]),
      ...strangers.map((pod) => `${textOf(pod)} does not bear its name as a label`),
      ...differences(set, status, {
        observedGeneration: metadata.generation,
        replicas: wanted,
        readyReplicas: wanted,
        ...(isRolling && { updatedReplicas: wanted, currentRevision: status?.updateRevision }),
      }),
    ];
  });
}

export function daemonSetsRest(view: RestView): readonly string[] {
  return view.of('DaemonSet').flatMap((set) => {
    const { spec, status, metadata } = set;
    if (isGoing(set) || !isPlain(view, set)) return [];
    // Pods of a DaemonSet tolerate what the life of a node brings, and a cordon; other taints keep them off.
    const nodes = view
      .of('Node')
      .filter(({ spec: node }) =>
        (node?.taints ?? []).every(({ key }) => key.startsWith('node.kubernetes.io/')),
      )
      .map((node) => node.metadata.name ?? '')
      .sort();
    const on = activePods(view, set)
      .map((pod) => targetOf(pod))
      .sort();
    const isRolling = spec?.updateStrategy?.type !== 'OnDelete';
    return [
      ...(on.join() === nodes.join()
        ? []
        : [
            `${textOf(set)} has pods on ${on.join(', ') || 'no node'} and should on ${nodes.join(', ') || 'none'}`,
          ]),
      ...differences(set, status, {
        observedGeneration: metadata.generation,
        desiredNumberScheduled: nodes.length,
        currentNumberScheduled: nodes.length,
        numberReady: nodes.length,
        numberMisscheduled: 0,
        ...(isRolling && { updatedNumberScheduled: nodes.length }),
      }),
    ];
  });
}

const targetOf = ({ spec }: Pod): string =>
  spec?.nodeName ??
  spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms?.[0]
    ?.matchFields?.[0]?.values?.[0] ??
  '?';

const isMadeAfterEndOf = ({ status }: Job, { metadata }: Pod): boolean =>
  (status?.conditions ?? []).some(
    ({ type, status: is, lastTransitionTime }) =>
      (type === 'Complete' || type === 'Failed') &&
      is === 'True' &&
      (metadata.creationTimestamp ?? '') > (lastTransitionTime ?? ''),
  );

const TRACKING = 'batch.kubernetes.io/job-tracking';

export function jobsRest(view: RestView): readonly string[] {
  return view.of('Job').flatMap((job) => {
    const { spec, status } = job;
    if (isGoing(job)) return [];
    const isOver = conditionOf(status, 'Complete') === 'True' || conditionOf(status, 'Failed') === 'True';
    // Nobody looks at a Job that is over: what was asked for before, and made after, is nobody's concern.
    const pods = view.podsOf(job).filter((pod) => !isMadeAfterEndOf(job, pod));
    const active = pods.filter((pod) => !isGoing(pod) && !hasEnded(pod));
    const held = pods.find((pod) => hasEnded(pod) && (pod.metadata.finalizers ?? []).includes(TRACKING));
    const uncounted = status?.uncountedTerminatedPods;
    const isLate = spec?.suspend !== true && !isOver && active.length === 0 && canRun(view, job);
    return [
      ...(held ? [`${textOf(job)} still has to count ${textOf(held)}`] : []),
      ...((uncounted?.succeeded ?? []).length + (uncounted?.failed ?? []).length > 0
        ? [`${textOf(job)} has pods that it has not counted`]
        : []),
      ...(isOver && active.length > 0
        ? [`${textOf(job)} is over and has ${active.length} pods that run`]
        : []),
      ...(isLate ? [`${textOf(job)} is not over and has no pod`] : []),
      ...differences(job, status, { active: active.length }),
    ];
  });
}
