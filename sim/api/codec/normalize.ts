/**
 * Brings values into canonical form: members in the order of their declaration, unknown ones
 * dropped, zero values written or left out exactly as a Go encoder of the decoded struct would,
 * quantities, times and base64 in their canonical texts, map keys sorted. What is canonical already
 * is returned as it is, part by part, so that the usual object costs one walk and no allocation.
 * One function is compiled for each schema and kept. Says only *that* a value does not fit
 * (`MISMATCH`); `diagnose.ts` says why. Knows nothing of texts, requests or storage.
 */
import type { FieldSchema, ListSchema, MapSchema, ScalarSchema, Schema, StructSchema } from '../schema.ts';
import { normalizeScalar } from './scalar-form.ts';
import { setMember } from './json-nodes.ts';
import { countMembers } from './strict-json.ts';
import { MISMATCH } from './mismatch.ts';

/** What a walk met besides the value itself. */
export interface Tally {
  /** Members seen, unknown ones and everything in them included. */
  members: number;
  /** Unknown members of structs. */
  unknown: number;
}

/**
 * `null` means Go's nil or zero value; the result is never undefined. Parts that `base`, a value in the same form, has
 * at the same place are in that form too: they are not looked into. @throws MISMATCH
 */
type Normalize = (value: unknown, tally: Tally | undefined, base?: unknown) => unknown;

/** What a member becomes; undefined: it is not written. */
type NormalizeField = (value: unknown, tally: Tally | undefined, base?: unknown) => unknown;

interface FieldPlan {
  readonly name: string;
  readonly index: number;
  readonly normalize: NormalizeField;
  /** Written also if the value has no such member. */
  readonly isAlways: boolean;
}

export type Form = 'wire' | 'stored';

const compiled: Record<Form, Map<Schema, Normalize>> = { wire: new Map(), stored: new Map() };

/** The function that normalizes values of a schema. In `stored` form empty lists and maps are nil, as protobuf leaves them. */
export const normalizerOf = (schema: Schema, form: Form): Normalize => {
  const known = compiled[form].get(schema);
  if (known) return known;
  // A schema may contain itself: until it is compiled, its place is held by a function that waits for it.
  let made: Normalize | undefined;
  compiled[form].set(schema, (value, tally, base) => (made ??= compile(schema, form))(value, tally, base));
  made = compile(schema, form);
  compiled[form].set(schema, made);
  return made;
};

const compile = (schema: Schema, form: Form): Normalize => {
  switch (schema.kind) {
    case 'scalar':
      return compileScalar(schema);
    case 'opaque':
      return opaque;
    case 'list':
      return compileList(schema, form);
    case 'map':
      return compileMap(schema, form);
    case 'struct':
      return compileStruct(schema, form);
  }
};

const opaque: Normalize = (value, tally) => {
  if (tally) tally.members += countMembers(value);
  return value ?? null;
};

const compileScalar = ({ scalar }: ScalarSchema): Normalize => {
  if (scalar === 'string') {
    return (value) => {
      if (typeof value === 'string') return value;
      if (value === null) return '';
      throw MISMATCH;
    };
  }
  return (value) => normalizeScalar(scalar, value);
};

const membersOf = (base: unknown): Readonly<Record<string, unknown>> | undefined =>
  typeof base === 'object' && base !== null ? (base as Readonly<Record<string, unknown>>) : undefined;

const compileList = (schema: ListSchema, form: Form): Normalize => {
  const item = normalizerOf(schema.items, form);
  return (value, tally, base) => {
    if (value === null) return null;
    if (!Array.isArray(value)) throw MISMATCH;
    const known: readonly unknown[] | undefined = Array.isArray(base) ? base : undefined;
    let changed: unknown[] | undefined;
    for (let index = 0; index < value.length; index++) {
      const before: unknown = value[index];
      const was = known?.[index];
      const after = was !== undefined && before === was ? before : item(before, tally, was);
      if (changed) changed.push(after);
      else if (after !== before) {
        changed = value.slice(0, index);
        changed.push(after);
      }
    }
    return changed ?? value;
  };
};

/** Bytes that are not there come back from storage as no bytes. */
const normalizerOfValue = (schema: Schema, form: Form): Normalize => {
  const normalize = normalizerOf(schema, form);
  if (form !== 'stored' || schema.kind !== 'scalar' || schema.scalar !== 'bytes') return normalize;
  return (value, tally, base) => normalize(value, tally, base) ?? '';
};

