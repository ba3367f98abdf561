/** At rest nothing is held, counted or announced for a reason that is over. */
import type { ApiObject } from '../../sim/api/object.ts';
import type { Job } from '../../sim/api/types/batch-v1.ts';
import type { Pod, ResourceQuota } from '../../sim/api/types/core-v1.ts';
import { hasEnded } from '../pod-facts.ts';
import { ORPHAN } from './orphans-again.ts';
import { conditionOf, isGoing, textOf, type RestView } from './rest-view.ts';

const FOREGROUND = 'foregroundDeletion';
const CLAIM_PROTECTION = 'kubernetes.io/pvc-protection';
const VOLUME_PROTECTION = 'kubernetes.io/pv-protection';
const DEFINITION_CLEANUP = 'customresourcecleanup.apiextensions.k8s.io';
const TRACKING = 'batch.kubernetes.io/job-tracking';

/** Finalizers of the cluster's own go once what they wait for is over; those of others hold as long as others like. */
export function finalizersRest(view: RestView): readonly string[] {
  return view.all.flatMap((object) => {
    const { finalizers = [] } = object.metadata;
    const tracked = finalizers.includes(TRACKING) ? trackingProblem(object, view) : undefined;
    if (tracked !== undefined) return [tracked];
    if (!isGoing(object) || finalizers.length === 0) return [];
    const isIdle = finalizers.every((finalizer) => isOver(finalizer, object, view));
    return isIdle ? [`${textOf(object)} goes, and ${finalizers.join(', ')} holds it for nothing`] : [];
  });
}

function isOver(finalizer: string, object: ApiObject, view: RestView): boolean {
  const { uid, namespace, name } = object.metadata;
  switch (finalizer) {
    case ORPHAN:
      return !view.past.isToOrphanUnseen(object);
    case FOREGROUND:
      return !view.all.some(({ metadata }) =>
        metadata.ownerReferences?.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true),
      );
    case CLAIM_PROTECTION:
      return !view
        .of('Pod')
        .some(
          (pod) =>
            pod.metadata.namespace === namespace &&
            pod.spec?.volumes?.some(
              (volume) =>
                volume.persistentVolumeClaim?.claimName === name ||
                (volume.ephemeral && `${pod.metadata.name ?? ''}-${volume.name}` === name),
            ),
        );
    case VOLUME_PROTECTION:
      return !view.of('PersistentVolumeClaim').some(({ spec }) => spec?.volumeName === name);
    case DEFINITION_CLEANUP: {
      const { group } = (object as { readonly spec?: { readonly group?: string } }).spec ?? {};
      return !view.all.some(({ apiVersion = '' }) => apiVersion.startsWith(`${group ?? ''}/`));
    }
    default:
      return false;
  }
}

/** Nobody counts pods of a Job that is gone or over. */
function trackingProblem(pod: Pod, view: RestView): string | undefined {
  const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller === true);
  const job = view.of('Job').find(({ metadata }) => metadata.uid === owner?.uid);
  return job ? undefined : `${textOf(pod)} is held by the finalizer of a Job that is gone`;
}

/** A disruption that was announced has come, or was taken back after two minutes. */
const ANNOUNCED_MS = 150_000;

export function disruptionsRest(view: RestView): readonly string[] {
  return view.of('Pod').flatMap((pod) => {
    const announced = pod.status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
    if (announced?.status !== 'True' || isGoing(pod) || hasEnded(pod)) return [];
    const age = view.nowMs - Date.parse(announced.lastTransitionTime ?? '');
    return age > ANNOUNCED_MS ? [`${textOf(pod)} was announced to go, and stays`] : [];
  });
}

/** A quota has counted what there is, of what can be counted simply. */
const COUNTED: Readonly<Record<string, string>> = {
  configmaps: 'ConfigMap',
  'count/configmaps': 'ConfigMap',
  secrets: 'Secret',
  'count/secrets': 'Secret',
  services: 'Service',
  persistentvolumeclaims: 'PersistentVolumeClaim',
  'count/pods': 'Pod',
  'count/deployments.apps': 'Deployment',
  'count/jobs.batch': 'Job',
};

export function quotasRest(view: RestView): readonly string[] {
  return view
    .of('ResourceQuota')
    .flatMap((quota) => (isGoing(quota) || view.past.isMiscounted(quota) ? [] : quotaProblems(quota, view)));
}

function quotaProblems(quota: ResourceQuota, view: RestView): readonly string[] {
  const { spec, status, metadata } = quota;
  if (spec?.scopes || spec?.scopeSelector) return [];
  return Object.entries(spec?.hard ?? {}).flatMap(([name, limit]) => {
    const kind = COUNTED[name];
    if (kind === undefined) return [];
    const count = view.named(kind).filter((each) => each.metadata.namespace === metadata.namespace).length;
    return [
      ...(status?.hard?.[name] === limit
        ? []
        : [`${textOf(quota)} does not say that it allows ${limit} ${name}`]),
      ...(status?.used?.[name] === String(count)
        ? []
        : [`${textOf(quota)} has counted ${status?.used?.[name] ?? 'no'} ${name}, and there are ${count}`]),
    ];
  });
}

/** Jobs that are to go some time after their end have gone. */
const LATE_MS = 60_000;

export function endedJobsRest(view: RestView): readonly string[] {
  return view
    .of('Job')
    .flatMap((job) => (isOverdue(job, view.nowMs) ? [`${textOf(job)} has outlived its time`] : []));
}

function isOverdue({ metadata, spec, status }: Job, nowMs: number): boolean {
  const seconds = spec?.ttlSecondsAfterFinished;
  if (seconds === undefined || metadata.deletionTimestamp !== undefined) return false;
  const end = status?.conditions?.find(
    ({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True',
  );
  return nowMs - Date.parse(end?.lastTransitionTime ?? '') > seconds * 1_000 + LATE_MS;
}

/** Definitions are served, unless their names are taken; objects have definitions. */
export function definitionsRest(view: RestView): readonly string[] {
  const groups = new Set<string>();
  const problems = view.of('CustomResourceDefinition').flatMap((definition) => {
    const { spec, status } = definition;
    groups.add(spec.group);
    if (isGoing(definition) || conditionOf(status, 'NamesAccepted') === 'False') return [];
    return conditionOf(status, 'Established') === 'True' ? [] : [`${textOf(definition)} is not established`];
  });
  const strays = view.all.filter((object) => {
    const [group = '', version] = (object.apiVersion ?? '').split('/');
    const isStray =
      version !== undefined && group.includes('.') && !group.endsWith('.k8s.io') && !groups.has(group);
    return isStray && !(view.servers > 1 && view.past.wasMadeLate(object));
  });
  return [...problems, ...strays.map((object) => `${textOf(object)} is left, and its definition is gone`)];
}
