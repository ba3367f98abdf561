/**
 * Members of a pod's spec that only features know which are off: they are not stored, unless the object had such a
 * member before.
 */
import { defaultPullPolicy } from './image-name.ts';
import type { ApiObject } from '../../../../api/object.ts';
import type { PodSpec } from '../../../../api/types/core-v1.ts';
import { isEqualJson } from '../../../verbs/equal-json.ts';
import { isShared } from '../../shared-parts.ts';
import type { Draft, HookContext, Strategy } from '../../strategy.ts';
import { type ContainerDraft, containersOf } from './default-pod-spec.ts';

type SpecDraft = Draft<PodSpec>;

interface Field {
  readonly gate: string;
  /** Defaults that only servers give which know the field. */
  readonly complete?: (spec: SpecDraft) => void;
  /** The release that knows the gate; earlier ones have rules of their own. */
  readonly since?: string;
  isUsedIn(spec: PodSpec): boolean;
  drop(spec: SpecDraft): void;
}

const everyContainer = (spec: PodSpec): readonly ContainerDraft[] => containersOf(spec as SpecDraft);

const isRestartedOtherwise = ({ restartPolicy }: { readonly restartPolicy?: string }): boolean =>
  restartPolicy !== undefined && restartPolicy !== 'Always';

/** A member of the spec itself that later releases have. */
const member = (name: string, gate: string): Field => ({
  gate,
  isUsedIn: (spec) => name in spec,
  drop: (spec) => Reflect.deleteProperty(spec, name),
});

const FIELDS: readonly Field[] = [
  {
    gate: 'InPlacePodVerticalScaling',
    isUsedIn: (spec) => everyContainer(spec).some(({ resizePolicy }) => resizePolicy !== undefined),
    drop: (spec) => everyContainer(spec).forEach((container) => delete container.resizePolicy),
  },
  {
    gate: 'SidecarContainers',
    isUsedIn: ({ initContainers }) =>
      (initContainers ?? []).some(({ restartPolicy }) => restartPolicy !== undefined),
    drop: ({ initContainers }) => {
      for (const container of initContainers ?? []) delete container.restartPolicy;
    },
  },
  {
    gate: 'ContainerStopSignals',
    isUsedIn: (spec) => everyContainer(spec).some(({ lifecycle }) => lifecycle && 'stopSignal' in lifecycle),
    drop: (spec) => {
      for (const container of everyContainer(spec)) {
        const { lifecycle } = container;
        if (!lifecycle || !('stopSignal' in lifecycle)) continue;
        Reflect.deleteProperty(lifecycle, 'stopSignal');
        if (Object.keys(lifecycle).length === 0) delete container.lifecycle;
      }
    },
  },
  member('resources', 'PodLevelResources'),
  member('hostnameOverride', 'HostnameOverride'),
  member('workloadRef', 'GenericWorkload'),
  member('schedulingGroup', 'GenericWorkload'),
  {
    gate: 'PodCertificateRequest',
    isUsedIn: ({ volumes }) =>
      volumes?.some(({ projected }) => projected?.sources?.some((source) => 'podCertificate' in source)) ??
      false,
    drop: ({ volumes }) => {
      for (const { projected } of volumes ?? [])
        for (const source of projected?.sources ?? []) Reflect.deleteProperty(source, 'podCertificate');
    },
  },
  {
    gate: 'ContainerRestartRules',
    since: '1.34',
    isUsedIn: ({ containers, initContainers }) =>
      (containers ?? []).some(({ restartPolicy }) => restartPolicy !== undefined) ||
      (initContainers ?? []).some(isRestartedOtherwise),
    drop: ({ containers, initContainers, ephemeralContainers }) => {
      for (const container of ephemeralContainers ?? []) delete container.restartPolicy;
      for (const container of [...(containers ?? []), ...(initContainers ?? [])])
        Reflect.deleteProperty(container, 'restartPolicyRules');
      for (const container of containers ?? []) delete container.restartPolicy;
      for (const container of initContainers ?? [])
        if (isRestartedOtherwise(container)) delete container.restartPolicy;
    },
  },
  {
    gate: 'DynamicResourceAllocation',
    isUsedIn: ({ resourceClaims }) => (resourceClaims?.length ?? 0) > 0,
    drop: (spec) => {
      delete spec.resourceClaims;
      for (const { resources } of everyContainer(spec)) if (resources) delete resources.claims;
    },
  },
  {
    gate: 'UserNamespacesSupport',
    isUsedIn: ({ hostUsers }) => hostUsers !== undefined,
    drop: (spec) => delete spec.hostUsers,
  },
  {
    gate: 'ProcMountType',
    isUsedIn: (spec) =>
      everyContainer(spec).some(
        ({ securityContext }) => (securityContext?.procMount ?? 'Default') !== 'Default',
      ),
    drop: (spec) => {
      for (const { securityContext } of everyContainer(spec))
        if (securityContext && (securityContext.procMount ?? 'Default') !== 'Default')
          securityContext.procMount = 'Default';
    },
  },
  {
    gate: 'RecursiveReadOnlyMounts',
    isUsedIn: (spec) =>
      everyContainer(spec).some(({ volumeMounts }) =>
        volumeMounts?.some(({ recursiveReadOnly }) => recursiveReadOnly !== undefined),
      ),
    drop: (spec) => {
      for (const { volumeMounts } of everyContainer(spec))
        for (const mount of volumeMounts ?? []) delete mount.recursiveReadOnly;
    },
  },
  {
    gate: 'SupplementalGroupsPolicy',
    isUsedIn: ({ securityContext }) => securityContext?.supplementalGroupsPolicy !== undefined,
    drop: ({ securityContext }) => delete securityContext?.supplementalGroupsPolicy,
  },
  {
    gate: 'ClusterTrustBundleProjection',
    isUsedIn: ({ volumes }) =>
      volumes?.some(({ projected }) =>
        projected?.sources?.some(({ clusterTrustBundle }) => clusterTrustBundle !== undefined),
      ) ?? false,
    drop: ({ volumes }) => {
      for (const { projected } of volumes ?? [])
        for (const source of projected?.sources ?? []) delete source.clusterTrustBundle;
    },
  },
  {
    gate: 'ImageVolume',
    isUsedIn: ({ volumes }) => volumes?.some(({ image }) => image !== undefined) ?? false,
    complete: ({ volumes }) => {
      for (const { image } of volumes ?? [])
        if (image && !isShared(image)) image.pullPolicy ||= defaultPullPolicy(image.reference ?? '');
    },
    drop: (spec) => {
      const dropped = new Set(
        spec.volumes?.filter(({ image }) => image !== undefined).map(({ name }) => name),
      );
      if (dropped.size === 0) return;
      spec.volumes =
        spec.volumes?.filter(({ name, image }) => image === undefined || !dropped.has(name)) ?? [];
      for (const container of everyContainer(spec)) {
        const { volumeMounts } = container;
        if (volumeMounts) container.volumeMounts = volumeMounts.filter(({ name }) => !dropped.has(name));
      }
    },
  },
];