const INDEX_NAME = /^(?:0|[1-9][0-9]{0,9})$/;

/** JavaScript puts names that look like indexes first, whatever one does: only other pairs can be out of order. */
const isOutOfOrder = (previous: string, name: string): boolean =>
  previous > name && !INDEX_NAME.test(previous) && !INDEX_NAME.test(name);

const compileMap = (schema: MapSchema, form: Form, isNilIfEmpty = false): Normalize => {
  const item = normalizerOfValue(schema.values, form);
  return (value, tally, base) => {
    if (value === null) return null;
    if (typeof value !== 'object' || Array.isArray(value)) throw MISMATCH;
    const source = value as Readonly<Record<string, unknown>>;
    const known = membersOf(base);
    let previous = '';
    let isSame = true;
    let isEmpty = true;
    let changed: Map<string, unknown> | undefined;
    for (const name in source) {
      if (tally) tally.members++;
      const before = source[name];
      if (before === undefined) {
        isSame = false;
        continue;
      }
      isEmpty = false;
      const was = known?.[name];
      const after = before === was ? before : item(before, tally, was);
      if (after !== before) (changed ??= new Map()).set(name, after);
      if (previous > name && isOutOfOrder(previous, name)) isSame = false;
      previous = name;
    }
    if (isEmpty && isNilIfEmpty) return null;
    return isSame && !changed ? value : rebuiltMap(source, changed);
  };
};

const rebuiltMap = (
  source: Readonly<Record<string, unknown>>,
  changed: ReadonlyMap<string, unknown> | undefined,
): unknown => {
  const result: Record<string, unknown> = {};
  for (const name of Object.keys(source).sort()) {
    const value = changed?.has(name) ? changed.get(name) : source[name];
    if (value !== undefined) setMember(result, name, value);
  }
  return result;
};

/** Results of the members of the structs that are being walked, one after the other. */
const slots: unknown[] = [];
let slotsInUse = 0;

/** Forgets walks that ended with an exception. */
export const resetSlots = (): void => {
  slotsInUse = 0;
};

const compileStruct = (schema: StructSchema, form: Form): Normalize => {
  if (schema.customJson) return compileCustom(schema, form);
  const plans = schema.fields.map((field, index) => planField(field, index, form));
  const byName = new Map(plans.map((plan) => [plan.name, plan]));
  const alwaysCount = plans.filter((plan) => plan.isAlways).length;
  const keepsUnknown = schema.preservesUnknownFields;
  const fieldCount = plans.length;
  // Objects of a kind tend to have the same members in the same order: the last one's are tried first.
  const trail: FieldPlan[] = [];

  const build = (base: number, extra: Record<string, unknown> | undefined): unknown => {
    const result: Record<string, unknown> = {};
    for (let index = 0; index < fieldCount; index++) {
      const plan = plans[index];
      if (!plan) continue;
      let value = slots[base + index];
      if (value === undefined && plan.isAlways) value = plan.normalize(null, undefined);
      if (value !== undefined) result[plan.name] = value;
    }
    for (const name in extra) setMember(result, name, extra[name]);
    return result;
  };

  return (given, tally, baseValue) => {
    if (typeof given !== 'object' || Array.isArray(given)) throw MISMATCH;
    const source = (given ?? {}) as Readonly<Record<string, unknown>>;
    const known = membersOf(baseValue);
    const base = slotsInUse;
    slotsInUse += fieldCount;
    for (let index = base; index < slotsInUse; index++) slots[index] = undefined;
    let isSame = given !== null;
    let lastIndex = -1;
    let alwaysSeen = 0;
    let step = 0;
    let extra: Record<string, unknown> | undefined;
    for (const name in source) {
      const before = source[name];
      if (tally) tally.members++;
      const guess = trail[step];
      const plan = guess !== undefined && guess.name === name ? guess : byName.get(name);
      if (plan === undefined) {
        if (tally) {
          tally.unknown++;
          tally.members += countMembers(before);
        }
        if (keepsUnknown) setMember((extra ??= {}), name, before);
        else isSame = false;
        continue;
      }
      trail[step++] = plan;
      const was = known?.[name];
      const after = before === undefined || before === was ? before : plan.normalize(before, tally, was);
      slots[base + plan.index] = after;
      if (after !== before || after === undefined || plan.index < lastIndex) isSame = false;
      if (plan.isAlways) alwaysSeen++;
      lastIndex = plan.index;
    }
    const result = isSame && alwaysSeen === alwaysCount ? given : build(base, extra);
    slotsInUse = base;
    return result;
  };
};

