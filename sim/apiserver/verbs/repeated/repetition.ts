/** How a request may say again what one before it said, but for times that any others are as good as. */
import type { ApiObject, JsonObject, ManagedFieldsEntry } from '../../../api/object.ts';

export interface Repetition {
  readonly contentType: string | undefined;
  /** Whether others like it may be answered from what came of a request: `object`, as it is stored. */
  begins(body: JsonObject, object: ApiObject, entries: Entries): boolean;
  /** The member of the object that the times are in. */
  readonly member: string;
  /** That member as the body wants it; undefined: it says something else, or nothing new. */
  renewed(body: JsonObject, object: JsonObject): JsonObject | undefined;
}

/** Who owns fields of an object: whoever has sent the request, and all the others. */
export interface Entries {
  readonly own: ManagedFieldsEntry;
  readonly others: readonly ManagedFieldsEntry[];
}

/** Whether two objects have the same members, and of them all but one are identical. */
export function differsAtMostIn(name: string, one: JsonObject, other: JsonObject): boolean {
  let count = 0;
  for (const each in one) {
    if (each !== name && one[each] !== other[each]) return false;
    count++;
  }
  for (const each in other) {
    if (!(each in one)) return false;
    count--;
  }
  return count === 0;
}
