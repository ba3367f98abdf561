/** Objects of a kind, changed a little: created, changed in every way, applied by several, and deleted. */
import { RELEASE_1_31 } from '../../../api/release/release-1-31.ts';
import type { Json, JsonObject } from '../../../api/object.ts';
import type { RequestStep, Step } from '../../../../model/golden/replay/golden-case.ts';
import { mutate } from './mutate.ts';
import type { Random } from './random.ts';
import { RICH_MEMBERS } from './rich-subjects.ts';
import { collectionOf, nameOf, objectOf, type Subject, typeKeyOf } from './subjects.ts';

const QUERIES: readonly Readonly<Record<string, string>>[] = [
  {},
  {},
  { fieldValidation: 'Strict' },
  { fieldValidation: 'Ignore' },
  { fieldValidation: 'Bad' },
  { fieldManager: 'm1' },
];

/** A smallest object, or a fuller one. */
export function seedOf(subject: Subject, random: Random): JsonObject {
  const rich = RICH_MEMBERS[`${subject.apiVersion}/${subject.resource}`];
  const isRich = rich !== undefined && random.chance(60);
  return objectOf(subject, nameOf(subject), isRich ? random.pick(rich) : subject.members);
}

/** Changed in one to three places. */
export function mutated(subject: Subject, seed: JsonObject, random: Random): JsonObject {
  const object = structuredClone(seed);
  const schema = RELEASE_1_31.catalog.types.structOf(typeKeyOf(subject));
  const times = 1 + random.below(3);
  for (let time = 0; time < times; time += 1) mutate(object, schema, random);
  return object;
}

/** Creations that stay dry, one object and what one would make of it, or one object's whole life. */
export function drawWrites(subject: Subject, random: Random): readonly Step[] {
  const path = collectionOf(subject);
  const one = `${path}/${nameOf(subject)}`;
  const seed = seedOf(subject, random);
  const dry = (): Readonly<Record<string, string>> => ({ dryRun: 'All', ...random.pick(QUERIES) });
  const dice = random.below(100);
  if (dice < 40 || subject.isDryOnly) {
    return Array.from({ length: 4 }, () => ({
      request: {
        method: 'POST',
        path,
        query: dry(),
        body: mutated(subject, seedOf(subject, random), random),
      },
    }));
  }
  const first: Step = {
    request: { method: 'POST', path, body: seed },
    capture: { rv: '/metadata/resourceVersion' },
  };
  const changes = (query: () => Readonly<Record<string, string>>): readonly Step[] =>
    Array.from({ length: 4 }, () => ({ request: changeOf(subject, one, { seed, random, query: query() }) }));
  if (dice < 75) return [first, ...changes(dry)];
  const removal: Step = { request: { method: 'DELETE', path: one, ...deletionOf(random) } };
  return [first, ...changes(() => random.pick(QUERIES)), { request: { method: 'GET', path: one } }, removal];
}

interface Change {
  readonly seed: JsonObject;
  readonly random: Random;
  readonly query: Readonly<Record<string, string>>;
}

function changeOf(subject: Subject, path: string, { seed, random, query }: Change): RequestStep {
  const body = mutated(subject, seed, random);
  const patch = (contentType: string, patchBody: Json, more = {}): RequestStep => ({
    method: 'PATCH',
    path,
    query: { ...more, ...query },
    body: patchBody,
    contentType,
  });
  const dice = random.below(100);
  if (dice < 30) return { method: 'PUT', path, query, body: random.chance(40) ? versioned(body) : body };
  if (dice < 50) return patch('application/merge-patch+json', patchOf(body));
  if (dice < 65) return patch('application/strategic-merge-patch+json', patchOf(body));
  if (dice < 75) return patch('application/json-patch+json', operationsOf(body, random));
  if (dice < 95) {
    const force = random.chance(40) ? { force: random.pick(['true', 'false', 'a']) } : {};
    return patch('application/apply-patch+yaml', body, { fieldManager: random.pick(['m2', 'm3']), ...force });
  }
  return { method: 'DELETE', path, query: { dryRun: 'All' } };
}

const patchOf = ({ apiVersion: _version, kind: _kind, ...rest }: JsonObject): Json => rest;

const versioned = (body: JsonObject): JsonObject => {
  const metadata = body['metadata'];
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return body;
  return { ...body, metadata: { ...(metadata as JsonObject), resourceVersion: '${rv}' } };
};

/** Operations on members and items of the object, some of which are not there. */
function operationsOf(body: JsonObject, random: Random): Json {
  const places = placesIn(body, '').slice(1);
  return Array.from({ length: 1 + random.below(2) }, (): Json => {
    const { pointer, value } = random.pick(places);
    const op = random.pick(['add', 'add', 'replace', 'replace', 'remove', 'test', 'move', 'copy', 'bad']);
    const path = random.chance(12) ? random.pick(['', '/', '/a/b', `${pointer}/-`, `${pointer}/0`]) : pointer;
    const from = op === 'move' || op === 'copy' ? { from: random.pick(places).pointer } : {};
    return { op, path, ...from, ...(op !== 'remove' && { value }) };
  });
}

function placesIn(
  value: Json,
  pointer: string,
): readonly { readonly pointer: string; readonly value: Json }[] {
  const below = typeof value === 'object' && value !== null ? Object.entries(value as JsonObject) : [];
  return [
    { pointer, value },
    ...below.flatMap(([name, member]) =>
      placesIn(member ?? null, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
    ),
  ];
}

function deletionOf(random: Random): Pick<RequestStep, 'query' | 'body'> {
  const query = random.pick<Readonly<Record<string, string>>>([
    {},
    { gracePeriodSeconds: '0' },
    { gracePeriodSeconds: random.pick(['-1', 'a', '5']) },
    { propagationPolicy: random.pick(['Orphan', 'Foreground', 'Background', 'Bad']) },
    { orphanDependents: random.pick(['true', 'false', 'a']) },
    { dryRun: 'Bad' },
  ]);
  if (random.chance(60)) return { query };
  const body: JsonObject = { apiVersion: 'v1', kind: 'DeleteOptions' };
  mutate(body, RELEASE_1_31.catalog.types.structOf('meta.k8s.io/v1.DeleteOptions'), random);
  return { query, body };
}
