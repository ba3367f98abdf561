/**
 * Patches of documents that anybody may send, beside a plain second statement of what each kind of patch means: operations
 * one after the other on plain values, RFC 7386 as it is written there, and strategic patches made as kubectl makes them,
 * which lead from one object to another, and on an object that is another by now change what was meant and no more.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import type { Json, JsonObject } from '../object.ts';
import { RELEASE_1_31 } from '../release/release-1-31.ts';
import { ApiError } from '../status.ts';
import { applyJsonPatchText, readJsonPatch } from './json-patch.ts';
import { applyMergePatchText, mergeValues } from './merge-patch.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

type Members = Record<string, Json>;

const copyOf = (value: Json): Json => structuredClone(value);
const isMap = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Without signs that are spelled in more than one way: a test compares spellings. */
const leaf = fc.constantFrom<Json>(null, 1, 2, 'x', 'y, z', true, '');
const { value: anyValue } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd/e', '~'), tie('value'), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
}));
const anyDocument = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd/e', '~'), anyValue, {
  minKeys: 1,
  maxKeys: 4,
  noNullPrototype: true,
});

/** Text as somebody may have typed it. */
const typed = (value: Json, isWide: boolean): string => JSON.stringify(value, undefined, isWide ? 2 : 0);

const REFUSED = 'refused';

const answerOf = (run: () => Json): Json => {
  try {
    return run();
  } catch (error) {
    if (error instanceof ApiError && error.code === 422) return REFUSED;
    throw error;
  }
};

// JSON Patch

class Refused extends Error {}

interface Operation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from: string;
  readonly value: Json;
}

function containerAt(document: Json, segments: readonly string[]): Json[] | Members {
  let at: Json | undefined = document;
  for (const segment of segments)
    at = Array.isArray(at) ? at[placeIn(at.length, segment)] : memberOf(at, segment);
  if (typeof at !== 'object' || at === null) throw new Refused();
  return at as Json[] | Members;
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (!isMap(value)) throw new Refused();
  return value[name];
}

/** Negative ones count from the end. */
function placeIn(length: number, segment: string): number {
  if (!/^-?\d+$/.test(segment)) throw new Refused();
  const at = Number(segment) + (segment.startsWith('-') ? length : 0);
  if (at < 0 || at >= length) throw new Refused();
  return at;
}

const segmentsOf = (path: string): string[] =>
  path
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));

function placeOf(document: Json, path: string) {
  const segments = segmentsOf(path);
  const key = segments.pop();
  if (key === undefined) throw new Refused();
  return { container: containerAt(document, segments), key };
}

function readAt(document: Json, path: string): Json {
  const { container, key } = placeOf(document, path);
  return (Array.isArray(container) ? container[placeIn(container.length, key)] : container[key]) ?? null;
}

function addAt(document: Json, path: string, value: Json): void {
  const { container, key } = placeOf(document, path);
  if (!Array.isArray(container)) container[key] = value;
  else container.splice(key === '-' ? container.length : placeIn(container.length + 1, key), 0, value);
}

function removeAt(document: Json, path: string): void {
  const { container, key } = placeOf(document, path);
  if (Array.isArray(container)) container.splice(placeIn(container.length, key), 1);
  else if (!Object.hasOwn(container, key)) throw new Refused();
  else Reflect.deleteProperty(container, key);
}

function replaceAt(document: Json, path: string, value: Json): Json {
  if (path === '') return typeof value === 'object' && value !== null ? value : document;
  const { container, key } = placeOf(document, path);
  if (Array.isArray(container)) container[placeIn(container.length, key)] = value;
  else container[key] = value;
  return document;
}

const sortedText = (value: Json): string =>
  JSON.stringify(value, (_name, each: Json) =>
    isMap(each) ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))) : each,
  );

