/** At rest pods are what the templates of those who made them say, and what else is documented of each kind. */
import type { ApiObject } from '../../sim/api/object.ts';
import type { DaemonSet, StatefulSet } from '../../sim/api/types/apps-v1.ts';
import type { Job } from '../../sim/api/types/batch-v1.ts';
import type { Pod, PodTemplateSpec } from '../../sim/api/types/core-v1.ts';
import { hasEnded } from '../pod-facts.ts';
import { isGoing, textOf, type RestView } from './rest-view.ts';

type Texts = Readonly<Record<string, string>>;
type Finding = string | undefined;

const INDEX = 'batch.kubernetes.io/job-completion-index';
const REVISION = 'controller-revision-hash';
/** Pods of daemons stay where others have to leave. */
const OF_DAEMONS = [
  'node.kubernetes.io/not-ready:NoExecute',
  'node.kubernetes.io/unreachable:NoExecute',
  'node.kubernetes.io/disk-pressure:NoSchedule',
  'node.kubernetes.io/memory-pressure:NoSchedule',
  'node.kubernetes.io/pid-pressure:NoSchedule',
  'node.kubernetes.io/unschedulable:NoSchedule',
];

export function templatesRest(view: RestView): readonly string[] {
  const found = (
    owners: readonly (ApiObject & { readonly spec?: { readonly template?: PodTemplateSpec } })[],
    more: (pod: Pod, owner: ApiObject) => readonly Finding[] = () => [],
  ): readonly string[] =>
    owners
      .filter((owner) => !isGoing(owner))
      .flatMap((owner) =>
        podsOf(view, owner).flatMap((pod) =>
          [...alike(pod, owner.spec?.template), ...more(pod, owner)].flatMap((finding) =>
            finding === undefined ? [] : [`${textOf(pod)} of ${textOf(owner)} ${finding}`],
          ),
        ),
      );
  return [
    ...found(view.of('ReplicaSet')),
    ...found(view.of('StatefulSet'), ofSet),
    ...found(view.of('DaemonSet'), (pod) => OF_DAEMONS.map((toleration) => tolerates(pod, toleration))),
    ...found(view.of('Job'), ofJob),
  ];
}

/** Those that were made of the present template, as far as one can tell. */
function podsOf(view: RestView, owner: ApiObject): readonly Pod[] {
  const pods = view.podsOf(owner).filter((pod) => !isGoing(pod) && !hasEnded(pod));
  if (owner.kind === 'StatefulSet') {
    const { status } = owner as StatefulSet;
    return pods.filter(({ metadata }) => metadata.labels?.[REVISION] === status?.updateRevision);
  }
  const { status = {} } = owner as Partial<DaemonSet>;
  const { updatedNumberScheduled: updated = 0, currentNumberScheduled: all = 0 } =
    status as DaemonSet['status'] & object;
  return owner.kind === 'DaemonSet' && updated !== all ? [] : pods;
}

function alike({ metadata, spec }: Pod, template: PodTemplateSpec | undefined): readonly Finding[] {
  const wanted = template?.spec;
  const tolerations = (spec?.tolerations ?? []).map((each) =>
    JSON.stringify(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  );
  const images = (containers: NonNullable<Pod['spec']>['containers'] = []): string =>
    containers.map(({ name, image = '' }) => `${name}=${image}`).join();
  return [
    lacks('label', metadata.labels, template?.metadata?.labels),
    lacks('annotation', metadata.annotations, template?.metadata?.annotations),
    lacks('selector of nodes', spec?.nodeSelector, wanted?.nodeSelector),
    images(spec?.containers) === images(wanted?.containers) ? undefined : `runs ${images(spec?.containers)}`,
    new Set(tolerations).size === tolerations.length ? undefined : 'tolerates the same twice',
    ...(['restartPolicy', 'terminationGracePeriodSeconds', 'serviceAccountName'] as const).map((member) =>
      wanted?.[member] === undefined || wanted[member] === spec?.[member]
        ? undefined
        : `has the ${member} ${String(spec?.[member])}`,
    ),
  ];
}

function lacks(what: string, has: Texts = {}, wanted: Texts = {}): Finding {
  const missing = Object.keys(wanted).find((name) => has[name] !== wanted[name]);
  return missing === undefined ? undefined : `has not the ${what} ${missing}`;
}

function tolerates({ spec }: Pod, toleration: string): Finding {
  const isThere = (spec?.tolerations ?? []).some(
    ({ key = '', effect = '', operator }) =>
      operator === 'Exists' && [`${key}:${effect}`, `${key}:`, ':'].includes(toleration),
  );
  const isAny = (spec?.tolerations ?? []).some(({ key, operator }) => !key && operator === 'Exists');
  return isThere || isAny ? undefined : `does not tolerate ${toleration}`;
}

function ofSet({ metadata, spec }: Pod, set: StatefulSet): readonly Finding[] {
  const { name = '', labels } = metadata;
  const ordinal = /-(\d+)$/.exec(name)?.[1] ?? '';
  const volumes = new Map(
    (spec?.volumes ?? []).map((each) => [each.name, each.persistentVolumeClaim?.claimName]),
  );
  const claim = (set.spec?.volumeClaimTemplates ?? []).find(
    ({ metadata: of }) => volumes.get(of.name ?? '') !== `${of.name ?? ''}-${name}`,
  );
  return [
    name === `${set.metadata.name ?? ''}-${ordinal}` ? undefined : 'has not a name of the set',
    lacks('label', labels, {
      'statefulset.kubernetes.io/pod-name': name,
      'apps.kubernetes.io/pod-index': ordinal,
    }),
    spec?.hostname === name && (spec.subdomain ?? '') === (set.spec?.serviceName ?? '')
      ? undefined
      : 'has another host name',
    claim && `does not use its claim of ${claim.metadata.name ?? ''}`,
  ];
}

function ofJob({ metadata, spec }: Pod, job: Job): readonly Finding[] {
  if (job.spec?.completionMode !== 'Indexed') return [];
  const index = metadata.annotations?.[INDEX] ?? '';
  const variables = (spec?.containers ?? []).map(({ env = [] }) =>
    env.some(({ name }) => name === 'JOB_COMPLETION_INDEX'),
  );
  return [
    Number(index) < (job.spec.completions ?? 0) && index !== '' ? undefined : `has the index ${index}`,
    lacks('label', metadata.labels, { [INDEX]: index }),
    spec?.hostname === `${job.metadata.name ?? ''}-${index}` ? undefined : 'has another host name',
    variables.every(Boolean) ? undefined : 'is not told its index',
  ];
}
