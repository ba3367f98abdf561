/** What a quota counts, from what there is in its namespace. Pure. Specification: not shown (Kubernetes, "Resource Quotas"). */
import type { ApiObject } from '../../api/object.ts';
import { type Amounts, sumOf, textsOf } from '../../api/quota/amounts.ts';
import { quantityOf } from '../../api/quantity.ts';
import type { UsageRule } from '../../api/quota/usage-rule.ts';
import { isInScopes } from '../../api/quota/usage-rules.ts';
import type { ResourceQuota } from '../../api/types/core-v1.ts';
import { isEqualQuantity } from '../../api/quantity.ts';

/** The objects of one kind in the quota's namespace, and how they are counted. */
export interface CountedKind {
  readonly rule: UsageRule;
  readonly objects: () => readonly ApiObject[];
}

type Texts = Readonly<Record<string, string>>;

/** The status that the quota is to have; undefined: it has it. */
export function quotaStatus(
  quota: ResourceQuota,
  kinds: readonly CountedKind[],
  nowMs: number,
): { readonly hard: Texts; readonly used: Texts } | undefined {
  const hard = quota.spec?.hard ?? {};
  const names = Object.keys(hard);
  const counted = textsOf(usageOf(quota, kinds, nowMs));
  const before = quota.status?.used ?? {};
  // What nobody counts stays as it was.
  const used = Object.fromEntries(
    names.flatMap((name) => {
      const amount = counted[name] ?? before[name];
      return amount === undefined ? [] : [[name, amount]];
    }),
  );
  const isTold = quota.status?.hard !== undefined && quota.status.used !== undefined;
  return isTold && isSameAmounts(hard, quota.status?.hard) && isSameAmounts(used, before)
    ? undefined
    : { hard, used };
}

function usageOf(quota: ResourceQuota, kinds: readonly CountedKind[], nowMs: number): Amounts {
  const used = new Map<string, ReturnType<typeof quantityOf>>();
  const names = Object.keys(quota.spec?.hard ?? {});
  for (const { rule, objects } of kinds) {
    const tracked = names.filter((name) => rule.tracks(name));
    if (tracked.length === 0) continue;
    let sum: Amounts = new Map(tracked.map((name) => [name, quantityOf(0)]));
    for (const object of objects())
      if (isInScopes(quota, rule, object)) sum = sumOf(sum, rule.usageOf(object, nowMs));
    for (const name of tracked) used.set(name, sum.get(name) ?? quantityOf(0));
  }
  return used;
}

export function isSameAmounts(one: Texts = {}, other: Texts = {}): boolean {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => {
      const amount = other[name];
      return amount !== undefined && isEqualQuantity(one[name] ?? '0', amount);
    })
  );
}
