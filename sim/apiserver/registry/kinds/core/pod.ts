/**
 * Pod: its spec is fixed once it exists, but for images and a few more; its status is what node agents
 * report. It is deleted gracefully: the object stays until its grace period is confirmed as over.
 */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { OwnerReference } from '../../../../api/object.ts';
import type { Pod, PodSpec } from '../../../../api/types/core-v1.ts';
import { forbidden } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { formatTime } from '../../../../api/time-format.ts';
import { nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { isEqualJson } from '../../../verbs/equal-json.ts';
import { keepMember, raiseGeneration } from '../../generic-strategy.ts';
import { isShared } from '../../shared-parts.ts';
import { dropDisabled, withPodFields } from '../pod-spec/disabled-fields.ts';
import { defaultResizing } from '../pod-spec/resize-policy.ts';
import { tellingEphemeral } from '../telling-lists.ts';
import { defineKind } from '../../define-kind.ts';
import { binding } from '../../../endpoints/binding.ts';
import { eviction } from '../../../endpoints/eviction.ts';
import { podLog } from '../../../endpoints/pod-log.ts';
import { containerExec, containerAttach, portForward } from '../../../endpoints/pod-streams.ts';
import { podProxy } from '../../../endpoints/proxy.ts';
import type { DeleteOptions, Draft, HookContext } from '../../strategy.ts';
import {
  defaultPodSpec,
  dropFormerAnnotations,
  withMirroredServiceAccount,
} from '../pod-spec/default-pod-spec.ts';
import { qosClassOf } from '../../../../api/pod/qos-class.ts';
import { validateTrimmedImage } from '../pod-spec/validate-containers.ts';
import { alignAppArmor, appArmorMatchErrors, KNOWS_APP_ARMOR } from '../pod-spec/app-armor.ts';
import { annotationChangeErrors, podAnnotationErrors } from '../pod-spec/pod-annotations.ts';
import { validatePodSpec } from '../pod-spec/validate-pod-spec.ts';
import { hostnameWarning, podWarnings } from '../pod-spec/warnings.ts';
import { podRow } from './pod-row.ts';
import { dropDisabledStatuses } from './disabled-statuses.ts';
import { alignPodIps, validatePodStatus } from './pod-status.ts';
import { validatePodChange } from './pod-update.ts';

const SPEC = FieldPath.of('spec');
const ANNOTATIONS = FieldPath.of('metadata', 'annotations');
const NO_SPEC: PodSpec = { containers: [] };

/** Releases from this one on count the generations of pods, whatever their gates. */
const COUNTS_GENERATIONS = '1.33';

function countGeneration(draft: Draft<Pod>, old: Pod, context: HookContext): void {
  if (!context.isReleasedBy(COUNTS_GENERATIONS)) return;
  const { generation } = old.metadata;
  if (generation === undefined) delete draft.metadata.generation;
  else draft.metadata.generation = generation;
  raiseGeneration(draft, old, ['spec']);
}

export const podKind = defineKind<Pod>({
  resource: 'pods',
  endpoints: {
    binding,
    eviction,
    log: podLog,
    exec: containerExec,
    attach: containerAttach,
    portforward: portForward,
    proxy: podProxy,
  },
  strategy: withPodFields<Pod>(({ spec }) => spec, {
    nameCheck: nameIsDnsSubdomain,
    // Admission objects to an overhead of nothing.
    tellingEmptyLists: [...tellingEphemeral('spec'), ['spec', 'overhead']],
    metadataChecks: ['change', 'object'],
    sharesUnchanged: 'members',
    defaults: (draft, _, features) => {
      dropFormerAnnotations(draft.metadata);
      if (draft.spec && !isShared(draft.spec)) {
        defaultOwnSpec(draft.spec);
        fixGracePeriod(draft.spec);
        if (features) defaultResizing(draft.spec, features);
      }
      if (draft.status && !isShared(draft.status)) alignPodIps(draft.status);
    },
    prepareForCreate: (draft, context) => {
      const spec = (draft.spec ??= { containers: [] });
      if (context.isReleasedBy(KNOWS_APP_ARMOR)) alignAppArmor(draft, (text) => context.warn(text));
      draft.status = { phase: 'Pending', qosClass: draft.status?.qosClass || qosClassOf(spec) };
      if (context.isReleasedBy(COUNTS_GENERATIONS)) draft.metadata.generation = 1;
      if ((spec.schedulingGates?.length ?? 0) > 0) {
        draft.status.conditions = [
          {
            type: 'PodScheduled',
            status: 'False',
            lastTransitionTime: formatTime(context.nowMs),
            reason: 'SchedulingGated',
            message: 'Scheduling is blocked due to non-empty scheduling gates',
          },
        ];
      }
    },
    validate: (pod) => [...annotationErrors(pod), ...validateWhole(pod), ...validateNew(pod)],
    prepareForUpdate: (draft, old, context) => {
      keepMember(draft, old, 'status');
      dropDisabledStatuses(draft, context);
      countGeneration(draft, old, context);
    },
    validateUpdate: (pod, old) => [
      ...annotationErrors(pod),
      ...validateWhole(pod),
      ...annotationChangeErrors(pod.metadata.annotations, old.metadata.annotations, ANNOTATIONS),
      // Looked at twice.
      ...annotationErrors(pod),
      ...validatePodChange(pod, old),
    ],
    canonicalize: (draft) => {
      if (draft.spec) draft.spec = withMirroredServiceAccount(draft.spec);
    },
    resetFields: [['status']],
    warningsOnCreate: ({ metadata, spec = NO_SPEC }, release) => [
      ...hostnameWarning(metadata.name, "the Pod's hostname"),
      ...podWarnings(metadata, spec, { spec: SPEC, annotations: ANNOTATIONS, release }),
    ],
    returnsDeletedObject: true,
    gracefulDeletion: gracePeriodOf,
    subresources: {
      status: {
        prepareForUpdate: (draft, old) => {
          keepMember(draft, old, 'spec');
          const { ownerReferences } = old.metadata;
          if (ownerReferences) draft.metadata.ownerReferences = ownerReferences as Draft<OwnerReference>[];
          else delete draft.metadata.ownerReferences;
          delete draft.metadata.deletionTimestamp;
        },
        validateUpdate: validatePodStatus,
        resetFields: [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']],
      },
      ephemeralcontainers: {
        prepareForUpdate: (draft, old, context) => {
          const sent = draft.spec?.ephemeralContainers;
          keepMember(draft, old, 'status');
          dropDisabledStatuses(draft, context);
          const spec: Draft<PodSpec> = { ...((old.spec ?? NO_SPEC) as Draft<PodSpec>) };
          if (sent) spec.ephemeralContainers = sent;
          else delete spec.ephemeralContainers;
          draft.spec = spec;
          dropDisabled(spec, old.spec, context);
          keepMetadata(draft, old);
          countGeneration(draft, old, context);
        },
        validateUpdate: validateEphemeralChange,
        resetFields: [['status']],
      },
    },
    selectableFields: ({ spec = NO_SPEC, status = {} }) => ({
      'spec.nodeName': spec.nodeName ?? '',
      'spec.restartPolicy': spec.restartPolicy ?? '',
      'spec.schedulerName': spec.schedulerName ?? '',
      'spec.serviceAccountName': spec.serviceAccountName ?? '',
      'spec.hostNetwork': String(spec.hostNetwork ?? false),
      'status.phase': status.phase ?? '',
      'status.podIP': status.podIPs?.[0]?.ip ?? '',
      'status.nominatedNodeName': status.nominatedNodeName ?? '',
    }),
    tableRow: podRow,
  }),
});

function defaultOwnSpec(spec: Draft<PodSpec>): void {
  for (const { resources } of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    // What is limited and not asked for is asked for up to the limit.
    if (resources?.limits) resources.requests = { ...resources.limits, ...resources.requests };
  }
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork) {
    for (const { ports } of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
      for (const port of ports ?? []) port.hostPort ||= port.containerPort;
    }
  }
  defaultPodSpec(spec);
}

const annotationErrors = ({ metadata, spec = NO_SPEC }: Pod): readonly FieldError[] =>
  podAnnotationErrors(metadata.annotations, spec, ANNOTATIONS);

function fixGracePeriod(spec: Draft<PodSpec>): void {
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
}

function validateWhole({ metadata, spec = NO_SPEC }: Pod): readonly FieldError[] {
  const errors: FieldError[] = [...validatePodSpec(spec, SPEC, metadata.name)];
  if (!spec.serviceAccountName) {
    spec.volumes?.forEach(({ projected }, at) => {
      projected?.sources?.forEach(({ serviceAccountToken }, index) => {
        if (!serviceAccountToken) return;
        const path = SPEC.child('volumes').index(at).child('projected', 'sources').index(index);
        errors.push(
          forbidden(
            path.child('serviceAccountToken'),
            'must not be specified when serviceAccountName is not set',
          ),
        );
      });
    });
  }
  for (const list of ['containers', 'initContainers'] as const) {
    spec[list]?.forEach((container, at) =>
      append(errors, validateTrimmedImage(container, SPEC.child(list).index(at))),
    );
  }
  return errors;
}

function validateNew({ metadata, spec = NO_SPEC }: Pod): readonly FieldError[] {
  const errors: FieldError[] = [];
  if ((spec.ephemeralContainers?.length ?? 0) > 0) {
    errors.push(forbidden(SPEC.child('ephemeralContainers'), 'cannot be set on create'));
  }
  if (spec.nodeName && (spec.schedulingGates?.length ?? 0) > 0) {
    errors.push(
      forbidden(SPEC.child('nodeName'), 'cannot be set until all schedulingGates have been cleared'),
    );
  }
  return [...errors, ...appArmorMatchErrors(metadata.annotations, spec, SPEC)];
}

/** Nothing but the containers is taken from the request, and nobody is noted for them. */
function keepMetadata({ metadata }: Draft<Pod>, old: Pod): void {
  const { resourceVersion } = metadata;
  for (const name of Object.keys(metadata)) Reflect.deleteProperty(metadata, name);
  Object.assign(metadata, old.metadata, resourceVersion !== undefined && { resourceVersion });
}

/** Ephemeral containers are added, never changed or removed. */
function validateEphemeralChange(pod: Pod, old: Pod): readonly FieldError[] {
  const path = SPEC.child('ephemeralContainers');
  const present = pod.spec?.ephemeralContainers ?? [];
  const errors = [...validateWhole(pod)];
  for (const before of old.spec?.ephemeralContainers ?? []) {
    const at = present.findIndex(({ name }) => name === before.name);
    const now = present[at];
    if (!now) {
      errors.push(
        forbidden(
          path,
          `existing ephemeral containers ${JSON.stringify(before.name ?? '')} may not be removed\n`,
        ),
      );
    } else if (!isEqualJson(now, before)) {
      errors.push(
        forbidden(
          path,
          `existing ephemeral containers ${JSON.stringify(before.name ?? '')} may not be changed\n`,
        ),
      );
    }
  }
  return errors;
}

const ENDED = ['Succeeded', 'Failed'];

function gracePeriodOf({ spec = NO_SPEC, status = {} }: Pod, { gracePeriodSeconds }: DeleteOptions): number {
  const period = gracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 0;
  if (!spec.nodeName || ENDED.includes(status.phase ?? '')) return 0;
  return period < 0 ? 1 : period;
}
