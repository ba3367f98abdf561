/**
 * Does what is asked for still fit into the quotas, and what do they count then? A quota counts what its
 * status limits; one without status limits nothing yet.
 */
import type { ApiObject } from '../../../api/object.ts';
import type { ResourceQuota } from '../../../api/types/core-v1.ts';
import {
  type Amounts,
  amountsOf,
  amountsText,
  type AmountTexts,
  differenceOf,
  namesAbove,
  only,
  sumOf,
  textsOf,
} from '../../../api/quota/amounts.ts';
import { isInScopes } from '../../../api/quota/usage-rules.ts';
import type { UsageRule } from '../../../api/quota/usage-rule.ts';

export interface Charge {
  readonly quota: ResourceQuota;
  /** What it counts from now on. */
  readonly used: AmountTexts;
}

export interface ChargeRequest {
  readonly quotas: readonly ResourceQuota[];
  readonly rule: UsageRule;
  readonly object: ApiObject;
  /** Absent: the object is new. */
  readonly old: ApiObject | undefined;
  readonly nowMs: number;
  /** Makes the error of a refusal. */
  readonly refuse: (why: string) => Error;
}

const NOTHING: Amounts = new Map();

/** Only quotas whose count changes. @throws what `refuse` makes */
export function chargesOf({ quotas, rule, object, old, nowMs, refuse }: ChargeRequest): readonly Charge[] {
  const concerned = quotas.filter((quota) => isConcerned(quota, rule, object));
  if (concerned.length === 0) return [];
  for (const quota of concerned) {
    const problem = problemWith(quota, rule, object);
    if (problem !== undefined) throw refuse(problem);
  }
  const change = differenceOf(rule.usageOf(object, nowMs), old ? rule.usageOf(old, nowMs) : NOTHING);
  return concerned.flatMap((quota) => {
    const hard = amountsOf(quota.status?.hard);
    const used = amountsOf(quota.status?.used);
    const requested = only(change, (name) => hard.has(name));
    if (requested.size === 0) return [];
    const next = sumOf(used, requested);
    const above = namesAbove(
      only(next, (name) => requested.has(name)),
      hard,
    );
    if (above.size > 0) {
      const shown = (amounts: Amounts): string => amountsText(only(amounts, (name) => above.has(name)));
      throw refuse(
        `exceeded quota: ${quota.metadata.name ?? ''}, requested: ${shown(requested)}, used: ${shown(used)}, limited: ${shown(hard)}`,
      );
    }
    return [
      { quota, used: { ...quota.status?.used, ...textsOf(only(next, (name) => requested.has(name))) } },
    ];
  });
}

const trackedNames = ({ status }: ResourceQuota, rule: UsageRule): readonly string[] =>
  Object.keys(status?.hard ?? {})
    .filter((name) => rule.tracks(name))
    .sort();

const isConcerned = (quota: ResourceQuota, rule: UsageRule, object: ApiObject): boolean =>
  trackedNames(quota, rule).length > 0 && isInScopes(quota, rule, object);

function problemWith(quota: ResourceQuota, rule: UsageRule, object: ApiObject): string | undefined {
  const names = trackedNames(quota, rule);
  const name = quota.metadata.name ?? '';
  const problem = rule.problemWith?.(object, names);
  if (problem !== undefined) return `failed quota: ${name}: ${problem}`;
  const used = quota.status?.used ?? {};
  return names.every((limited) => Object.hasOwn(used, limited))
    ? undefined
    : `status unknown for quota: ${name}, resources: ${names.join(',')}`;
}
