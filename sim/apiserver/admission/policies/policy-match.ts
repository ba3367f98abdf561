/** Whether a request is one of those that a policy, a binding or a webhook is about. */
import type { ApiObject } from '../../../api/object.ts';
import { labelSelectorOf } from '../../../api/selector/label-selector.ts';
import { ApiError } from '../../../api/status.ts';
import type {
  MatchResources,
  NamedRuleWithOperations,
} from '../../../api/types/admissionregistration-k8s-io-v1.ts';
import type { ResourceVersion } from '../../registry/resource.ts';
import type { DraftObject } from '../../registry/strategy.ts';
import type { AdmissionAttributes } from '../admission.ts';
import { requestName } from './request-value.ts';

/** In which version the request is looked at: its own, or an equivalent one that a rule names. */
export function matchedVersion(
  attributes: AdmissionAttributes,
  match: MatchResources,
): ResourceVersion | undefined {
  const {
    namespaceSelector,
    objectSelector,
    resourceRules = [],
    excludeResourceRules = [],
    matchPolicy,
  } = match;
  if (namespaceSelector && !matchesNamespace(attributes, namespaceSelector)) return undefined;
  if (objectSelector && !matchesObjects(attributes, objectSelector)) return undefined;
  if (versionByRules(attributes, excludeResourceRules, matchPolicy)) return undefined;
  return resourceRules.length === 0
    ? attributes.version
    : versionByRules(attributes, resourceRules, matchPolicy);
}

type Selector = NonNullable<MatchResources['namespaceSelector']>;

const isEmpty = ({ matchLabels = {}, matchExpressions = [] }: Selector): boolean =>
  Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;

const isNamespace = ({ resource }: AdmissionAttributes): boolean =>
  resource.group === '' && resource.resource === 'namespaces';

/** Objects outside of namespaces are not chosen by them. */
export function matchesNamespace(attributes: AdmissionAttributes, selector: Selector): boolean {
  const { namespace, operation, subresource, object, context } = attributes;
  if (isEmpty(selector) || (namespace === '' && !isNamespace(attributes))) return true;
  const isWritten = subresource === '' && (operation === 'CREATE' || operation === 'UPDATE');
  const ofObject = isNamespace(attributes) && isWritten;
  const name = isNamespace(attributes) ? attributes.name : namespace;
  const found = ofObject ? object : context.lookup('namespaces', '', name);
  if (!found)
    throw new ApiError({
      reason: 'NotFound',
      message: `namespaces "${name}" not found`,
      details: { name, kind: 'namespaces' },
    });
  return labelSelectorOf(selector).matches(found.metadata.labels ?? {});
}

/** By the labels of what the request shows: those of a Scale are none, whatever it is a part of. */
export function matchesObjects(
  { object, oldObject, view }: AdmissionAttributes,
  selector: Selector,
): boolean {
  if (isEmpty(selector)) return true;
  if (view?.isBare) return false;
  const parsed = labelSelectorOf(selector);
  const matches = (each: ApiObject | DraftObject | undefined): boolean =>
    each !== undefined && parsed.matches((view?.show(each) ?? each).metadata.labels ?? {});
  return matches(object) || matches(oldObject);
}

export function versionByRules(
  attributes: AdmissionAttributes,
  rules: readonly NamedRuleWithOperations[],
  matchPolicy: MatchResources['matchPolicy'],
): ResourceVersion | undefined {
  const { version, resource } = attributes;
  if (rules.some((rule) => matchesRule(attributes, rule, version))) return version;
  if (matchPolicy === 'Exact') return undefined;
  for (const rule of rules) {
    for (const other of resource.versions.values())
      if (other !== version && matchesRule(attributes, rule, other)) return other;
  }
  return undefined;
}

function matchesRule(
  attributes: AdmissionAttributes,
  rule: NamedRuleWithOperations,
  { group, version }: ResourceVersion,
): boolean {
  const { operations = [], apiGroups = [], apiVersions = [], resourceNames = [] } = rule;
  const has = (list: readonly string[], item: string): boolean => list.includes('*') || list.includes(item);
  return (
    has(operations, attributes.operation) &&
    has(apiGroups, group) &&
    has(apiVersions, version) &&
    matchesResource(attributes, rule.resources ?? []) &&
    matchesScope(attributes, rule.scope) &&
    (resourceNames.length === 0 || resourceNames.includes(requestName(attributes)))
  );
}

const matchesResource = ({ resource, subresource }: AdmissionAttributes, named: readonly string[]): boolean =>
  named.some((text) => {
    const [name = '', part = ''] = text.split('/', 2);
    return (name === '*' || name === resource.resource) && (part === '*' || part === subresource);
  });

function matchesScope(attributes: AdmissionAttributes, scope: string | undefined): boolean {
  const isInNamespace = attributes.namespace !== '' && !isNamespace(attributes);
  if (scope === 'Namespaced') return isInNamespace;
  return scope === 'Cluster' ? !isInNamespace : true;
}
