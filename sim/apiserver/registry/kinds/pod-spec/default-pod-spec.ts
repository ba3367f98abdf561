/**
 * What the server fills into a pod's spec, wherever it stands: pods, pod templates, the templates of
 * workloads. Volumes and containers are left as they came but for what they do not say.
 */
import type {
  Container,
  EphemeralContainer,
  Lifecycle,
  PodSpec,
  PodTemplateSpec,
  Probe,
} from '../../../../api/types/core-v1.ts';
import type { ObjectMeta } from '../../../../api/object.ts';
import type { Draft } from '../../strategy.ts';
import { defaultVolume } from './default-volume.ts';
import { defaultPullPolicy } from './image-name.ts';
import { roundToMilli } from './quantities.ts';

/** Containers of every sort have the members of an ephemeral one, but for its target. */
export type ContainerDraft = Draft<EphemeralContainer> | Draft<Container>;

const DEFAULT_GRACE_PERIOD_SECONDS = 30;

/** The template of a workload. */
export function defaultPodTemplate(template: Draft<PodTemplateSpec> | null | undefined): void {
  if (template?.metadata) dropFormerAnnotations(template.metadata);
  if (template?.spec) defaultPodSpec(template.spec);
}

/** Where containers of initialization once stood: nobody reads them, and nobody keeps them. */
const FORMER_ANNOTATIONS = ['pod.beta', 'pod.alpha'].flatMap((prefix) => [
  `${prefix}.kubernetes.io/init-containers`,
  `${prefix}.kubernetes.io/init-container-statuses`,
]);

export function dropFormerAnnotations(metadata: Draft<ObjectMeta>): void {
  const { annotations } = metadata;
  if (!annotations || !FORMER_ANNOTATIONS.some((name) => name in annotations)) return;
  const kept = Object.entries(annotations).filter(([name]) => !FORMER_ANNOTATIONS.includes(name));
  if (kept.length > 0) metadata.annotations = Object.fromEntries(kept);
  else delete metadata.annotations;
}

export function defaultPodSpec(spec: Draft<PodSpec>): void {
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
  for (const container of containersOf(spec)) defaultContainer(container);
  spec.restartPolicy ??= 'Always';
  spec.terminationGracePeriodSeconds ??= DEFAULT_GRACE_PERIOD_SECONDS;
  spec.dnsPolicy ??= 'ClusterFirst';
  Object.assign(spec, withMirroredServiceAccount(spec));
  spec.securityContext ??= {};
  spec.schedulerName ??= 'default-scheduler';
  if (spec.overhead) roundToMilli(spec.overhead);
}

/** Containers, init containers and ephemeral containers. */
export function containersOf(spec: Draft<PodSpec>): ContainerDraft[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
}

/** `serviceAccount` is an old name of `serviceAccountName`; both are shown. */
export function withMirroredServiceAccount(spec: Draft<PodSpec>): Draft<PodSpec> {
  const name = spec.serviceAccountName || spec.serviceAccount;
  if (!name || (spec.serviceAccountName === name && spec.serviceAccount === name)) return spec;
  return { ...spec, serviceAccountName: name, serviceAccount: name };
}

function defaultContainer(container: ContainerDraft): void {
  for (const port of container.ports ?? []) port.protocol ||= 'TCP';
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom?.fieldRef) valueFrom.fieldRef.apiVersion ||= 'v1';
  }
  if (container.resources?.limits) roundToMilli(container.resources.limits);
  if (container.resources?.requests) roundToMilli(container.resources.requests);
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
    if (probe) defaultProbe(probe);
  }
  if (container.lifecycle) defaultLifecycle(container.lifecycle);
  container.terminationMessagePath ||= '/dev/termination-log';
  container.terminationMessagePolicy ||= 'File';
  container.imagePullPolicy ||= defaultPullPolicy(container.image ?? '');
}

function defaultProbe(probe: Draft<Probe>): void {
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  defaultHttpGet(probe.httpGet);
  if (probe.grpc) probe.grpc.service ??= '';
}

function defaultLifecycle({ postStart, preStop }: Draft<Lifecycle>): void {
  defaultHttpGet(postStart?.httpGet);
  defaultHttpGet(preStop?.httpGet);
}

function defaultHttpGet(get: Draft<NonNullable<Probe['httpGet']>> | undefined): void {
  if (!get) return;
  get.path ||= '/';
  get.scheme ||= 'HTTP';
}
