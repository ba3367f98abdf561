/** Objects of which several managers apply parts, while others update them, take them over and edit who manages what. */
import { RELEASE_1_31 } from '../../../api/release/release-1-31.ts';
import type { Json, JsonObject } from '../../../api/object.ts';
import type { RequestStep, Step } from '../../../../model/golden/replay/golden-case.ts';
import { mutate } from './mutate.ts';
import type { Random } from './random.ts';
import { RICH_MEMBERS } from './rich-subjects.ts';
import { collectionOf, nameOf, objectOf, type Subject, typeKeyOf } from './subjects.ts';

const MANAGERS = ['m1', 'm2', 'm3'];
/** Without them an item cannot be told from the others. */
const KEYS: ReadonlySet<string> = new Set(
  'apiVersion kind metadata name containerPort port protocol key type ip mountPath devicePath uid'.split(' '),
);

export function drawApplies(subject: Subject, random: Random): readonly Step[] {
  const path = `${collectionOf(subject)}/${nameOf(subject)}`;
  const rich = RICH_MEMBERS[`${subject.apiVersion}/${subject.resource}`];
  const members = rich && random.chance(75) ? random.pick(rich) : subject.members;
  const whole = objectOf(subject, nameOf(subject), members);
  const first: RequestStep = random.chance(50)
    ? { method: 'POST', path: collectionOf(subject), query: { fieldManager: 'm1' }, body: whole }
    : applied(path, whole, random);
  const changes = Array.from({ length: 6 }, (): Step => ({
    request: changeOf({ subject, path, whole, random }),
  }));
  return [{ request: first }, ...changes, { request: { method: 'GET', path } }];
}

interface Draw {
  readonly subject: Subject;
  readonly path: string;
  readonly whole: JsonObject;
  readonly random: Random;
}

function changeOf(draw: Draw): RequestStep {
  const { path, whole, random } = draw;
  const dice = random.below(100);
  if (dice < 60) return applied(path, partOf(draw), random);
  const query = { fieldManager: random.pick([...MANAGERS, 'u1']) };
  if (dice < 72) return { method: 'PUT', path, query, body: random.chance(50) ? whole : partOf(draw) };
  const merge = { method: 'PATCH', path, query, contentType: 'application/merge-patch+json' };
  if (dice < 84) return { ...merge, body: withoutType(partOf(draw)) };
  return { ...merge, body: { metadata: { managedFields: entriesOf(random) } } };
}

function applied(path: string, body: JsonObject, random: Random): RequestStep {
  const query = {
    fieldManager: random.pick(MANAGERS),
    ...(random.chance(40) && { force: 'true' }),
    ...(random.chance(10) && { dryRun: 'All' }),
  };
  return { method: 'PATCH', path, query, contentType: 'application/apply-patch+yaml', body };
}

/** Some of the members, at times changed. */
function partOf({ subject, whole, random }: Draw): JsonObject {
  const part = thinned(whole, random, random.pick([10, 25, 50])) as Record<string, Json>;
  if (random.chance(45)) mutate(part, RELEASE_1_31.catalog.types.structOf(typeKeyOf(subject)), random);
  if (random.chance(25)) part['metadata'] = labelled(whole['metadata'], random);
  return part;
}

function labelled(metadata: Json | undefined, random: Random): JsonObject {
  const value = random.pick(['1', '2', '']);
  return {
    ...(metadata as JsonObject),
    ...(random.chance(70) && { labels: { [random.pick(['a', 'b'])]: value } }),
    ...(random.chance(40) && { annotations: { [random.pick(['a', 'example.com/b'])]: value } }),
    ...(random.chance(20) && { finalizers: random.chance(50) ? ['example.com/a'] : [] }),
  };
}

function thinned(value: Json, random: Random, share: number): Json {
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    return items.filter(() => !random.chance(share)).map((item) => thinned(item, random, share));
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value as JsonObject).filter(
    ([name]) => KEYS.has(name) || !random.chance(share),
  );
  return Object.fromEntries(members.map(([name, member]) => [name, thinned(member ?? null, random, share)]));
}

function withoutType({ apiVersion: _version, kind: _kind, ...rest }: JsonObject): JsonObject {
  return rest;
}

/** Who manages what, as somebody writes it by hand. */
function entriesOf(random: Random): Json {
  const entry = (more: JsonObject): JsonObject => ({
    manager: random.pick(MANAGERS),
    operation: 'Apply',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:metadata': { 'f:labels': { 'f:a': {} } } },
    ...more,
  });
  return random.pick<Json>([
    [],
    [{}],
    null,
    [entry({})],
    [entry({ operation: 'Update' })],
    [entry({ operation: 'Bad' })],
    [entry({ fieldsType: 'FieldsV2' })],
    [entry({ fieldsV1: { 'f:spec': { a: {} } } })],
    [entry({ fieldsV1: {} })],
    [entry({ apiVersion: 'nothing/v1' })],
    [entry({ subresource: 'status' })],
    [entry({ manager: 'x'.repeat(129) })],
    [entry({}), entry({ manager: 'm1' })],
    [entry({ time: '2024-01-02T03:04:05Z' })],
  ]);
}