function carriedOut(document: Json, { op, path, from, value }: Operation): Json {
  switch (op) {
    case 'add':
      addAt(document, path, copyOf(value));
      return document;
    case 'remove':
      removeAt(document, path);
      return document;
    case 'replace':
      return replaceAt(document, path, copyOf(value));
    case 'move': {
      const moved = readAt(document, from);
      removeAt(document, from);
      addAt(document, path, moved);
      return document;
    }
    case 'copy':
      addAt(document, path, copyOf(readAt(document, from)));
      return document;
    case 'test': {
      const found = path === '' ? document : readAt(document, path);
      if (sortedText(found) !== sortedText(value)) throw new Refused();
      return document;
    }
  }
}

function allCarriedOut(document: Json, operations: readonly Operation[]): Json {
  try {
    return operations.reduce(carriedOut, copyOf(document));
  } catch (error) {
    if (error instanceof Refused) return REFUSED;
    throw error;
  }
}

/** All paths of what is there, and those just beside it. */
function pathsOf(value: Json, path = ''): string[] {
  if (Array.isArray(value))
    return [path, `${path}/-`, `${path}/-1`, `${path}/${value.length}`].concat(
      value.flatMap((item: Json, at) => pathsOf(item, `${path}/${at}`)),
    );
  if (!isMap(value)) return [path];
  const below = Object.entries(value).flatMap(([name, member]) =>
    pathsOf(member ?? null, `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
  return [path, `${path}/new`, ...below];
}

const valuesOf = (value: Json): Json[] => {
  const parts = Array.isArray(value) ? (value as Json[]) : isMap(value) ? Object.values(value) : [];
  return [value, ...parts.flatMap((part) => valuesOf(part ?? null))];
};

const lacking = (value: Json): Json =>
  isMap(value) ? Object.fromEntries(Object.entries(value).slice(1)) : value;

/** Mostly of what is there; what a test expects is often nearly so. */
const operationsOn = (document: Json): fc.Arbitrary<Operation[]> => {
  const path = fc.constantFrom(...pathsOf(document), ...pathsOf(document).slice(1));
  const value = fc.oneof(
    fc.constantFrom(...valuesOf(document)),
    fc.constantFrom(...valuesOf(document)).map(lacking),
    anyValue,
  );
  const usual = fc.record({
    op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'copy'),
    path,
    from: path,
    value,
  });
  const test = path.chain((at) => {
    const here = answerOfModel(document, at);
    return fc.record({
      op: fc.constant('test' as const),
      path: fc.constant(at),
      from: path,
      value: fc.oneof(fc.constantFrom(here, lacking(here)), value),
    });
  });
  return fc.array(fc.oneof<fc.Arbitrary<Operation>[]>(usual as fc.Arbitrary<Operation>, test), {
    minLength: 1,
    maxLength: 4,
  });
};

function answerOfModel(document: Json, path: string): Json {
  try {
    return path === '' ? document : readAt(document, path);
  } catch {
    return null;
  }
}

it('a JSON patch does its operations one after the other, or nothing', () => {
  const drawn = anyDocument.chain((document) => fc.tuple(fc.constant(document), operationsOn(document)));
  let done = 0;
  fc.assert(
    fc.property(drawn, fc.boolean(), ([document, operations], isWide) => {
      const text = typed(document, isWide);
      const patch = readJsonPatch(typed(operations as unknown as Json, isWide));
      const answer = (): Json => answerOf(() => JSON.parse(applyJsonPatchText(text, patch)) as Json);
      const wanted = allCarriedOut(document, operations);
      if (wanted !== REFUSED) done++;
      expect(answer()).toEqual(wanted);
      // Prepared once it may be carried out again.
      expect(answer()).toEqual(wanted);
    }),
    asOftenAs(300),
  );
  expect(done).toBeGreaterThan(60);
});

// Merge patch

function merged(target: Json | undefined, patch: Json): Json {
  // What takes an object's place is kept to the letter.
  if (!isMap(patch)) return isMap(target) ? patch : withoutNulls(patch);
  const result: Members = isMap(target) ? { ...(target as Members) } : {};
  for (const [name, change] of Object.entries(patch)) {
    if (change === null || change === undefined) Reflect.deleteProperty(result, name);
    else result[name] = merged(result[name], change);
  }
  return result;
}

/** Of members; elements of lists are values. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      member === null || member === undefined ? [] : [[name, withoutNulls(member)]],
    ),
  );
}

it('a merge patch does what RFC 7386 says, of texts and of values', () => {
  fc.assert(
    fc.property(anyDocument, anyDocument, fc.boolean(), (document, patch, isWide) => {
      const wanted = merged(document, patch);
      const [before, change] = [copyOf(document), copyOf(patch)];
      expect(mergeValues(document, patch)).toEqual(wanted);
      expect([document, patch]).toEqual([before, change]);
      expect(JSON.parse(applyMergePatchText(typed(document, isWide), typed(patch, isWide)))).toEqual(wanted);
    }),
    asOftenAs(300),
  );
});

// Strategic merge patch

/** How a member is merged. */
type Way =
  | { readonly kind: 'whole' }
  | { readonly kind: 'values' }
  | { readonly kind: 'members'; readonly members: Ways; readonly retains?: boolean }
  | { readonly kind: 'elements'; readonly key: string; readonly members: Ways; readonly retains?: boolean };
type Ways = Readonly<Record<string, Way>>;

const NAMED = { kind: 'elements', key: 'name', members: {} } as const;
const MAP = { kind: 'members', members: {} } as const;
const DEPLOYMENT: Ways = {
  metadata: { kind: 'members', members: { labels: MAP, finalizers: { kind: 'values' } } },
  spec: {
    kind: 'members',
    members: {
      strategy: { kind: 'members', members: { rollingUpdate: MAP }, retains: true },
      template: {
        kind: 'members',
        members: {
          spec: {
            kind: 'members',
            members: {
              containers: { ...NAMED, members: { env: NAMED } },
              volumes: { ...NAMED, members: { emptyDir: MAP, hostPath: MAP }, retains: true },
            },
          },
        },
      },
    },
  },
};
const WHOLE: Way = { kind: 'whole' };

const isSame = (one: Json | undefined, other: Json | undefined): boolean =>
  sortedText(one ?? null) === sortedText(other ?? null);

/** What kubectl would send. */
function changeOf(from: JsonObject, to: JsonObject, ways: Ways, retains = false): Members {
  const patch: Members = {};
  for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const [before, after] = [from[name], to[name]];
    if (isSame(before, after)) continue;
    if (after === undefined) patch[name] = null;
    else if (before === undefined) patch[name] = after;
    else Object.assign(patch, changeOfMember({ name, before, after }, ways[name] ?? WHOLE));
  }
  if (retains && Object.keys(patch).length > 0) patch['$retainKeys'] = Object.keys(to).sort();
  return patch;
}

function changeOfMember(
  { name, before, after }: { readonly name: string; readonly before: Json; readonly after: Json },
  way: Way,
): Members {
  if (way.kind === 'whole') return { [name]: after };
  if (way.kind === 'members')
    return { [name]: changeOf(before as JsonObject, after as JsonObject, way.members, way.retains) };
  if (way.kind === 'values') {
    const [old, now] = [before as Json[], after as Json[]];
    const [added, gone] = [now.filter((one) => !old.includes(one)), old.filter((one) => !now.includes(one))];
    return {
      [`$setElementOrder/${name}`]: now,
      ...(added.length > 0 && { [name]: added }),
      ...(gone.length > 0 && { [`$deleteFromPrimitiveList/${name}`]: gone }),
    };
  }
  const [old, now] = [before as JsonObject[], after as JsonObject[]];
  const { key } = way;
  const like = (list: readonly JsonObject[], one: JsonObject) => list.find((each) => each[key] === one[key]);
  const changed = now.flatMap((one): Members[] => {
    const former = like(old, one);
    if (!former) return [one as Members];
    if (isSame(former, one)) return [];
    return [{ ...changeOf(former, one, way.members, way.retains), [key]: one[key] ?? null }];
  });
  const gone = old
    .filter((one) => !like(now, one))
    .map((one): Members => ({ $patch: 'delete', [key]: one[key] ?? null }));
  const parts = [...changed, ...gone];
  return {
    [`$setElementOrder/${name}`]: now.map((one) => ({ [key]: one[key] ?? null })),
    ...(parts.length > 0 && { [name]: parts }),
  };
}

const some = <T>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(members, { requiredKeys: [] });
const word = fc.constantFrom('u', 'v', 'w');
const named = (members: Record<string, fc.Arbitrary<Json>>) =>
  fc.uniqueArray(
    fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), ...members }, { requiredKeys: ['name'] }),
    { maxLength: 4, selector: ({ name }) => name },
  );
const emptyDir = some({ medium: word, sizeLimit: word });
const anyDeployment = fc.record({
  metadata: some({
    labels: fc.dictionary(word, word, { noNullPrototype: true }),
    finalizers: fc.uniqueArray(word),
  }),
  spec: some({
    replicas: fc.nat(3),
    strategy: some({ type: word, rollingUpdate: some({ maxSurge: word, maxUnavailable: word }) }),
    template: some({
      spec: some({
        containers: named({
          image: word,
          args: fc.array(word, { maxLength: 2 }),
          env: named({ value: word }),
        }),
        volumes: named({ emptyDir, hostPath: some({ path: word }) }),
        tolerations: fc.array(some({ key: word, value: word }), { maxLength: 2 }),
      }),
    }),
  }),
}) as unknown as fc.Arbitrary<JsonObject>;

const SCHEMA = RELEASE_1_31.catalog.types.structOf('apps/v1.Deployment');
const patched = (document: JsonObject, patch: JsonObject): JsonObject =>
  applyStrategicMergePatch(SCHEMA, document, patch).patched;

it('a strategic patch leads from one object to the other, and again to no other', () => {
  fc.assert(
    fc.property(anyDeployment, anyDeployment, (from, to) => {
      const patch = changeOf(from, to, DEPLOYMENT);
      expect(patched(from, patch)).toEqual(to);
      expect(patched(to, patch)).toEqual(to);
      expect(patched(to, {})).toEqual(to);
    }),
    asOftenAs(200),
  );
});

const listAt = (object: Json | undefined, ...path: string[]): readonly Json[] => {
  const found = path.reduce<Json | undefined>((at, name) => (isMap(at) ? at[name] : undefined), object);
  return Array.isArray(found)
    ? (found as Json[])
    : isMap(found)
      ? Object.entries(found).map(([name, value]) => ({ name, value: value ?? null }))
      : [];
};
const namesAt = (object: JsonObject, ...path: string[]): readonly Json[] =>
  listAt(object, ...path).map((one) => (isMap(one) ? (one['name'] ?? null) : one));

it('a strategic patch of an object that is another by now adds and takes away what was meant', () => {
  fc.assert(
    fc.property(anyDeployment, anyDeployment, anyDeployment, (from, to, other) => {
      const found = patched(other, changeOf(from, to, DEPLOYMENT));
      for (const path of [
        ['metadata', 'labels'],
        ['metadata', 'finalizers'],
        ['spec', 'template', 'spec', 'containers'],
        ['spec', 'template', 'spec', 'volumes'],
      ]) {
        // Whoever takes the whole away takes away what he never saw.
        if (path.some((_, depth) => !hasAt(to, path.slice(0, depth + 1)))) continue;
        const [before, after] = [namesAt(from, ...path), namesAt(to, ...path)];
        const wanted = new Set([...namesAt(other, ...path), ...changedNames(from, to, path)]);
        for (const one of before) if (!after.includes(one)) wanted.delete(one);
        expect(new Set(namesAt(found, ...path))).toEqual(wanted);
      }
    }),
    asOftenAs(200),
  );
});

const hasAt = (object: JsonObject, path: readonly string[]): boolean =>
  path.reduce<Json | undefined>((at, name) => (isMap(at) ? at[name] : undefined), object) !== undefined;

/** Names of what is new, or is not as it was. */
function changedNames(from: JsonObject, to: JsonObject, path: readonly string[]): readonly Json[] {
  const old = listAt(from, ...path);
  return listAt(to, ...path)
    .filter((one) => !old.some((each) => isSame(each, one)))
    .map((one) => (isMap(one) ? (one['name'] ?? null) : one));
}
