/**
 * What differs between two values of a type: paths that were added, removed or modified. New parts count with all
 * paths in them. Lists of elements are compared element by element; their order does not matter.
 */

import type { Json, JsonObject } from '../object.ts';
import type { ListSchema, Schema } from '../schema.ts';
import { FieldSet, FieldSetBuilder } from './field-set.ts';
import type { PathElement } from './path-element.ts';
import { elementOfItem, memberElement } from './path-element.ts';
import type { MemberSchema } from './shape.ts';
import { ANY, equalJson, hasElements, hasMembers, isHollow, isList, isMap, memberSchema } from './shape.ts';

export interface Comparison {
  readonly added: FieldSet;
  readonly removed: FieldSet;
  readonly modified: FieldSet;
}

export const NO_DIFFERENCE: Comparison = {
  added: FieldSet.EMPTY,
  removed: FieldSet.EMPTY,
  modified: FieldSet.EMPTY,
};

/** Compares two values; parts that are the same object are not looked into. */
export const compare = (schema: Schema, before: JsonObject, after: JsonObject): Comparison => {
  if (before === after) return NO_DIFFERENCE;
  const walk = new ComparingWalk();
  walk.compare(schema, before, after);
  return walk.result();
};

class ComparingWalk {
  private readonly path: PathElement[] = [];
  private readonly added = new FieldSetBuilder();
  private readonly removed = new FieldSetBuilder();
  private readonly modified = new FieldSetBuilder();

  result(): Comparison {
    return { added: this.added.build(), removed: this.removed.build(), modified: this.modified.build() };
  }

  compare(schema: Schema, before: Json, after: Json): void {
    if (before === after || (isHollow(before) && isHollow(after) && equalJson(before, after))) return;
    if (
      hasMembers(schema, before ?? after) &&
      hasMembers(schema, after ?? before) &&
      !(isHollow(before) && isHollow(after))
    ) {
      this.compareMembers(schema, isMap(before) ? before : {}, isMap(after) ? after : {});
    } else if (hasElements(schema) && !(isHollow(before) && isHollow(after))) {
      // Naming the elements is dear, and most lists stay as they are.
      if (equalJson(before, after)) return;
      this.compareElements(schema, isList(before) ? before : [], isList(after) ? after : []);
    } else if (!equalJson(before, after)) {
      this.modified.insert(this.path, FieldSet.LEAF);
      // Of what had members, and is something else now, all of them are gone; and the other way round all have come.
      insertMembers(this.removed, this.path, schema, before);
      insertMembers(this.added, this.path, schema, after);
    }
  }

  private compareMembers(schema: MemberSchema, before: JsonObject, after: JsonObject): void {
    for (const name in before) {
      if (before[name] !== undefined) {
        this.step(memberElement(name), memberSchema(schema, name) ?? ANY, before[name], after[name]);
      }
    }
    for (const name in after) {
      if (after[name] !== undefined && before[name] === undefined) {
        this.step(memberElement(name), memberSchema(schema, name) ?? ANY, undefined, after[name]);
      }
    }
  }

  private compareElements(schema: ListSchema, before: readonly Json[], after: readonly Json[]): void {
    const was = groupsOf(schema, before);
    const is = groupsOf(schema, after);
    for (const [element, items] of was)
      this.compareGroup(element, schema.items, items, is.get(element) ?? []);
    for (const [element, items] of is)
      if (!was.has(element)) this.compareGroup(element, schema.items, [], items);
  }

  /** Elements of one name: normally one; several of them are compared as a whole. */
  private compareGroup(
    element: PathElement,
    items: Schema,
    before: readonly Json[],
    after: readonly Json[],
  ): void {
    if (before.length <= 1 && after.length <= 1) this.step(element, items, before[0], after[0]);
    else if (before.length >= 2 && after.length >= 2) {
      if (!equalJson(before, after)) this.modified.insert([...this.path, element], FieldSet.LEAF);
    } else if (before.length >= 2) {
      this.step(element, items, undefined, after[0]);
      this.removed.insert([...this.path, element], FieldSet.LEAF);
    } else {
      this.step(element, items, before[0], undefined);
      this.added.insert([...this.path, element], FieldSet.LEAF);
    }
  }

  private step(
    element: PathElement,
    schema: Schema,
    before: Json | undefined,
    after: Json | undefined,
  ): void {
    if (before === after) return;
    this.path.push(element);
    if (before === undefined) this.added.insert(this.path, everyPathOf(schema, after ?? null));
    else if (after === undefined) this.removed.insert(this.path, everyPathOf(schema, before));
    else this.compare(schema, before, after);
    this.path.pop();
  }
}

function insertMembers(
  into: FieldSetBuilder,
  path: readonly PathElement[],
  schema: Schema,
  value: Json,
): void {
  if (hasMembers(schema, value) && isMap(value))
    into.insert(path, FieldSet.of(false, everyMember(schema, value).children));
}

/** Elements by name, in order; those that have no name are left out. */
const groupsOf = (schema: ListSchema, items: readonly Json[]): ReadonlyMap<PathElement, readonly Json[]> => {
  const groups = new Map<PathElement, Json[]>();
  for (const item of items) {
    const element = elementOfItem(schema, item);
    if (typeof element !== 'string') continue;
    const group = groups.get(element);
    if (group) group.push(item);
    else groups.set(element, [item]);
  }
  return groups;
};

/** All paths of a value that is new as a whole, its own included. */
export const everyPathOf = (schema: Schema, value: Json): FieldSet => {
  if (typeof value !== 'object' || value === null) return FieldSet.LEAF;
  if (hasMembers(schema, value)) return isMap(value) ? everyMember(schema, value) : FieldSet.LEAF;
  return hasElements(schema) && isList(value) ? everyElement(schema, value) : FieldSet.LEAF;
};

const everyMember = (schema: MemberSchema, value: JsonObject): FieldSet => {
  const children = new Map<PathElement, FieldSet>();
  for (const name in value) {
    const member = value[name];
    if (member !== undefined)
      children.set(memberElement(name), everyPathOf(memberSchema(schema, name) ?? ANY, member));
  }
  return FieldSet.of(true, children);
};

const everyElement = (schema: ListSchema, items: readonly Json[]): FieldSet => {
  const children = new Map<PathElement, FieldSet>();
  for (const item of items) {
    const element = elementOfItem(schema, item);
    if (typeof element !== 'string') continue;
    // Of elements with one name only the name is owned.
    children.set(element, children.has(element) ? FieldSet.LEAF : everyPathOf(schema.items, item));
  }
  return FieldSet.of(true, children);
};
