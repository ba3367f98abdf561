/**
 * Documents of OpenAPI version 2 of several servers in one: of each other one the paths below its own prefix, and the
 * definitions that these lead to. A definition of a known name that says something else gets a name of its own, as
 * servers number them. Pure. Specification: not shown (Kubernetes: aggregation layer).
 */
import type { Json, JsonObject } from '../../api/object.ts';
import { byKey } from '../../api/go-text.ts';

export interface ForeignSwagger {
  /** `/apis/metrics.k8s.io/v1beta1/` */
  readonly prefix: string;
  readonly document: JsonObject;
}

type Definitions = Readonly<Record<string, Json>>;

const REF = '#/definitions/';
const KINDS = 'x-kubernetes-group-version-kind';

export function mergedSwagger(own: JsonObject, others: readonly ForeignSwagger[]): JsonObject {
  const paths = new Map(Object.entries(membersOf(own['paths'])));
  const definitions = new Map(Object.entries(membersOf(own['definitions'])));
  for (const { prefix, document } of others) {
    const kept = Object.entries(membersOf(document['paths'])).filter(([path]) => path.startsWith(prefix));
    const used = usedDefinitions(kept, membersOf(document['definitions']));
    const renamed = renamedIn(definitions, used);
    for (const [name, schema] of used) {
      const newName = renamed.get(name) ?? name;
      if (!definitions.has(newName)) definitions.set(newName, withRefs(schema, renamed));
    }
    for (const [path, item] of kept) if (!paths.has(path)) paths.set(path, withRefs(item, renamed));
  }
  return {
    ...own,
    paths: Object.fromEntries([...paths].sort(byKey)),
    definitions: Object.fromEntries([...definitions].sort(byKey)),
  };
}

const membersOf = (value: unknown): Definitions =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Definitions) : {};

function usedDefinitions(
  paths: readonly (readonly [string, Json])[],
  all: Definitions,
): ReadonlyMap<string, Json> {
  const used = new Map<string, Json>();
  const waiting: Json[] = paths.map(([, item]) => item);
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (typeof part !== 'object' || part === null) continue;
    for (const [member, value] of Object.entries(part)) {
      if (member !== '$ref' || typeof value !== 'string') {
        waiting.push(value as Json);
        continue;
      }
      const name = value.startsWith(REF) ? value.slice(REF.length) : '';
      const schema = Object.hasOwn(all, name) ? all[name] : undefined;
      if (schema === undefined || used.has(name)) continue;
      used.set(name, schema);
      waiting.push(schema);
    }
  }
  return new Map([...used].sort(byKey));
}

/** New names of definitions whose names stand for something else. */
function renamedIn(
  known: ReadonlyMap<string, Json>,
  used: ReadonlyMap<string, Json>,
): ReadonlyMap<string, string> {
  const renamed = new Map<string, string>();
  const taken = new Set<string>();
  for (const [name, schema] of used) {
    if (!known.has(name) || saysTheSame(known.get(name), schema)) continue;
    let number = 2;
    const isFree = (candidate: string): boolean => {
      if (known.has(candidate)) return saysTheSame(known.get(candidate), schema);
      return !used.has(candidate) && !taken.has(candidate);
    };
    while (!isFree(`${name}_v${number}`)) number += 1;
    renamed.set(name, `${name}_v${number}`);
    taken.add(`${name}_v${number}`);
  }
  return renamed;
}

/** Whatever kinds it is said to be. */
const saysTheSame = (a: Json | undefined, b: Json): boolean => canonical(a) === canonical(b);

const canonical = (schema: Json | undefined): string =>
  JSON.stringify(schema, (member: string, value: unknown) => {
    if (member === KINDS) return undefined;
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? Object.fromEntries(Object.entries(value).sort(byKey)) : value;
  });

function withRefs(value: Json, renamed: ReadonlyMap<string, string>): Json {
  if (renamed.size === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map((each) => withRefs(each, renamed));
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([member, part]) => {
      if (member !== '$ref' || typeof part !== 'string') return [member, withRefs(part as Json, renamed)];
      const newName = renamed.get(part.slice(REF.length));
      return [member, newName === undefined ? part : `${REF}${newName}`];
    }),
  );
}
