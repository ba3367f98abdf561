/**
 * Says what the server would say about a JSON text that is decoded into a type: the first type error
 * in Go's words, else the unknown and repeated members in the order of the text. The slow companion
 * of `normalize.ts`, used only when there is something to say.
 *
 * Go's decoder goes on after most type errors and reports the first; types that decode themselves
 * (times, quantities, int-or-string, the unions of CustomResourceDefinition) end it at once, and
 * theirs is the error that counts. Errors name the innermost struct, then the path without indexes.
 */
import type { ScalarName, Schema, StructSchema } from '../schema.ts';
import { parseQuantity } from '../quantity.ts';
import { parseDuration, parseMicroTime, parseTime } from '../time-format.ts';
import { decodeBase64 } from './base64.ts';
import { DecodeError } from './decode-error.ts';
import { goQuote } from '../go-text.ts';
import { goTypeOf } from './go-type.ts';
import type { ArrayNode, JsonNode, ObjectNode } from './json-nodes.ts';
import { MAX_FINDINGS } from './strict-json.ts';

export interface Diagnosis {
  readonly error?: string;
  /** `unknown field "a.b"` and `duplicate field "c"`, each once, at most 100. */
  readonly findings: readonly string[];
  /** Paths of the unknown members alone. */
  readonly unknownPaths: readonly string[];
}

/** A value of the wrong type, before it is known where it stands. */
interface TypeError {
  readonly found: string;
  readonly wanted: string;
}

/** Ends a walk: what Go's decoder returns at once. */
class Ended extends Error {
  readonly reason: TypeError | string;

  constructor(reason: TypeError | string) {
    super('decoding ended');
    this.reason = reason;
  }
}

const WORDS: Readonly<Record<JsonNode['kind'], string>> = {
  object: 'object',
  array: 'array',
  string: 'string',
  number: 'number',
  boolean: 'bool',
  null: 'null',
};

const INT_LIMITS = { int32: 1n << 31n, int64: 1n << 63n };

const fitsInteger = (text: string, type: 'int32' | 'int64'): boolean => {
  if (!/^-?[0-9]{1,20}$/.test(text)) return false;
  const value = BigInt(text);
  return value >= -INT_LIMITS[type] && value < INT_LIMITS[type];
};

const messageOf = (error: unknown): string => {
  if (error instanceof Error) return error.message;
  throw error;
};

class Walk {
  readonly findings = new Set<string>();
  readonly unknownPaths = new Set<string>();
  #firstError: string | TypeError | undefined;
  readonly #source: string;
  readonly #fieldNames: string[] = [];
  #structName = '';
  /** An inner decoder of a type that decodes itself: it looks for no unknown members. */
  readonly #isInner: boolean;

  constructor(source: string, isInner: boolean) {
    this.#source = source;
    this.#isInner = isInner;
  }

  run(schema: Schema, node: JsonNode): string | TypeError | undefined {
    try {
      this.#visit(schema, node, '');
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
      return typeof error.reason === 'string' ? error.reason : this.#placed(error.reason);
    }
    return this.#firstError;
  }

  #placed({ found, wanted }: TypeError): string | TypeError {
    if (this.#isInner) return { found, wanted };
    const place =
      this.#structName === ''
        ? `Go value of type ${wanted}`
        : `Go struct field ${this.#structName}.${this.#fieldNames.join('.')} of type ${wanted}`;
    return `json: cannot unmarshal ${found} into ${place}`;
  }

