/**
 * The usual update, of values that the writer alone owns already, such as a heartbeat: nothing changes hands, only the
 * writer's time is another. Found by one walk over both objects, without any set of paths. Whatever is not so plain
 * is left to `ownership.ts`, which gives the same result: a test holds the two together.
 */

import type { Json, JsonObject } from '../object.ts';
import type { ListSchema, Schema, StructSchema } from '../schema.ts';
import type { FieldSet } from './field-set.ts';
import { NEVER_OWNED_MEMBERS, NEVER_OWNED_METADATA } from './never-owned.ts';
import { elementOfItem, memberElement, type PathElement } from './path-element.ts';
import type { MemberSchema } from './shape.ts';
import { ANY, equalJson, hasElements, hasMembers, isHollow, isList, isMap, memberSchema } from './shape.ts';

/** Who owns what below a path. */
interface Owners {
  readonly writer: FieldSet;
  readonly others: readonly FieldSet[];
  /** What a write here does not change, whatever it says. */
  readonly reset: FieldSet;
}

/** There is more to the update. */
export const MORE = -1;

const NO_NAMES: ReadonlySet<string> = new Set();
const TYPE_NAMES: ReadonlySet<string> = new Set(NEVER_OWNED_MEMBERS);
const METADATA_NAMES: ReadonlySet<string> = new Set(NEVER_OWNED_METADATA);
const METADATA = memberElement('metadata');

/** How many values the update changes if it does nothing else, or `MORE`. Both objects are canonical. */
export const renewedValues = (
  schema: StructSchema,
  before: JsonObject,
  after: JsonObject,
  owners: Owners,
): number =>
  ownsServerMember(owners.writer) || owners.others.some(ownsServerMember)
    ? MORE
    : renewedMembers(schema, before, after, owners, TYPE_NAMES);

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

/** How many values are renewed, or `MORE`. */
const renewedMembers = (
  schema: MemberSchema,
  before: JsonObject,
  after: JsonObject,
  owners: Owners,
  passedOver: ReadonlySet<string>,
): number => {
  for (const name in before) {
    if (before[name] === undefined || after[name] !== undefined || passedOver.has(name)) continue;
    if (!owners.reset.below(memberElement(name)).isMember) return MORE;
  }
  let count = 0;
  for (const name in after) {
    const [was, is] = [before[name], after[name]];
    if (was === is || is === undefined || passedOver.has(name)) continue;
    const isMetadata = passedOver === TYPE_NAMES && name === 'metadata';
    const here = below(owners, memberElement(name));
    if (here.reset.isMember) continue;
    if (was === undefined) return MORE;
    const found = renewed(
      memberSchema(schema, name) ?? ANY,
      was,
      is,
      here,
      isMetadata ? METADATA_NAMES : NO_NAMES,
    );
    if (found === MORE) return MORE;
    count += found;
  }
  return count;
};

/** Of two values that are not the same. */
const renewed = (
  schema: Schema,
  was: Json,
  is: Json,
  owners: Owners,
  passedOver: ReadonlySet<string>,
): number => {
  if (isHollow(was) || isHollow(is)) {
    if (isLeaf(was) && isLeaf(is)) return renewedLeaf(owners);
    return equalJson(was, is) ? 0 : MORE;
  }
  if (hasMembers(schema, was) && hasMembers(schema, is) && isMap(was) && isMap(is))
    return renewedMembers(schema, was, is, owners, passedOver);
  if (equalJson(was, is)) return 0;
  if (hasMembers(schema, was) && hasMembers(schema, is)) return MORE;
  if (hasElements(schema)) return isList(was) && isList(is) ? renewedElements(schema, was, is, owners) : MORE;
  return renewedLeaf(owners);
};

const isLeaf = (value: Json): boolean => typeof value !== 'object';

const renewedLeaf = ({ writer, others }: Owners): number =>
  writer.isMember && !others.some(({ isMember }) => isMember) ? 1 : MORE;

/** The same elements in the same order. */
const renewedElements = (
  schema: ListSchema,
  was: readonly Json[],
  is: readonly Json[],
  owners: Owners,
): number => {
  if (was.length !== is.length) return MORE;
  const seen = new Set<PathElement>();
  let count = 0;
  for (const [index, value] of is.entries()) {
    const element = elementOfItem(schema, value);
    if (typeof element !== 'string' || seen.has(element)) return MORE;
    seen.add(element);
    const old = was[index];
    if (old === undefined || element !== elementOfItem(schema, old)) return MORE;
    if (equalJson(old, value)) continue;
    const found = renewed(schema.items, old, value, below(owners, element), NO_NAMES);
    if (found === MORE) return MORE;
    count += found;
  }
  return count;
};