/** Of parts that are those of the object before nothing is dropped: they are frozen. */
export function dropDisabled(
  spec: SpecDraft | undefined | null,
  old: PodSpec | undefined | null,
  context: HookContext,
): void {
  if (!spec || isShared(spec)) return;
  for (const { gate, since, isUsedIn, drop, complete } of FIELDS) {
    if (context.isFeatureEnabled(gate)) complete?.(spec);
    else if (!(old && isUsedIn(old)) && (!since || context.isReleasedBy(since))) drop(spec);
  }
}

interface Selecting {
  readonly spec?: { readonly selector?: object | null } | null;
}

/** A selector that differs in empty parts only is the same one. */
function keepIdleSelector(draft: object, old: object): void {
  const [{ spec }, { spec: before }] = [draft as Selecting, old as Selecting];
  if (!spec?.selector || !before?.selector || isShared(spec)) return;
  if (isEqualJson(filledParts(spec.selector), filledParts(before.selector)))
    Reflect.set(spec, 'selector', before.selector);
}

const filledParts = (selector: object): object =>
  Object.fromEntries(
    Object.entries(selector).filter(
      ([, part]: [string, unknown]) => typeof part !== 'object' || Object.keys(part ?? {}).length > 0,
    ),
  );

/** The strategy of a kind whose objects have a pod's spec somewhere. */
export function withPodFields<T extends ApiObject>(
  specOf: (object: T) => PodSpec | undefined | null,
  strategy: Strategy<T>,
): Strategy<T> {
  const specOfDraft = (draft: Draft<T>): SpecDraft | undefined | null =>
    specOf(draft as unknown as T) as SpecDraft | undefined | null;
  return {
    ...strategy,
    prepareForCreate: (draft, context) => {
      dropDisabled(specOfDraft(draft), undefined, context);
      strategy.prepareForCreate?.(draft, context);
    },
    prepareForUpdate: (draft, old, context) => {
      dropDisabled(specOfDraft(draft), specOf(old), context);
      keepIdleSelector(draft, old);
      strategy.prepareForUpdate?.(draft, old, context);
    },
  };
}
