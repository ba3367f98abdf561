/**
 * From a body to a canonical object. The usual body is parsed by `JSON.parse`, walked once, and
 * returned as parsed; only texts with something to say about them (repeated or unknown members, type
 * errors, numbers a double cannot hold) are read a second time, exactly.
 * Specification: "Field validation", "Errors".
 */
import type { JsonObject } from '../object.ts';
import type { Schema, StructSchema } from '../schema.ts';
import type { Steps } from '../steps.ts';
import { DecodeError } from './decode-error.ts';
import { diagnose, throwIfWrong } from './diagnose.ts';
import { encodeJson } from './encode.ts';
import { numberOf, parseNodes, plainValue, setMember, wellFormed, type JsonNode } from './json-nodes.ts';
import { MISMATCH } from './mismatch.ts';
import { normalizerOf, resetSlots, type Tally } from './normalize.ts';
import { rememberRawText } from './raw-text.ts';
import { parseQuickly } from './strict-json.ts';
import { inNameOrder, inSchemaOrder } from './schema-order.ts';

/** Hears of members that the schema does not know. */
export interface DecodeFindings {
  /** `spec.template.spec.containers[0].imagee` */
  unknown(path: string): void;
}

export interface DecodedJson {
  readonly object: JsonObject;
  /** `unknown field "a.b"` and `duplicate field "c"` in the order of the text; empty unless asked for. */
  readonly findings: readonly string[];
}

const toObject = (value: unknown): JsonObject => value as JsonObject;

/** The normalized value, or undefined if it does not fit. */
const tryNormalize = (
  schema: StructSchema,
  value: unknown,
  tally: Tally,
  base?: object,
): JsonObject | undefined => {
  try {
    return toObject(normalizerOf(schema, 'wire')(value, tally, base));
  } catch (error) {
    resetSlots();
    if (error === MISMATCH) return undefined;
    throw error;
  }
};

/**
 * Decodes a parsed JSON value as a struct: the result is canonical, unknown members are dropped. Parts that `base`,
 * an object that was decoded or stored, has at the same place are taken over unseen.
 * @throws DecodeError in the words of Go's decoder
 */
export const decodeStruct = (
  schema: StructSchema,
  value: unknown,
  findings?: DecodeFindings,
  base?: object,
): JsonObject => decodeArranged(schema, value, { arranged: inSchemaOrder, findings, base });

/** The same of what YAML says, which the server turns into JSON whose members stand in the order of their names. */
export const decodeYamlValue = (
  schema: StructSchema,
  value: unknown,
  findings?: DecodeFindings,
  base?: object,
): JsonObject =>
  decodeArranged(schema, value, { arranged: (_schema, whole) => inNameOrder(whole), findings, base });

interface Arrangement {
  /** In whose order the members are walked over where there is something to say. */
  readonly arranged: (schema: StructSchema, value: unknown) => unknown;
  readonly findings: DecodeFindings | undefined;
  readonly base: object | undefined;
}

const decodeArranged = (
  schema: StructSchema,
  value: unknown,
  { arranged, findings, base }: Arrangement,
): JsonObject => {
  const tally: Tally = { members: 0, unknown: 0 };
  const decoded = tryNormalize(schema, value, tally, base);
  if (decoded && (tally.unknown === 0 || !findings)) return decoded;
  const source = encodeJson(arranged(schema, value));
  const diagnosis = diagnose(schema, parseNodes(source), source);
  throwIfWrong(diagnosis);
  if (!decoded) throw new DecodeError(`json: cannot unmarshal into ${schema.goName}`);
  for (const path of diagnosis.unknownPaths) findings?.unknown(path);
  return decoded;
};

/** The canonical object of a value, or undefined if there is something to say about the value. `base` as above. */
export const decodePlainly = (
  schema: StructSchema,
  value: unknown,
  base?: object,
): JsonObject | undefined => {
  if (keepsRawText(schema)) return undefined;
  const tally: Tally = { members: 0, unknown: 0 };
  const decoded = tryNormalize(schema, value, tally, base);
  return tally.unknown === 0 ? decoded : undefined;
};

/**
 * Decodes a JSON text as a struct; with `strict`, also says what field validation finds.
 * @throws DecodeError in the words of Go's decoder
 */
export const decodeJson = (schema: StructSchema, text: string, strict: boolean): Steps<DecodedJson> => {
  const { value, memberCount } = parseQuickly(text);
  if (memberCount >= 0 && !keepsRawText(schema)) {
    const tally: Tally = { members: 0, unknown: 0 };
    const object = tryNormalize(schema, value, tally);
    const isPlain = tally.members === memberCount && (tally.unknown === 0 || !strict);
    if (object && isPlain) return { object, findings: [] };
  }
  return () => decodeExactly(schema, text, strict);
};

