/**
 * PodSecurity: pods keep to the level that their namespace asks for. What is enforced refuses pods; the
 * other modes only speak, of workloads' templates too. Nobody is exempt, and a namespace without labels
 * asks for nothing. Specification: not shown (Kubernetes, "Pod Security Admission").
 */
import type { ApiObject } from '../../../api/object.ts';
import { forbidden } from '../../../api/status.ts';
import type { CronJob } from '../../../api/types/batch-v1.ts';
import type { Pod, PodTemplate, PodTemplateSpec } from '../../../api/types/core-v1.ts';
import { aggregateText, fieldErrorText, invalidError } from '../../../api/validation/field-error.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import { checkedPod, type CheckedPod } from '../pod-security/check.ts';
import { detailsText, violationsOf } from '../pod-security/evaluate.ts';
import { warningsOfExisting } from '../pod-security/existing-pods.ts';
import { isSame, isStricter, policyOf, type ReadPolicy, textOf } from '../pod-security/policy.ts';
import { isSignificantUpdate } from '../pod-security/significant-update.ts';

const AUDIT_PREFIX = 'pod-security.kubernetes.io/';
/** A version makes no difference where nothing is asked for. */
const OPEN_TEXT = 'privileged:latest';

const WORKLOADS: ReadonlySet<string> = new Set([
  'podtemplates',
  'replicationcontrollers',
  'daemonsets.apps',
  'deployments.apps',
  'replicasets.apps',
  'statefulsets.apps',
  'cronjobs.batch',
  'jobs.batch',
]);

export const podSecurity: AdmissionPlugin = {
  name: 'PodSecurity',
  handles: (operation, { group, resource }, subresource) => {
    if (operation !== 'CREATE' && operation !== 'UPDATE') return false;
    if (group === '' && resource === 'pods')
      return subresource === '' || subresource === 'ephemeralcontainers';
    if (subresource !== '') return false;
    if (group === '') return resource === 'namespaces' || WORKLOADS.has(resource);
    return (group === 'apps' || group === 'batch') && WORKLOADS.has(`${resource}.${group}`);
  },
  validate: (attributes) => {
    const { resource } = attributes;
    if (resource.resource === 'namespaces') checkLabels(attributes);
    else if (resource.resource === 'pods') checkPod(attributes);
    else checkTemplate(attributes);
  },
};

/** Labels have to make sense as soon as they change; pods that are there already are only told of. */
function checkLabels({ resource, name, object, oldObject, context }: AdmissionAttributes): void {
  const { policy, errors } = policyOf(object?.metadata.labels);
  const before = oldObject && policyOf(oldObject.metadata.labels);
  if (errors.length > 0 && !isKnown(errors, before)) throw invalidError(resource, name, errors);
  if (!before) return;
  const [now, then] = [policy.enforce, before.policy.enforce];
  if (isSame(now, then) || now.level === 'privileged') return;
  if (now.minor === then.minor && !isStricter(now.level, then.level)) return;
  const pods = context.lookupAll('pods', name) as readonly Pod[];
  for (const warning of warningsOfExisting(name, pods, now)) context.warn(warning);
}

const isKnown = (errors: ReadPolicy['errors'], before: ReadPolicy | undefined): boolean =>
  before !== undefined &&
  errors.map(fieldErrorText).join('\n') === before.errors.map(fieldErrorText).join('\n');

const policyOfNamespace = ({ context, namespace }: AdmissionAttributes): ReadPolicy =>
  policyOf(context.lookup('namespaces', '', namespace)?.metadata.labels);

function checkPod(attributes: AdmissionAttributes): void {
  const { object, oldObject, resource, name } = attributes;
  const read = policyOfNamespace(attributes);
  const { enforce, audit, warn } = read.policy;
  const isOpen = [enforce, audit, warn].every(({ level }) => level === 'privileged');
  if (isOpen && read.errors.length === 0) {
    noteEnforced(attributes, OPEN_TEXT);
    return;
  }
  const pod = object as Pod;
  if (!pod.spec || (oldObject && !isSignificantUpdate(pod, oldObject))) return;
  const checked = checkedPod(pod.metadata.annotations, pod.spec);
  noteEnforced(attributes, textOf(enforce));
  noteAudited(attributes, read, checked);
  const violations = violationsOf(checked, enforce);
  if (violations.length > 0)
    throw forbidden(resource, name, `violates PodSecurity "${textOf(enforce)}": ${detailsText(violations)}`);
  warnOf(attributes, read, checked);
}

/** The pods of the template are refused only when they come. */
function checkTemplate(attributes: AdmissionAttributes): void {
  const read = policyOfNamespace(attributes);
  const { audit, warn } = read.policy;
  if (audit.level === 'privileged' && warn.level === 'privileged' && read.errors.length === 0) return;
  const template = attributes.object && templateOf(attributes.object);
  if (!template) return;
  const checked = checkedPod(template.metadata?.annotations, template.spec ?? { containers: [] });
  noteAudited(attributes, read, checked);
  warnOf(attributes, read, checked);
}

interface Templated {
  readonly spec?: { readonly template?: PodTemplateSpec };
}

function templateOf(object: ApiObject): PodTemplateSpec | undefined {
  if (object.kind === 'PodTemplate') return (object as PodTemplate).template ?? {};
  const owner =
    object.kind === 'CronJob' ? (object as CronJob).spec?.jobTemplate : (object as ApiObject & Templated);
  return owner?.spec?.template;
}

function noteEnforced({ context }: AdmissionAttributes, text: string): void {
  context.annotate(`${AUDIT_PREFIX}enforce-policy`, text);
}

function noteAudited(
  { context }: AdmissionAttributes,
  { policy, errors }: ReadPolicy,
  pod: CheckedPod,
): void {
  if (errors.length > 0)
    context.annotate(`${AUDIT_PREFIX}error`, `Failed to parse policy: ${aggregateText(errors)}`);
  const text = wouldViolate(policy.audit, pod);
  if (text) context.annotate(`${AUDIT_PREFIX}audit-violations`, text);
}

function warnOf({ context }: AdmissionAttributes, { policy }: ReadPolicy, pod: CheckedPod): void {
  const text = wouldViolate(policy.warn, pod);
  if (text) context.warn(text);
}

function wouldViolate(policy: ReadPolicy['policy']['warn'], pod: CheckedPod): string | undefined {
  const violations = violationsOf(pod, policy);
  if (violations.length === 0) return undefined;
  return `would violate PodSecurity "${textOf(policy)}": ${detailsText(violations)}`;
}
