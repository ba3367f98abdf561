/**
 * ValidatingAdmissionPolicy: requests have to satisfy the expressions of the policies that are bound to them. A binding
 * says what a failure does: deny, warn, or be noted in the audit event. Specification: not shown (Kubernetes).
 */
import { escapeHtml } from '../../../api/go-text.ts';
import { append } from '../../../api/append.ts';
import { authorizerValue, resourceCheckValue } from '../../../api/cel/library/authorizer.ts';
import { plainValue } from '../../../api/cel/schema/json-values.ts';
import { canonical } from '../../../api/codec/canonical.ts';
import type { ApiObject } from '../../../api/object.ts';
import { ApiError, forbidden } from '../../../api/status.ts';
import type { ValidatingAdmissionPolicyBinding } from '../../../api/types/admissionregistration-k8s-io-v1.ts';
import type { Process } from '../../../engine/process.ts';
import type { PolicyChecked } from '../../metrics/admission-metrics.ts';
import { type Resource, type ResourceVersion, storageResource } from '../../registry/resource.ts';
import {
  type AdmissionAttributes,
  type AdmissionContext,
  type AdmissionPlugin,
  shownName,
  toldNamespace,
} from '../admission.ts';
import { untilAnswered } from '../../authorization/awaited-answer.ts';
import { evaluatePolicy, type PolicyInput, type Verdict } from '../policies/evaluate-policy.ts';
import { matchedVersion } from '../policies/policy-match.ts';
import { kindText, ParamProblem, paramResource, paramsOf } from '../policies/policy-params.ts';
import type { PolicyInForce } from '../policies/policy-source.ts';
import { requestAuthorizer } from '../policies/request-authorizer.ts';
import { type Shown, shownIn } from '../webhooks/shown-objects.ts';
import { namespaceValue, requestName, requestValue } from '../policies/request-value.ts';

const EXEMPT_GROUP = 'admissionregistration.k8s.io';
/** Who may do what is nobody else's to say. */
const REVIEWS: ReadonlySet<string> = new Set([
  'localsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectreviews.authentication.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
  'subjectaccessreviews.authorization.k8s.io',
  'tokenreviews.authentication.k8s.io',
]);
const LONGEST_ANNOTATION = 10 * 1024;

export const validatingAdmissionPolicy: AdmissionPlugin = {
  name: 'ValidatingAdmissionPolicy',
  handles: (_operation, { group, resource }) =>
    group !== EXEMPT_GROUP && !REVIEWS.has(`${resource}.${group}`),
  isIdle: ({ policies }) => policies.inForce.length === 0,
  validate: (attributes) => {
    const { inForce } = attributes.context.policies;
    return inForce.length > 0 ? judge(attributes, inForce) : undefined;
  },
};

/** Who denied what, in the order in which it was found. */
interface Denied {
  readonly policy: string;
  readonly binding: string | undefined;
  readonly message: string;
  readonly reason: string;
}

function* judge(attributes: AdmissionAttributes, inForce: readonly PolicyInForce[]): Process<void> {
  const denied: Denied[] = [];
  for (const each of inForce) append(denied, yield* judgedBy(attributes, each));
  const [first] = denied;
  if (first) throw refusal(attributes, first);
}

