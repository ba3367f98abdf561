/**
 * What an agent sends of its node's status: a strategic merge patch of what has changed, most often the times of
 * heartbeats alone. Members that the agent has nothing to say about stay. Pure.
 */
import type { NodeCondition, NodeStatus } from '../../api/types/core-v1.ts';
import { saysTheSame } from '../says-the-same.ts';

/** A list that a strategic merge patch would merge item by item; it is sent whole. */
const REPLACED = 'addresses';

/** What was found to say the same: what the Node says, and what it should say. */
export type Alike = WeakMap<object, unknown>;

/** From what the Node says to what it should say. What is in `alike` is not compared again. */
export function nodeStatusPatch(
  present: NodeStatus,
  wanted: NodeStatus,
  alike: Alike = new WeakMap<object, unknown>(),
): Record<string, unknown> {
  const changes: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(wanted)) {
    if (member === 'conditions') continue;
    const old: unknown = Reflect.get(present, member);
    const isObject = typeof old === 'object' && old !== null;
    if (isObject && alike.get(old) === value) continue;
    const change = changeOf(old, value);
    if (change === undefined && isObject) alike.set(old, value);
    if (change === undefined) continue;
    const isReplaced = member === REPLACED && (present.addresses?.length ?? 0) > 0;
    changes[member] = isReplaced ? [...(value as object[]), { $patch: 'replace' }] : change;
  }
  return { ...changes, ...conditionsPatch(present.conditions ?? [], wanted.conditions ?? []) };
}

function conditionsPatch(present: readonly NodeCondition[], wanted: readonly NodeCondition[]): object {
  const changed = wanted.flatMap((condition, index) => {
    // Most often they stand in the same order.
    const old =
      present[index]?.type === condition.type
        ? present[index]
        : present.find(({ type }) => type === condition.type);
    const change = changeOf(old, condition);
    return change === undefined ? [] : [{ ...(change as object), type: condition.type }];
  });
  if (changed.length === 0) return {};
  return { '$setElementOrder/conditions': wanted.map(({ type }) => ({ type })), conditions: changed };
}

/** Of maps the members that differ, null for those that are gone; of anything else all of it. Undefined: nothing. */
function changeOf(old: unknown, now: unknown): unknown {
  if (old === now) return undefined;
  if (!isMap(old) || !isMap(now)) return saysTheSame(old, now) ? undefined : now;
  const changes: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(now)) {
    const change = changeOf(old[member], value);
    if (change !== undefined) changes[member] = change;
  }
  for (const member of Object.keys(old)) if (!(member in now)) changes[member] = null;
  return Object.keys(changes).length > 0 ? changes : undefined;
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
