import type { StoredObject } from '../stores/stored-object.ts';
import type { CacheEvent } from './cache-event.ts';

/** One value of one field, such as the node of a pod. */
export interface Trigger {
  readonly field: string;
  readonly value: string;
  /** The field's value in an object; equal for all triggers of the field. */
  readonly valueOf: (object: StoredObject) => string;
}

interface Field<T> {
  readonly valueOf: Trigger['valueOf'];
  /** By value: the members, each with its scope. */
  readonly members: Map<string, Map<T, string>>;
}

/**
 * Finds the watches of one value of a field, such as those of the agents for the pods of their nodes, so that an event
 * costs the same however many there are. An event is for the watches of the value before and of the value after.
 */
export class TriggerIndex<T> {
  readonly #fields = new Map<string, Field<T>>();

  /** `scope`: a directory, or one whole key. */
  add({ field, value, valueOf }: Trigger, scope: string, member: T): void {
    const known: Field<T> = this.#fields.get(field) ?? { valueOf, members: new Map() };
    this.#fields.set(field, known);
    const members = known.members.get(value) ?? new Map<T, string>();
    known.members.set(value, members.set(member, scope));
  }

  delete({ field, value }: Trigger, member: T): void {
    const known = this.#fields.get(field);
    const members = known?.members.get(value);
    members?.delete(member);
    if (members?.size === 0) known?.members.delete(value);
    if (known?.members.size === 0) this.#fields.delete(field);
  }

  visit(event: CacheEvent, tell: (member: T, event: CacheEvent) => void): void {
    if (this.#fields.size === 0) return;
    const { current, previous } = event;
    for (const { valueOf, members } of this.#fields.values()) {
      const after = current && valueOf(current);
      const before = previous && valueOf(previous);
      if (after !== undefined) visitScopes(members.get(after), event, tell);
      if (before !== undefined && before !== after) visitScopes(members.get(before), event, tell);
    }
  }

  /** Every member, in the order of fields and values. */
  all(): readonly T[] {
    return [...this.#fields.values()].flatMap(({ members }) =>
      [...members.values()].flatMap((each) => [...each.keys()]),
    );
  }
}

function visitScopes<T>(
  members: ReadonlyMap<T, string> | undefined,
  event: CacheEvent,
  tell: (member: T, event: CacheEvent) => void,
): void {
  if (!members) return;
  const { key } = event;
  for (const [member, scope] of members) {
    if (scope === key || (scope.endsWith('/') && key.startsWith(scope))) tell(member, event);
  }
}
