/**
 * What is stored of a custom resource is right by the schema at its write, or was as wrong before. Told of everything that
 * is stored, before and after. Types, members, bounds and lists of values are held against the schema here; patterns,
 * formats, logic and expressions are not. Definitions whose objects a webhook converts are left out: what is stored of
 * those nobody has looked at.
 */
import { at, isEqual, isMapping, type Mapping } from './json.ts';

export interface CustomObjectViolation {
  readonly rule: 'custom-objects-are-valid';
  /** Virtual microseconds. */
  readonly at: number;
  readonly message: string;
}

/** API servers hear late of a definition, and requests that they are at end within a minute. */
const LATE = 120_000_000;
const DEFINITIONS = '/registry/apiextensions.k8s.io/customresourcedefinitions/';

/** The schemas of one state of a definition; an object may be in any of its versions. */
interface Declared {
  readonly schemas: readonly Mapping[];
  /** Since when there is another state; undefined: it is the present one. */
  until: number | undefined;
}

export class CustomObjectRules {
  readonly violations: CustomObjectViolation[] = [];
  readonly #now: () => number;
  /** By the beginning of their objects' keys. */
  readonly #declared = new Map<string, Declared[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  stored(key: string, object: unknown, before: unknown): void {
    if (key.startsWith(DEFINITIONS)) this.#declare(object);
    else if (this.#declared.size > 0) this.#look(key, object, before);
  }

  #declare(definition: unknown): void {
    const group = String(at(definition, 'spec', 'group'));
    const prefix = `/registry/${group}/${String(at(definition, 'spec', 'names', 'plural'))}/`;
    const states = this.#declared.get(prefix) ?? [];
    for (const state of states) state.until ??= this.#now();
    states.push({ schemas: schemasOf(definition), until: undefined });
    const kept = states.filter(({ until }) => until === undefined || this.#now() - until < LATE);
    this.#declared.set(prefix, kept);
  }

  #look(key: string, object: unknown, before: unknown): void {
    const prefix = key.split('/').slice(0, 4).join('/');
    const states = (this.#declared.get(`${prefix}/`) ?? []).filter(
      ({ until }) => until === undefined || this.#now() - until < LATE,
    );
    if (states.length === 0) return;
    let problem: string | undefined;
    for (const { schemas } of states) {
      if (schemas.length === 0) return;
      for (const schema of schemas) {
        problem = problemOf(object, before, schema, '');
        if (problem === undefined) return;
      }
    }
    this.violations.push({
      rule: 'custom-objects-are-valid',
      at: this.#now(),
      message: `${key} was stored though ${problem ?? ''}`,
    });
  }
}

/** None: nobody can tell. */
function schemasOf(definition: unknown): readonly Mapping[] {
  const versions = at(definition, 'spec', 'versions');
  const isConverted = at(definition, 'spec', 'conversion', 'strategy') === 'Webhook';
  if (isConverted || at(definition, 'spec', 'preserveUnknownFields') === true || !Array.isArray(versions))
    return [];
  return versions.flatMap((version) => {
    const schema = at(version, 'schema', 'openAPIV3Schema');
    return isMapping(schema) ? [schema] : [];
  });
}

/** The first thing that is wrong and was not before. */
function problemOf(value: unknown, before: unknown, schema: Mapping, path: string): string | undefined {
  if (before !== undefined && isEqual(value, before)) return undefined;
  if (value === null) return schema['nullable'] === true ? undefined : `${path} is null`;
  const own = typeProblem(value, schema) ?? boundProblem(value, schema) ?? enumProblem(value, schema);
  if (own !== undefined) return `${path || 'it'} ${own}`;
  if (Array.isArray(value)) return itemProblem(value, before, schema, path);
  return isMapping(value) ? memberProblem(value, before, schema, path) : undefined;
}

const IS_OF_TYPE: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isMapping,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number' || typeof value === 'bigint',
  integer: (value) => typeof value === 'bigint' || Number.isInteger(value),
};

function typeProblem(value: unknown, schema: Mapping): string | undefined {
  const { type } = schema;
  if (schema['x-kubernetes-int-or-string'] === true)
    return typeof value === 'string' || Number.isInteger(value) ? undefined : 'is neither number nor text';
  const isRight = typeof type === 'string' ? IS_OF_TYPE[type] : undefined;
  return isRight && !isRight(value) ? `is no ${String(type)}` : undefined;
}

function enumProblem(value: unknown, schema: Mapping): string | undefined {
  const allowed = schema['enum'];
  if (!Array.isArray(allowed) || allowed.some((each) => isEqual(each, value))) return undefined;
  return 'is none of the values that there are';
}

function boundProblem(value: unknown, schema: Mapping): string | undefined {
  if (typeof value === 'number') return outside(value, schema, 'minimum', 'maximum');
  if (typeof value === 'string') return outside([...value].length, schema, 'minLength', 'maxLength');
  if (Array.isArray(value)) return outside(value.length, schema, 'minItems', 'maxItems');
  if (isMapping(value)) return outside(Object.keys(value).length, schema, 'minProperties', 'maxProperties');
  return undefined;
}

function outside(size: number, schema: Mapping, least: string, most: string): string | undefined {
  const { [least]: lower, [most]: upper } = schema;
  if (typeof lower === 'number' && size < lower) return `is below its ${least}`;
  return typeof upper === 'number' && size > upper ? `is above its ${most}` : undefined;
}

/** Whichever item was there before may stay as it is. */
function itemProblem(
  items: readonly unknown[],
  before: unknown,
  { items: schema }: Mapping,
  path: string,
): string | undefined {
  if (!isMapping(schema)) return undefined;
  const old: readonly unknown[] = Array.isArray(before) ? before : [];
  for (const [index, item] of items.entries()) {
    if (old.some((each) => isEqual(each, item))) continue;
    const problem = problemOf(item, old[index], schema, `${path}[${index}]`);
    // Items may be another's successors: what any of them had wrong may stay wrong.
    if (problem !== undefined && old.length === 0) return problem;
  }
  return undefined;
}

function memberProblem(value: Mapping, before: unknown, schema: Mapping, path: string): string | undefined {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const missing = required.find((name) => !(String(name) in value));
  if (missing !== undefined) return `${path}.${String(missing)} is missing`;
  const { properties, additionalProperties } = schema;
  const known: Mapping = isMapping(properties) ? properties : {};
  const keepsOthers =
    schema['x-kubernetes-preserve-unknown-fields'] === true ||
    schema['x-kubernetes-embedded-resource'] === true ||
    additionalProperties === true;
  for (const [name, member] of Object.entries(value)) {
    if (path === '' && ROOT.has(name)) continue;
    const part = known[name] ?? additionalProperties;
    if (!isMapping(part) && !keepsOthers) return `${path}.${name} is unknown to the schema`;
    const problem = isMapping(part)
      ? problemOf(member, at(before, name), part, `${path}.${name}`)
      : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const ROOT: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);
