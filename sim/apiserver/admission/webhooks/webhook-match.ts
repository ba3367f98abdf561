/** Whether a webhook is called about a request, and in which version it sees the object. */
import { ApiError, forbidden } from '../../../api/status.ts';
import type { Process } from '../../../engine/process.ts';
import { plainValue } from '../../../api/cel/schema/json-values.ts';
import { authorizerValue, resourceCheckValue } from '../../../api/cel/library/authorizer.ts';
import type { ResourceVersion } from '../../registry/resource.ts';
import { type AdmissionAttributes, toldNamespace } from '../admission.ts';
import { untilAnswered } from '../../authorization/awaited-answer.ts';
import { conditionsHold, type PolicyInput } from '../policies/evaluate-policy.ts';
import { matchesNamespace, matchesObjects, versionByRules } from '../policies/policy-match.ts';
import { requestAuthorizer } from '../policies/request-authorizer.ts';
import { requestName, requestValue } from '../policies/request-value.ts';
import type { ShownObjects } from './shown-objects.ts';
import type { WebhookInForce, WebhookKind } from './webhook-source.ts';

const EXEMPT_GROUP = 'admissionregistration.k8s.io';

/** Whoever guards the guards could lock everybody out. */
export const isExempt = ({ resource }: Pick<AdmissionAttributes, 'resource'>): boolean =>
  resource.group === EXEMPT_GROUP;

/** The version that the webhook's rules name. Undefined: it is not called. @throws ApiError */
export function versionFor(
  attributes: AdmissionAttributes,
  { webhook }: WebhookInForce,
): ResourceVersion | undefined {
  const { namespaceSelector = {}, objectSelector = {}, rules = [], matchPolicy } = webhook;
  const namespace = matchOr(() => matchesNamespace(attributes, namespaceSelector));
  if (namespace === false) return undefined;
  const objects = matchOr(() => matchesObjects(attributes, objectSelector));
  if (objects === false) return undefined;
  const version = versionByRules(attributes, rules, matchPolicy === 'Exact' ? 'Exact' : 'Equivalent');
  if (!version) return undefined;
  // A webhook that the rules leave out is nobody's trouble.
  for (const match of [namespace, objects]) if (match instanceof ApiError) throw match;
  return version;
}

function matchOr(match: () => boolean): boolean | ApiError {
  try {
    return match();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

export interface Candidate {
  readonly hook: WebhookInForce;
  readonly kind: WebhookKind;
  readonly version: ResourceVersion;
  readonly shown: ShownObjects;
}

/** Whether its conditions let it be called. @throws ApiError Forbidden */
export function* meetsConditions(
  attributes: AdmissionAttributes,
  { hook: { webhook, conditions }, kind, version, shown }: Candidate,
): Process<boolean> {
  if (conditions.length === 0) return true;
  const input = yield* inputOf(attributes, version, shown);
  const held = yield* untilAnswered(() => conditionsHold(conditions, input));
  if (held === true) return true;
  const isIgnored = webhook.failurePolicy === 'Ignore';
  attributes.context.admissionMetrics?.conditionsEvaluated({
    kind: 'webhook',
    name: webhook.name,
    operation: attributes.operation,
    step: kind === 'mutating' ? 'admit' : 'validating',
    outcome: held === false ? 'excluded' : isIgnored ? 'failed open' : 'failed',
  });
  if (held === false || isIgnored) return false;
  const { group } = attributes.version;
  throw forbidden({ group, resource: attributes.resource.resource }, requestName(attributes), held);
}

function* inputOf(
  attributes: AdmissionAttributes,
  version: ResourceVersion,
  shown: ShownObjects,
): Process<PolicyInput> {
  const { resource, subresource, context } = attributes;
  const authorizer = requestAuthorizer(context.authorizer, context.user);
  const { object, oldObject } = yield* shown.in(version);
  return {
    object: plainValue(object),
    oldObject: plainValue(oldObject),
    params: null,
    request: plainValue(requestValue(attributes, version)),
    namespaceObject: null,
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
