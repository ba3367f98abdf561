/** One place of an object after the other: everything that could stand there, and nothing else changed. */
import { RELEASE_1_31 } from '../../../api/release/release-1-31.ts';
import type { Json, JsonObject } from '../../../api/object.ts';
import type { RequestStep, Step } from '../../../../model/golden/replay/golden-case.ts';
import { valuesFor } from './mutate.ts';
import { type Place, placesOf, withValue } from './places.ts';
import type { Random } from './random.ts';
import { RICH_MEMBERS } from './rich-subjects.ts';
import { collectionOf, nameOf, objectOf, type Subject, typeKeyOf } from './subjects.ts';

const ATTEMPTS = 10;
/** Far from each other in the list, and so of different kinds. */
const STRIDE = 7919;

interface FieldCase {
  readonly subject: Subject;
  readonly steps: readonly Step[];
}

interface PlaceOfKind {
  readonly subject: Subject;
  readonly object: JsonObject;
  readonly place: Place;
}

/** As many numbers in a row as there are places meet each of them once. */
export function drawField(subjects: readonly Subject[], index: number, random: Random): FieldCase {
  const places = subjects.flatMap(placesOfKind);
  const found = places[(index * STRIDE) % places.length];
  if (!found) throw new RangeError('nothing to pick from');
  const { subject, object, place } = found;
  const path = collectionOf(subject);
  const bodies = bodiesFor(place, random).map((value) => withValue(object, place.path, value));
  if (subject.isDryOnly) return { subject, steps: bodies.map((body) => ({ request: creation(path, body) })) };
  const one = `${path}/${nameOf(subject)}`;
  const first: Step = {
    request: { method: 'POST', path, body: object },
    capture: { rv: '/metadata/resourceVersion' },
  };
  const attempts = bodies.map((body): Step => ({
    request: random.chance(50) ? creation(path, renamed(body)) : changeOf(one, body, random),
  }));
  return { subject, steps: [first, ...attempts] };
}

/** Every number asks for them anew. */
const known = new Map<Subject, readonly PlaceOfKind[]>();

function placesOfKind(subject: Subject): readonly PlaceOfKind[] {
  let places = known.get(subject);
  if (!places) known.set(subject, (places = foundPlaces(subject)));
  return places;
}

const foundPlaces = (subject: Subject): readonly PlaceOfKind[] =>
  [subject.members, ...(RICH_MEMBERS[`${subject.apiVersion}/${subject.resource}`] ?? [])].flatMap(
    (members) => {
      const object = objectOf(subject, nameOf(subject), members);
      const schema = RELEASE_1_31.catalog.types.structOf(typeKeyOf(subject));
      return placesOf(object, schema)
        .filter(({ path }) => WITH_WHOLE_PODS.has(subject.kind) || !isDeepInTemplate(path))
        .map((place) => ({ subject, object, place }));
    },
  );

/** What stands in templates of pods is the same everywhere, and most of all there is. */
const WITH_WHOLE_PODS: ReadonlySet<string> = new Set(['Pod', 'Deployment']);

function isDeepInTemplate(path: Place['path']): boolean {
  const at = path.indexOf('template');
  return at >= 0 && path[at + 1] === 'spec' && path.length > at + 3;
}

/** What is missing, null or of another type, and as many others as fit. */
function bodiesFor({ schema, words }: Place, random: Random): readonly (Json | undefined)[] {
  const others = shuffled([...words, ...valuesFor(schema, random)], random);
  const wrong = random.pick<Json>([true, 7, 'text', [], {}, ['a'], { a: 'b' }]);
  return [undefined, null, wrong, ...others].slice(0, ATTEMPTS);
}

function shuffled<T>(items: readonly T[], random: Random): readonly T[] {
  return items
    .map((item) => ({ item, order: random.below(1 << 30) }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}

const creation = (path: string, body: Json): RequestStep => ({
  method: 'POST',
  path,
  query: { dryRun: 'All' },
  body,
});

/** Beside the object that is there. */
function renamed(body: JsonObject): JsonObject {
  const metadata = body['metadata'] as JsonObject | undefined;
  const name = metadata?.['name'];
  if (typeof name !== 'string' || (name !== 'x' && name !== '${unique}')) return body;
  return { ...body, metadata: { ...metadata, name: `${name}-2` } };
}

function changeOf(path: string, body: JsonObject, random: Random): RequestStep {
  const query = { dryRun: 'All' };
  const { apiVersion: _version, kind: _kind, ...rest } = body;
  const patch = (contentType: string, patchBody: Json, more = {}): RequestStep => ({
    method: 'PATCH',
    path,
    query: { ...query, ...more },
    body: patchBody,
    contentType,
  });
  switch (random.below(6)) {
    case 0:
      return patch('application/merge-patch+json', rest);
    case 1:
      return patch('application/strategic-merge-patch+json', rest);
    case 2:
      return patch('application/apply-patch+yaml', body, { fieldManager: 'm2', force: 'true' });
    default:
      return { method: 'PUT', path, query, body };
  }
}