const decodeExactly = (schema: StructSchema, text: string, strict: boolean): Steps<DecodedJson> => {
  const node = parseNodes(text);
  return () => {
    const diagnosis = diagnose(schema, node, text);
    throwIfWrong(diagnosis);
    const object = normalizerOf(schema, 'wire')(exactValue(schema, node, text), undefined);
    return { object: toObject(object), findings: strict ? diagnosis.findings : [] };
  };
};

/** The value with what only the text tells: exact numbers, texts of quantities, raw texts, repeated members merged. */
const exactValue = (schema: Schema | undefined, node: JsonNode, source: string): unknown => {
  if (node.kind === 'number') return exactNumber(schema, node.text);
  if (node.kind === 'array') {
    const items = schema?.kind === 'list' ? schema.items : undefined;
    return node.nodes.map((item) => exactValue(items, item, source));
  }
  if (node.kind === 'string') return wellFormed(node.value);
  if (node.kind !== 'object') return plainValue(node);
  if (schema?.kind === 'opaque') {
    const value = plainValue(node);
    if (schema.opaque === 'rawExtension') rememberRawText(value, source.slice(node.start, node.end));
    return value;
  }
  const result: Record<string, unknown> = {};
  node.names.forEach((name, index) => {
    const member = node.nodes[index];
    if (!member) return;
    const memberSchema = schemaOfMember(schema, name);
    if (isDropped(schema, memberSchema)) return;
    const value = exactValue(memberSchema, member, source);
    const isMerged = schema?.kind === 'struct' && memberSchema !== undefined && Object.hasOwn(result, name);
    setMember(result, name, isMerged ? mergedRepetition(memberSchema, result[name], value) : value);
  });
  return result;
};

/** Members that a type does not know are nobody's. */
const isDropped = (schema: Schema | undefined, memberSchema: Schema | undefined): boolean =>
  schema?.kind === 'struct' && !schema.customJson && memberSchema === undefined;

const exactNumber = (schema: Schema | undefined, text: string): unknown =>
  schema?.kind === 'scalar' && schema.scalar === 'quantity' ? text : numberOf(text);

const schemaOfMember = (schema: Schema | undefined, name: string): Schema | undefined => {
  if (schema?.kind === 'map') return schema.values;
  if (schema?.kind !== 'struct') return undefined;
  if (!schema.customJson) return schema.fieldsByName.get(name)?.schema;
  const inner = schema.fieldsByName.get('schema')?.schema;
  return inner?.kind === 'struct' ? inner.fieldsByName.get(name)?.schema : undefined;
};

const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What comes twice is decoded twice into the same Go value: structs, maps, and the structs in lists by position. */
const mergedRepetition = (schema: Schema, before: unknown, after: unknown): unknown => {
  if (schema.kind === 'list' && Array.isArray(before) && Array.isArray(after))
    return after.map((item: unknown, index) => mergedRepetition(schema.items, before[index], item));
  const isMergeable = schema.kind === 'map' || (schema.kind === 'struct' && !schema.customJson);
  if (!isMergeable || !isPlainObject(before) || !isPlainObject(after)) return after;
  const merged: Record<string, unknown> = {};
  for (const name of Object.keys(before)) setMember(merged, name, before[name]);
  for (const name of Object.keys(after)) {
    const member = schema.kind === 'struct' ? schema.fieldsByName.get(name)?.schema : undefined;
    const value = after[name];
    setMember(
      merged,
      name,
      member && Object.hasOwn(merged, name) ? mergedRepetition(member, merged[name], value) : value,
    );
  }
  return merged;
};

const rawTextSchemas = new Map<StructSchema, boolean>();

/** Whether values of the type hold a `runtime.RawExtension`, whose text matters. */
export const keepsRawText = (schema: StructSchema): boolean => {
  const known = rawTextSchemas.get(schema);
  if (known !== undefined) return known;
  const seen = new Set<Schema>();
  const holds = (part: Schema): boolean => {
    if (seen.has(part)) return false;
    seen.add(part);
    if (part.kind === 'opaque') return part.opaque === 'rawExtension';
    if (part.kind === 'list') return holds(part.items);
    if (part.kind === 'map') return holds(part.values);
    return part.kind === 'struct' && part.fields.some((field) => holds(field.schema));
  };
  const result = holds(schema);
  rawTextSchemas.set(schema, result);
  return result;
};