function* judgedBy(attributes: AdmissionAttributes, inForce: PolicyInForce): Process<readonly Denied[]> {
  const { policy, bindings } = inForce;
  const { matchConstraints = {}, paramKind, failurePolicy } = policy.spec ?? {};
  const name = policy.metadata.name ?? '';
  const denied: Denied[] = [];
  const deny = (message: string, binding?: string): void => {
    if (failurePolicy !== 'Ignore') denied.push({ policy: name, binding, message, reason: '' });
  };
  const version = matchOr(
    () => matchedVersion(attributes, matchConstraints),
    (problem) => deny(`failed to configure policy: ${problem}`),
  );
  if (!version) return denied;
  const paramsResource = paramKind && paramResource(attributes.context, paramKind);
  if (paramKind && !paramsResource) {
    deny(
      `failed to configure policy: failed to find resource referenced by paramKind: '${kindText(paramKind)}'`,
    );
    return denied;
  }
  const annotations = new Map<string, string[]>();
  for (const binding of bindings) {
    const bindingName = binding.metadata.name ?? '';
    const fail = (problem: string): void => deny(`failed to configure binding: ${problem}`, bindingName);
    if (!matchOr(() => matchedVersion(attributes, binding.spec?.matchResources ?? {}), fail)) continue;
    const params = paramsOr(attributes, binding, paramsResource, fail);
    if (!params) continue;
    for (const param of params) {
      const input = yield* inputOf(
        attributes,
        version,
        param,
        paramsResource && { resource: paramsResource, kind: paramKind },
      );
      const verdict = yield* untilAnswered(() => evaluatePolicy(policy.spec ?? {}, inForce.compiled, input));
      countVerdict(attributes, verdict, { policy: name, binding });
      append(denied, consequences(attributes, verdict, { policy: name, binding }));
      for (const { key, value } of verdict.annotations) note(annotations, key, value);
    }
  }
  for (const [key, values] of annotations) attributes.context.annotate(`${name}/${key}`, values.join(', '));
  return denied;
}

function countVerdict(
  { operation, context: { admissionMetrics: metrics } }: AdmissionAttributes,
  { denials, ignored, notAsked }: Verdict,
  { policy, binding: { metadata, spec } }: OfBinding,
): void {
  if (!metrics) return;
  if (notAsked)
    metrics.conditionsEvaluated({
      kind: 'policy',
      name: policy,
      operation,
      step: 'validate',
      outcome: notAsked,
    });
  const binding = metadata.name ?? '';
  for (const message of ignored) metrics.policyChecked({ policy, binding, action: 'allow', message });
  for (const { message } of denials)
    for (const action of spec?.validationActions ?? [])
      metrics.policyChecked({ policy, binding, action: ACTIONS[action] ?? 'deny', message });
}

const ACTIONS: Readonly<Record<string, PolicyChecked['action']>> = {
  Deny: 'deny',
  Warn: 'warn',
  Audit: 'audit',
};

interface OfBinding {
  readonly policy: string;
  readonly binding: ValidatingAdmissionPolicyBinding;
}

function note(annotations: Map<string, string[]>, key: string, value: string): void {
  const known = annotations.get(key) ?? [];
  const text = value.slice(0, LONGEST_ANNOTATION);
  if (!known.includes(text)) annotations.set(key, [...known, text]);
}

function matchOr<T>(match: () => T | undefined, failed: (problem: string) => void): T | undefined {
  try {
    return match();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    failed(error.message);
    return undefined;
  }
}

/** Without parameters a policy is asked once. */
function paramsOr(
  attributes: AdmissionAttributes,
  { spec }: ValidatingAdmissionPolicyBinding,
  resource: Resource | undefined,
  failed: (problem: string) => void,
): readonly (ApiObject | undefined)[] | undefined {
  const ref = spec?.paramRef;
  if (!resource || !ref) return [undefined];
  try {
    return paramsOf({ context: attributes.context, resource, ref, namespace: toldNamespace(attributes) });
  } catch (error) {
    if (!(error instanceof ParamProblem)) throw error;
    failed(error.message);
    return undefined;
  }
}

interface ParamSource {
  readonly resource: Resource;
  readonly kind: { readonly apiVersion?: string } | undefined;
}

