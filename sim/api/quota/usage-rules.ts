/** Which rule counts what, and which quotas count it at all. Pure. */
import type { ApiObject } from '../object.ts';
import type { ResourceQuota, ScopedResourceSelectorRequirement } from '../types/core-v1.ts';
import { claimRule } from './claim-usage.ts';
import { podRule } from './pod-usage.ts';
import { serviceRule } from './service-usage.ts';
import { type GroupResource, objectCountRule, type UsageRule } from './usage-rule.ts';

const RULES: ReadonlyMap<string, UsageRule> = new Map([
  ['persistentvolumeclaims', claimRule],
  ['pods', podRule],
  ['services', serviceRule],
]);

/** Undefined: its objects are counted, and nothing of them. */
export const ownRuleOf = ({ group, resource }: GroupResource): UsageRule | undefined =>
  group === '' ? RULES.get(resource) : undefined;

/** By what was asked with: every manager of a process follows the same kinds. */
const counted = new WeakMap<GroupResource, UsageRule>();

export function ruleOf(resource: GroupResource): UsageRule {
  const known = ownRuleOf(resource) ?? counted.get(resource);
  if (known) return known;
  const rule = objectCountRule(resource);
  counted.set(resource, rule);
  return rule;
}

export const scopesOf = ({ spec }: ResourceQuota): readonly ScopedResourceSelectorRequirement[] => [
  ...(spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' as const })),
  ...(spec?.scopeSelector?.matchExpressions ?? []),
];

export const isInScopes = (quota: ResourceQuota, rule: UsageRule, object: ApiObject): boolean =>
  scopesOf(quota).every((scope) => rule.isInScope?.(object, scope) === true);
