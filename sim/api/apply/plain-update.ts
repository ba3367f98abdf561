/**
 * The usual update, of values that nobody but the writer owns, such as a heartbeat or a status: nothing changes hands.
 * What the writer owns afterwards is found by one walk over both objects, and only where it differs are there new sets.
 * Whatever is not so plain is left to `ownership.ts`, which gives the same result: a test holds the two together.
 */

import type { Json, JsonObject } from '../object.ts';
import type { ListSchema, Schema, StructSchema } from '../schema.ts';
import { everyPathOf } from './compare.ts';
import { FieldSet } from './field-set.ts';
import { interned } from './interned-sets.ts';
import { NEVER_OWNED_MEMBERS, NEVER_OWNED_METADATA } from './never-owned.ts';
import { elementOfItem, memberElement, type PathElement } from './path-element.ts';
import type { MemberSchema } from './shape.ts';
import { ANY, equalJson, hasElements, hasMembers, isHollow, isList, isMap, memberSchema } from './shape.ts';

/** Who owns what below a path. */
export interface Owners {
  readonly writer: FieldSet;
  readonly others: readonly FieldSet[];
  /** What a write here does not change, whatever it says. */
  readonly reset: FieldSet;
}

/** What an update leaves its writer. */
export interface Owned {
  readonly fields: FieldSet;
  /** Whether it sets or adds any value; what it only removes is no news of the writer's. */
  readonly hasSet: boolean;
}

const NO_NAMES: ReadonlySet<string> = new Set();
const TYPE_NAMES: ReadonlySet<string> = new Set(NEVER_OWNED_MEMBERS);
const METADATA_NAMES: ReadonlySet<string> = new Set(NEVER_OWNED_METADATA);
const METADATA = memberElement('metadata');

/** Undefined if there is more to the update. Both objects are canonical. */
export const ownedAfter = (
  schema: StructSchema,
  before: JsonObject,
  after: JsonObject,
  owners: Owners,
): Owned | undefined => {
  if (ownsServerMember(owners.writer) || owners.others.some(ownsServerMember)) return undefined;
  const walk = new PlainWalk();
  const fields = walk.members(schema, before, after, owners, TYPE_NAMES);
  return fields && { fields, hasSet: walk.hasSet };
};

const known = new WeakMap<FieldSet, boolean>();

/** Only entries that a client has written say so; then removing the member would take it from them. */
const ownsServerMember = (fields: FieldSet): boolean => {
  let owns = known.get(fields);
  if (owns === undefined) {
    const metadata = fields.below(METADATA);
    owns =
      metadata.isMember ||
      NEVER_OWNED_MEMBERS.some((name) => fields.children.has(memberElement(name))) ||
      NEVER_OWNED_METADATA.some((name) => metadata.children.has(memberElement(name)));
    known.set(fields, owns);
  }
  return owns;
};

const below = ({ writer, others, reset }: Owners, element: PathElement): Owners => ({
  writer: writer.below(element),
  others: others.length === 0 ? others : others.map((other) => other.below(element)),
  reset: reset.below(element),
});

/** Whether somebody else, or the server itself, has to do with what is there or below. */
const isShared = ({ others, reset }: Owners): boolean =>
  !reset.isEmpty || others.some((other) => !other.isEmpty);

/** Each step gives what the writer owns from there on; undefined: there is more to the update. */
class PlainWalk {
  hasSet = false;

  members(
    schema: MemberSchema,
    before: JsonObject,
    after: JsonObject,
    owners: Owners,
    passedOver: ReadonlySet<string>,
  ): FieldSet | undefined {
    const changed = new ChangedSet(owners.writer);
    for (const name in before) {
      const was = before[name];
      if (was === undefined || after[name] !== undefined || passedOver.has(name)) continue;
      const element = memberElement(name);
      const here = below(owners, element);
      if (here.reset.isMember) continue;
      if (isShared(here)) return undefined;
      changed.put(element, here.writer.difference(everyPathOf(memberSchema(schema, name) ?? ANY, was)));
    }
    for (const name in after) {
      const [was, is] = [before[name], after[name]];
      if (was === is || is === undefined || passedOver.has(name)) continue;
      const element = memberElement(name);
      const here = below(owners, element);
      if (here.reset.isMember) continue;
      const ofMember = memberSchema(schema, name) ?? ANY;
      const isMetadata = passedOver === TYPE_NAMES && name === 'metadata';
      if (isMetadata && was === undefined) return undefined;
      const left =
        was === undefined
          ? this.#added(ofMember, is, here)
          : this.#value(ofMember, was, is, here, isMetadata ? METADATA_NAMES : NO_NAMES);
      if (left === undefined) return undefined;
      changed.put(element, left);
    }
    return changed.result();
  }

