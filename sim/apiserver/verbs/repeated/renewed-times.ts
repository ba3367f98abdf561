/**
 * A strategic merge patch that gives each element of a list another time, and names all of them in their order: an agent
 * that says that the conditions of its node are still what they were.
 */
import { isMap } from '../../../api/apply/shape.ts';
import type { ApiObject, Json, JsonObject, ManagedFieldsEntry } from '../../../api/object.ts';
import { isUsualTime } from '../../../api/time-format.ts';
import type { RenewedTimes } from '../../registry/strategy.ts';
import type { Entries, Repetition } from './repetition.ts';

export class RenewedTimesPatch implements Repetition {
  readonly contentType = 'application/strategic-merge-patch+json';
  readonly #renewed: RenewedTimes;

  constructor(renewed: RenewedTimes) {
    this.#renewed = renewed;
  }

  /** The times are in the object, each once, and nobody else owns any of them. */
  begins(body: JsonObject, object: ApiObject, { own, others }: Entries): boolean {
    const elements = this.#elementsOf(object as JsonObject);
    const times = elements && this.#timesOf(body, elements);
    if (!elements || !times || times.length === 0) return false;
    const { key, leaf } = this.#renewed;
    const keys = elements.map((element) => element[key]);
    return (
      new Set(keys).size === keys.length &&
      elements.every((element, index) => element[leaf] === times[index]) &&
      keys.every((value) => this.#owns(own, value) && !others.some((entry) => this.#owns(entry, value)))
    );
  }

  get member(): string {
    return this.#renewed.member;
  }

  renewed(body: JsonObject, object: JsonObject): JsonObject | undefined {
    const elements = this.#elementsOf(object);
    const times = elements && this.#timesOf(body, elements);
    if (!elements || !times) return undefined;
    const { member, list, leaf } = this.#renewed;
    if (elements.every((element, index) => element[leaf] === times[index])) return undefined;
    const renewed = elements.map((element, index) => ({ ...element, [leaf]: times[index] ?? '' }));
    return { ...(object[member] as JsonObject), [list]: renewed };
  }

  #elementsOf(object: JsonObject): readonly JsonObject[] | undefined {
    const part = object[this.#renewed.member];
    const elements = isMap(part) ? part[this.#renewed.list] : undefined;
    return Array.isArray(elements) ? (elements as readonly JsonObject[]) : undefined;
  }

  /** The times that are sent, in the order of the elements; undefined: anything else is sent, too. */
  #timesOf(body: JsonObject, elements: readonly JsonObject[]): readonly string[] | undefined {
    const { member, list, key, leaf } = this.#renewed;
    const part = onlyMember(body, member);
    const order = `$setElementOrder/${list}`;
    if (!isMap(part) || memberCount(part) !== 2) return undefined;
    const [named, sent] = [part[order], part[list]];
    if (!Array.isArray(named) || !Array.isArray(sent)) return undefined;
    if (named.length !== elements.length || sent.length !== elements.length) return undefined;
    const times: string[] = [];
    for (const [index, element] of elements.entries()) {
      const change = (sent as readonly Json[])[index];
      if (onlyMember((named as readonly Json[])[index], key) !== element[key]) return undefined;
      if (!isMap(change) || memberCount(change) !== 2 || change[key] !== element[key]) return undefined;
      const time = change[leaf];
      if (typeof time !== 'string' || !isUsualTime(time)) return undefined;
      times.push(time);
    }
    return times;
  }

  #owns({ fieldsV1 }: ManagedFieldsEntry, value: unknown): boolean {
    const { member, list, key, leaf } = this.#renewed;
    const path = [`f:${member}`, `f:${list}`, `k:${JSON.stringify({ [key]: value })}`, `f:${leaf}`];
    let fields: Json | undefined = fieldsV1;
    for (const step of path) fields = isMap(fields) ? fields[step] : undefined;
    return fields !== undefined;
  }
}

/** Of a map that has that member and no others. */
function onlyMember(value: Json | undefined, name: string): Json | undefined {
  return isMap(value) && memberCount(value) === 1 ? value[name] : undefined;
}

function memberCount(value: JsonObject): number {
  let count = 0;
  for (const _ in value) count++;
  return count;
}