  #save(error: TypeError): void {
    this.#firstError ??= this.#placed(error);
  }

  #visit(schema: Schema, node: JsonNode, path: string): void {
    if (schema.kind === 'struct' && schema.customJson) return this.#visitCustom(schema, node);
    if (node.kind === 'null' || schema.kind === 'opaque') return;
    switch (schema.kind) {
      case 'scalar':
        return this.#visitScalar(schema.scalar, schema, node);
      case 'list':
        if (node.kind !== 'array') return this.#save({ found: WORDS[node.kind], wanted: goTypeOf(schema) });
        return node.nodes.forEach((item, index) => this.#visit(schema.items, item, `${path}[${index}]`));
      case 'map':
        if (node.kind !== 'object') return this.#save({ found: WORDS[node.kind], wanted: goTypeOf(schema) });
        return this.#visitMap(schema.values, node, path);
      case 'struct':
        if (node.kind !== 'object') return this.#save({ found: WORDS[node.kind], wanted: goTypeOf(schema) });
        return this.#visitStruct(schema, node, path);
    }
  }

  #report(what: 'unknown' | 'duplicate', path: string): void {
    if (this.#isInner || this.findings.size >= MAX_FINDINGS) return;
    this.findings.add(`${what} field ${goQuote(path)}`);
    if (what === 'unknown') this.unknownPaths.add(path);
  }

  #visitMap(values: Schema, node: ObjectNode, path: string): void {
    const seen = new Set<string>();
    node.names.forEach((name, index) => {
      const memberPath = path ? `${path}.${name}` : name;
      if (seen.has(name)) this.#report('duplicate', memberPath);
      seen.add(name);
      const member = node.nodes[index];
      if (member) this.#visit(values, member, memberPath);
    });
  }

  #visitStruct(schema: StructSchema, node: ObjectNode, path: string): void {
    const seen = new Set<string>();
    const outerStruct = this.#structName;
    node.names.forEach((name, index) => {
      const memberPath = path ? `${path}.${name}` : name;
      const field = schema.fieldsByName.get(name);
      if (!field) {
        if (!schema.preservesUnknownFields) this.#report('unknown', memberPath);
        return;
      }
      if (seen.has(name)) this.#report('duplicate', memberPath);
      seen.add(name);
      const member = node.nodes[index];
      if (!member) return;
      this.#structName = schema.goName;
      this.#fieldNames.push(name);
      this.#visit(field.schema, member, memberPath);
      this.#fieldNames.pop();
      this.#structName = outerStruct;
    });
  }

  #visitScalar(scalar: ScalarName, schema: Schema, node: JsonNode): void {
    const wrong = (found: string = WORDS[node.kind]): void => this.#save({ found, wanted: goTypeOf(schema) });
    switch (scalar) {
      case 'string':
        return node.kind === 'string' ? undefined : wrong();
      case 'boolean':
        return node.kind === 'boolean' ? undefined : wrong();
      case 'int32':
      case 'int64':
        if (node.kind !== 'number') return wrong();
        return fitsInteger(node.text, scalar) ? undefined : wrong(`number ${node.text}`);
      case 'float64':
        if (node.kind !== 'number') return wrong();
        return Number.isFinite(Number(node.text)) ? undefined : wrong(`number ${node.text}`);
      case 'bytes':
        return this.#visitBytes(node, wrong);
      case 'timestamp':
        return this.#endUnlessText(node, parseTime);
      case 'microtime':
        return this.#endUnlessText(node, parseMicroTime);
      case 'duration':
        return this.#endUnlessText(node, parseDuration);
      case 'quantity':
        return this.#endUnless(() => parseQuantity(this.#quantityText(node)));
      case 'intOrString':
        return this.#visitIntOrString(node);
    }
  }

  #visitBytes(node: JsonNode, wrong: () => void): void {
    if (node.kind === 'array') return this.#visitByteList(node);
    if (node.kind !== 'string') return wrong();
    try {
      decodeBase64(node.value);
    } catch (error) {
      this.#firstError ??= messageOf(error);
    }
  }

  #visitByteList(node: ArrayNode): void {
    for (const item of node.nodes) {
      if (item.kind === 'null') continue;
      const isByte = item.kind === 'number' && /^[0-9]{1,3}$/.test(item.text) && Number(item.text) <= 255;
      if (isByte) continue;
      const found = item.kind === 'number' ? `number ${item.text}` : WORDS[item.kind];
      this.#save({ found, wanted: 'uint8' });
    }
  }

  #endUnlessText(node: JsonNode, parse: (text: string) => unknown): void {
    if (node.kind !== 'string') throw new Ended({ found: WORDS[node.kind], wanted: 'string' });
    this.#endUnless(() => parse(node.value));
  }

  #endUnless(parse: () => unknown): void {
    try {
      parse();
    } catch (error) {
      throw new Ended(messageOf(error));
    }
  }

  /** Quantities read the text between the quotes as it stands, or whatever else is there. */
  #quantityText({ kind, start, end }: JsonNode): string {
    return (
      kind === 'string' ? this.#source.slice(start + 1, end - 1) : this.#source.slice(start, end)
    ).trim();
  }

  #visitIntOrString(node: JsonNode): void {
    if (node.kind === 'string') return;
    if (node.kind !== 'number') throw new Ended({ found: WORDS[node.kind], wanted: 'int32' });
    if (!fitsInteger(node.text, 'int32')) throw new Ended({ found: `number ${node.text}`, wanted: 'int32' });
  }

  #visitCustom(schema: StructSchema, node: JsonNode): void {
    const member = (name: string): Schema | undefined => schema.fieldsByName.get(name)?.schema;
    const inner =
      node.kind === 'object'
        ? member('schema')
        : node.kind === 'array'
          ? (member('jSONSchemas') ?? member('property'))
          : undefined;
    const isBoolOrSchema = schema.customJson === 'schemaOrBool';
    if (isBoolOrSchema && !['object', 'boolean', 'null'].includes(node.kind))
      throw new Ended('boolean or JSON schema expected');
    if (!inner || (isBoolOrSchema && node.kind !== 'object')) return;
    const error = new Walk(this.#source, true).run(inner, node);
    if (error !== undefined) throw new Ended(error);
  }
}

/** What the server would say about `node`, which was read from `source`. */
export const diagnose = (schema: Schema, node: JsonNode, source: string): Diagnosis => {
  const walk = new Walk(source, false);
  const error = walk.run(schema, node);
  return {
    ...(typeof error === 'string' && { error }),
    findings: [...walk.findings],
    unknownPaths: [...walk.unknownPaths],
  };
};

/** @throws DecodeError if the diagnosis has an error */
export const throwIfWrong = ({ error }: Diagnosis): void => {
  if (error !== undefined) throw new DecodeError(error);
};
