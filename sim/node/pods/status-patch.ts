/**
 * What a node agent sends of a pod's status: a strategic merge patch with what has changed, so that
 * what others have written meanwhile stays. Pure.
 */
import type { PodCondition, PodStatus } from '../../api/types/core-v1.ts';
import { saysTheSame } from '../says-the-same.ts';

/** Lists that a strategic merge patch would merge item by item: they are sent whole. */
const REPLACED: ReadonlySet<string> = new Set(['podIPs', 'hostIPs']);

/** Undefined: nothing has changed. */
export function statusPatch(present: PodStatus = {}, wanted: PodStatus): object | undefined {
  const members = new Set([...Object.keys(present), ...Object.keys(wanted)]);
  const changes: Record<string, unknown> = {};
  for (const member of members) {
    if (member === 'conditions') continue;
    const [old, now]: unknown[] = [Reflect.get(present, member), Reflect.get(wanted, member)];
    if (saysTheSame(old, now)) continue;
    if (now === undefined) changes[member] = null;
    else changes[member] = REPLACED.has(member) ? [...(now as object[]), { $patch: 'replace' }] : now;
  }
  const conditions = conditionsPatch(present.conditions ?? [], wanted.conditions ?? []);
  if (!conditions && Object.keys(changes).length === 0) return undefined;
  return { ...changes, ...conditions };
}

function conditionsPatch(
  present: readonly PodCondition[],
  wanted: readonly PodCondition[],
): object | undefined {
  const order = wanted.map(({ type }) => ({ type }));
  const changed = wanted.flatMap((condition) => {
    const old = present.find(({ type }) => type === condition.type);
    return old && saysTheSame(old, condition) ? [] : [{ ...emptied(old), ...condition }];
  });
  const gone = present
    .filter(({ type }) => !wanted.some((condition) => condition.type === type))
    .map(({ type }) => ({ type, $patch: 'delete' }));
  if (changed.length + gone.length === 0) return undefined;
  return { '$setElementOrder/conditions': order, conditions: [...changed, ...gone] };
}

/** Members that a condition had: what is not said again goes. */
const emptied = (old: PodCondition | undefined): object =>
  Object.fromEntries(Object.keys(old ?? {}).map((member) => [member, null]));