function* inputOf(
  attributes: AdmissionAttributes,
  version: ResourceVersion,
  param: ApiObject | undefined,
  source: ParamSource | undefined,
): Process<PolicyInput> {
  const { resource, namespace, subresource, context } = attributes;
  const { object, oldObject } = yield* objectsIn(attributes, version);
  const authorizer = requestAuthorizer(context.authorizer, context.user);
  const paramVersion = source?.kind?.apiVersion ?? '';
  const isNamespace = resource.group === '' && resource.resource === 'namespaces';
  const found = namespace === '' || isNamespace ? undefined : context.lookup('namespaces', '', namespace);
  return {
    object: plainValue(object),
    oldObject: plainValue(oldObject),
    params: source ? plainValue(yield* inVersion(context, source.resource, param, paramVersion)) : null,
    request: plainValue(requestValue(attributes, version)),
    namespaceObject: found ? plainValue(namespaceValue(found)) : null,
    authorizer: authorizerValue(authorizer),
    requestResource: resourceCheckValue(authorizer, {
      group: attributes.version.group,
      resource: resource.resource,
      subresource,
      namespace: toldNamespace(attributes),
      name: requestName(attributes),
    }),
  };
}

function* objectsIn(attributes: AdmissionAttributes, version: ResourceVersion): Process<Shown> {
  const { resource, object, oldObject, context, view } = attributes;
  if (view) return yield* shownIn(attributes, version);
  return {
    object: whole(resource, version, yield* inVersion(context, resource, object, version.apiVersion)),
    oldObject: whole(resource, version, yield* inVersion(context, resource, oldObject, version.apiVersion)),
  };
}

/** With the parts that a struct always has. */
const whole = (
  { isCustom }: Resource,
  { schema }: ResourceVersion,
  object: ApiObject | undefined,
): ApiObject | undefined => (object && !isCustom ? (canonical(schema, object) as ApiObject) : object);

function* inVersion(
  { surroundings }: AdmissionContext,
  resource: Resource,
  object: ApiObject | undefined,
  apiVersion: string,
): Process<ApiObject | undefined> {
  if (!object) return undefined;
  if (!resource.askConverted || object.apiVersion === apiVersion) return resource.convert(object, apiVersion);
  const [converted] = yield* resource.askConverted([object], apiVersion, surroundings, 'nothing');
  return converted;
}

function consequences(
  { context }: AdmissionAttributes,
  { denials, annotationProblems }: Verdict,
  { policy, binding }: OfBinding,
): readonly Denied[] {
  const name = binding.metadata.name ?? '';
  const actions = binding.spec?.validationActions ?? [];
  const denied: Denied[] = [];
  for (const { index, message, reason } of denials) {
    for (const action of actions) {
      if (action === 'Deny') denied.push({ policy, binding: name, message, reason });
      if (action === 'Warn')
        context.warn(
          `Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${name}': ${message}`,
        );
      if (action === 'Audit') {
        const failure = {
          message,
          policy,
          binding: name,
          expressionIndex: index,
          validationActions: actions,
        };
        const text = escapeHtml(JSON.stringify([failure]));
        context.annotate('validation.policy.admission.k8s.io/validation_failure', text);
      }
    }
  }
  return [
    ...denied,
    ...annotationProblems.map((message) => ({ policy, binding: name, message, reason: '' })),
  ];
}

const CODES: Readonly<Record<string, number>> = {
  Forbidden: 403,
  RequestEntityTooLarge: 413,
  Unauthorized: 401,
};

function refusal(attributes: AdmissionAttributes, { policy, binding, message, reason }: Denied): ApiError {
  const by = binding === undefined ? '' : ` with binding '${binding}'`;
  const text = `ValidatingAdmissionPolicy '${policy}'${by} denied request: ${message}`;
  const name =
    requestName(attributes) === '' && attributes.operation === 'DELETE' ? 'Unknown' : shownName(attributes);
  const { status } = forbidden(storageResource(attributes.resource), name, text);
  const kind = reason === '' ? 'Invalid' : (reason as 'Forbidden');
  return new ApiError({
    reason: kind,
    message: status.message ?? '',
    details: { ...status.details, causes: [{ message: text }] },
    code: CODES[kind] ?? 422,
  });
}