/** Whoever walks a map can tell that it is empty: a second look at one of many members is not free. */
const normalizerOfCollection = (schema: Schema, form: Form, isNilIfEmpty: boolean): Normalize => {
  if (!isNilIfEmpty) return normalizerOf(schema, form);
  if (schema.kind === 'map') return compileMap(schema, form, true);
  const normalize = normalizerOf(schema, form);
  return (value, tally, base) => {
    const result = normalize(value, tally, base);
    return Array.isArray(result) && result.length === 0 ? null : result;
  };
};

const planField = (field: FieldSchema, index: number, form: Form): FieldPlan => {
  const normalize = normalizerOf(field.schema, form);
  const plan = (isAlways: boolean, normalizeField: NormalizeField): FieldPlan => ({
    name: field.name,
    index,
    isAlways,
    normalize: normalizeField,
  });
  const drop = field.omitEmpty ? undefined : null;
  if (field.pointer)
    return plan(!field.omitEmpty, (value, tally, base) =>
      value === null ? drop : normalize(value, tally, base),
    );
  switch (kindOfZero(field.schema)) {
    case 'collection': {
      const collection = normalizerOfCollection(field.schema, form, field.omitEmpty || form === 'stored');
      return plan(!field.omitEmpty, (value, tally, base) => collection(value, tally, base) ?? drop);
    }
    case 'bytes':
      return plan(!field.omitEmpty, (value) => {
        const result = value === null ? null : normalize(value, undefined);
        return result === null || (result === '' && field.omitEmpty) ? drop : result;
      });
    case 'interface':
      return plan(!field.omitEmpty, (value, tally) => (value === null ? drop : normalize(value, tally)));
    case 'struct':
      return plan(true, normalize);
    case 'scalar':
      return plan(!field.omitEmpty, (value, tally) => {
        const result = normalize(value, tally);
        return field.omitEmpty && (result === '' || result === 0 || result === false) ? undefined : result;
      });
  }
};

/** How Go's `omitempty` sees the type: structs are never empty. */
const kindOfZero = (schema: Schema): 'collection' | 'bytes' | 'interface' | 'struct' | 'scalar' => {
  if (schema.kind === 'list' || schema.kind === 'map') return 'collection';
  if (schema.kind === 'struct') return 'struct';
  if (schema.kind === 'opaque') return schema.opaque === 'any' ? 'interface' : 'struct';
  if (schema.scalar === 'bytes') return 'bytes';
  return STRUCT_SCALARS.has(schema.scalar) ? 'struct' : 'scalar';
};

const STRUCT_SCALARS: ReadonlySet<string> = new Set([
  'timestamp',
  'microtime',
  'duration',
  'quantity',
  'intOrString',
]);

/** The unions of CustomResourceDefinition schemas, whose JSON is one of their members. */
const compileCustom = (schema: StructSchema, form: Form): Normalize => {
  const member = (name: string): Normalize => {
    const field = schema.fieldsByName.get(name);
    return field ? normalizerOf(field.schema, form) : opaque;
  };
  const isObject = (value: unknown): boolean => typeof value === 'object' && !Array.isArray(value);
  switch (schema.customJson) {
    case 'schemaOrArray':
    case 'schemaOrStringArray': {
      const single = member('schema');
      const many = member(schema.customJson === 'schemaOrArray' ? 'jSONSchemas' : 'property');
      // Validation tells both apart from none; whoever stores them drops them.
      const isTold = schema.customJson === 'schemaOrArray';
      const empty = (value: false | readonly never[]): unknown => (isTold ? value : null);
      return (value, tally) => {
        if (value === null) return null;
        if (Array.isArray(value)) return value.length > 0 ? many(value, tally) : empty([]);
        return isObject(value) ? single(value, tally) : empty(false);
      };
    }
    case 'schemaOrBool': {
      const single = member('schema');
      return (value, tally) => {
        if (value === null) return false;
        if (typeof value === 'boolean') return value;
        if (!isObject(value)) throw MISMATCH;
        return single(value, tally);
      };
    }
    default:
      return opaque;
  }
};