  #added(schema: Schema, is: Json, owners: Owners): FieldSet | undefined {
    if (isShared(owners)) return undefined;
    this.hasSet = true;
    const every = everyPathOf(schema, is);
    return owners.writer.isEmpty ? interned(every) : interned(owners.writer.union(every));
  }

  /** Of two values that are not the same. */
  #value(
    schema: Schema,
    was: Json,
    is: Json,
    owners: Owners,
    passedOver: ReadonlySet<string>,
  ): FieldSet | undefined {
    if (isHollow(was) || isHollow(is)) {
      if (isLeaf(was) && isLeaf(is)) return this.#leaf(owners);
      return equalJson(was, is) ? owners.writer : undefined;
    }
    if (hasMembers(schema, was) && hasMembers(schema, is) && isMap(was) && isMap(is))
      return this.members(schema, was, is, owners, passedOver);
    if (equalJson(was, is)) return owners.writer;
    if (hasMembers(schema, was) || hasMembers(schema, is)) return undefined;
    if (hasElements(schema))
      return isList(was) && isList(is) ? this.#elements(schema, was, is, owners) : undefined;
    return this.#leaf(owners);
  }

  #leaf({ writer, others }: Owners): FieldSet | undefined {
    if (others.some(({ isMember }) => isMember)) return undefined;
    this.hasSet = true;
    return writer.isMember ? writer : FieldSet.of(true, writer.children);
  }

  /** Elements that are there stay, in whatever order; others may come. */
  #elements(
    schema: ListSchema,
    was: readonly Json[],
    is: readonly Json[],
    owners: Owners,
  ): FieldSet | undefined {
    const before = namesOf(schema, was);
    const after = namesOf(schema, is);
    if (!before || !after || before.some((name) => !after.includes(name))) return undefined;
    const changed = new ChangedSet(owners.writer);
    for (let index = 0; index < is.length; index++) {
      const [element, value] = [after[index], is[index]];
      if (element === undefined || value === undefined) return undefined;
      const old = was[before.indexOf(element)];
      if (old === value) continue;
      const here = below(owners, element);
      const left =
        old === undefined
          ? this.#added(schema.items, value, here)
          : equalJson(old, value)
            ? here.writer
            : this.#value(schema.items, old, value, here, NO_NAMES);
      if (left === undefined) return undefined;
      changed.put(element, left);
    }
    return changed.result();
  }
}

const isLeaf = (value: Json): boolean => typeof value !== 'object';

/** Of more elements than these nobody changes only a few. */
const MOST_ELEMENTS = 64;

/** Undefined where one has no name, or two have the same. */
const namesOf = (schema: ListSchema, items: readonly Json[]): readonly PathElement[] | undefined => {
  if (items.length > MOST_ELEMENTS) return undefined;
  const names: PathElement[] = [];
  for (const item of items) {
    const element = elementOfItem(schema, item);
    if (typeof element !== 'string' || names.includes(element)) return undefined;
    names.push(element);
  }
  return names;
};

/** A set with other parts; the very set that it was where none is another. */
class ChangedSet {
  readonly #set: FieldSet;
  #children: Map<PathElement, FieldSet> | undefined = undefined;

  constructor(set: FieldSet) {
    this.#set = set;
  }

  put(element: PathElement, part: FieldSet): void {
    if (part === (this.#children ?? this.#set.children).get(element)) return;
    if (part.isEmpty && !this.#set.children.has(element)) return;
    this.#children ??= new Map(this.#set.children);
    if (part.isEmpty) this.#children.delete(element);
    else this.#children.set(element, part);
  }

  result(): FieldSet {
    return this.#children ? interned(FieldSet.of(this.#set.isMember, this.#children)) : this.#set;
  }
}
