/** Objects with finalizers, owners and preconditions, deleted alone and together, with every option there is. */
import type { Json, JsonObject } from '../../../api/object.ts';
import { RELEASE_1_31 } from '../../../api/release/release-1-31.ts';
import type { Query, RequestStep, Step } from '../../../../model/golden/replay/golden-case.ts';
import { mutate } from './mutate.ts';
import type { Random } from './random.ts';
import { collectionOf, nameOf, objectOf, type Subject } from './subjects.ts';

const FINALIZERS: readonly Json[] = [
  ['example.com/a'],
  ['example.com/a', 'example.com/b'],
  ['orphan'],
  ['foregroundDeletion'],
  ['foregroundDeletion', 'orphan'],
  ['kubernetes'],
  ['a'],
  ['A/b c'],
  [],
  null,
];

export function drawDeletions(subject: Subject, random: Random): readonly Step[] {
  const path = collectionOf(subject);
  const one = `${path}/${nameOf(subject)}`;
  const metadata = {
    name: nameOf(subject),
    labels: { a: 'b', case: '${unique}' },
    ...(random.chance(50) && { finalizers: random.pick(FINALIZERS) }),
    ...(random.chance(15) && { ownerReferences: ownersOf(random) }),
  };
  const first: Step = {
    request: { method: 'POST', path, body: { ...objectOf(subject), metadata } },
    capture: { rv: '/metadata/resourceVersion', uid: '/metadata/uid' },
  };
  const draw: Draw = { subject, path, one, random };
  const steps = Array.from({ length: 6 }, (): Step => ({ request: changeOf(draw) }));
  const freed: Step = {
    request: { method: 'PATCH', path: one, contentType: MERGE, body: { metadata: { finalizers: null } } },
  };
  return [first, ...steps, freed, { request: { method: 'GET', path: one } }];
}

const MERGE = 'application/merge-patch+json';

interface Draw {
  readonly subject: Subject;
  readonly path: string;
  readonly one: string;
  readonly random: Random;
}

function changeOf({ subject, path, one, random }: Draw): RequestStep {
  const dice = random.below(100);
  if (dice < 45) return { method: 'DELETE', path: one, ...optionsOf(random) };
  if (dice < 55 && subject.isNamespaced) {
    const { query, ...rest } = optionsOf(random);
    return { method: 'DELETE', path, query: { ...query, ...selectorOf(random) }, ...rest };
  }
  if (dice < 60) return { method: 'GET', path: one };
  if (dice < 68) return { method: 'POST', path, body: objectOf(subject) };
  if (dice < 76) return { method: 'PUT', path: one, body: objectOf(subject) };
  const finalizers = random.pick([...FINALIZERS, null, null]);
  const body: Json = random.chance(80)
    ? { metadata: { finalizers } }
    : random.pick<Json>([
        { metadata: { labels: { c: 'd' } } },
        { metadata: { deletionTimestamp: null } },
        { metadata: { deletionGracePeriodSeconds: 5 } },
        { metadata: { ownerReferences: ownersOf(random) } },
        { metadata: { finalizers, resourceVersion: '${rv}' } },
      ]);
  const query = random.chance(15) ? { dryRun: 'All' } : {};
  return { method: 'PATCH', path: one, query, contentType: MERGE, body };
}

function ownersOf(random: Random): Json {
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' };
  return random.pick<Json>([
    [owner],
    [{ ...owner, controller: true }],
    [
      { ...owner, controller: true },
      { ...owner, uid: 'v', controller: true },
    ],
    [{ ...owner, blockOwnerDeletion: true }, owner],
    [{ ...owner, apiVersion: 'v1/a/b' }],
    [{ ...owner, kind: 'Event', apiVersion: 'v1' }],
    [{ ...owner, uid: '' }],
    [],
  ]);
}

const selectorOf = (random: Random): Query =>
  random.pick<Query>([
    {},
    { labelSelector: 'a=b' },
    { labelSelector: 'a=c' },
    { labelSelector: 'a b' },
    { fieldSelector: 'metadata.name=x' },
    { fieldSelector: 'a=b' },
    { limit: '1' },
    { resourceVersion: '0' },
    { resourceVersion: 'a' },
    { resourceVersion: '${rv}', resourceVersionMatch: 'Exact' },
  ]);

/** In the query, in a body, or in both. */
function optionsOf(random: Random): { query: Query; body?: JsonObject } {
  const query = random.pick<Query>([
    {},
    {},
    { gracePeriodSeconds: random.pick(['0', '5', '-1', 'a', '']) },
    { propagationPolicy: random.pick(['Orphan', 'Foreground', 'Background', 'Bad', '']) },
    { orphanDependents: random.pick(['true', 'false', 'a', '']) },
    { propagationPolicy: 'Orphan', orphanDependents: 'true' },
    { dryRun: random.pick(['All', 'Bad', '']) },
    { ignoreStoreReadErrorWithClusterBreakingPotential: 'true' },
    { preconditions: 'a' },
  ]);
  if (random.chance(45)) return { query };
  const body: Record<string, Json> = { apiVersion: 'v1', kind: 'DeleteOptions' };
  if (random.chance(40)) body['preconditions'] = preconditions(random);
  if (random.chance(50))
    body['propagationPolicy'] = random.pick(['Orphan', 'Foreground', 'Background', 'Bad']);
  if (random.chance(25)) body['gracePeriodSeconds'] = random.pick<Json>([0, 1, -1, 'a', null]);
  if (random.chance(10)) body['dryRun'] = random.pick<Json>([['All'], ['Bad'], ['All', 'All'], 'All', []]);
  if (random.chance(10)) body['orphanDependents'] = random.pick([true, false]);
  if (random.chance(10))
    mutate(body, RELEASE_1_31.catalog.types.structOf('meta.k8s.io/v1.DeleteOptions'), random);
  return { query, body };
}

const preconditions = (random: Random): Json =>
  random.pick<Json>([
    { uid: '${uid}' },
    { uid: 'wrong' },
    { uid: '' },
    { resourceVersion: '${rv}' },
    { resourceVersion: '1' },
    { resourceVersion: 'a' },
    { uid: '${uid}', resourceVersion: '1' },
    {},
    null,
  ]);
