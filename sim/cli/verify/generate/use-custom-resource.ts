/** Requests that write, read, patch and scale the custom resources of a definition that was drawn. */
import type { Json, JsonObject } from '../../../api/object.ts';
import type { Query, Step } from '../../../../model/golden/replay/golden-case.ts';
import type { Random } from './random.ts';
import { GROUP } from './random-definition.ts';
import { anyValue, drawValue } from './random-value.ts';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
/** Of `fieldValidation`, one of them unknown. */
export const FIELD_VALIDATIONS = ['Strict', 'Warn', 'Ignore', 'Strict', 'Bad'];

/** Where a version serves the list, an object, or a subresource of it. */
export const pathOf = (versionName: string, name = '', subresource = ''): string =>
  `/apis/${GROUP}/${versionName}/namespaces/\${ns}/widgets${name && `/${name}`}${subresource && `/${subresource}`}`;

/** An object `x` for the schema. */
export function objectOf(root: JsonObject, versionName: string, random: Random, faults: number): JsonObject {
  const value = drawValue(root, random, faults);
  const members =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
  const labels = random.chance(20) ? { labels: { app: random.pick(['a', 'b', '-']) } } : {};
  return {
    apiVersion: `${GROUP}/${versionName}`,
    kind: 'Widget',
    ...members,
    metadata: { name: 'x', ...labels, ...(random.chance(faults) && { unknown: anyValue(random, 1) }) },
  };
}

const queryOf = (random: Random): Query => ({
  ...(random.chance(25) && { dryRun: 'All' }),
  ...(random.chance(40) && { fieldValidation: random.pick(FIELD_VALIDATIONS) }),
});

/** One request on `x` or its like: a write, a read, a subresource, a removal. */
export function drawUse(schema: JsonObject, versionName: string, random: Random): Step {
  const dice = random.below(100);
  const one = pathOf(versionName, 'x');
  const query = queryOf(random);
  const body = objectOf(schema, versionName, random, random.pick([0, 0, 3, 10]));
  if (dice < 20)
    return {
      request: {
        method: 'POST',
        path: pathOf(versionName),
        query: { dryRun: 'All', ...query },
        body: renamed(body),
      },
    };
  if (dice < 32) return { request: { method: 'PUT', path: one, query, body } };
  if (dice < 62) return { request: { method: 'PATCH', path: one, ...patchOf(body, query, random) } };
  if (dice < 68) return { request: { method: 'PUT', path: pathOf(versionName, 'x', 'status'), query, body } };
  if (dice < 75) {
    const patch = patchOf(body, query, random);
    return { request: { method: 'PATCH', path: pathOf(versionName, 'x', 'status'), ...patch } };
  }
  if (dice < 82) return scaleOf(versionName, query, random);
  if (dice < 86) return removalOf(versionName, random);
  return { request: readOf(versionName, random) };
}

const renamed = (body: JsonObject): JsonObject => ({ ...body, metadata: { name: 'y' } });

function patchOf(
  body: JsonObject,
  query: Query,
  random: Random,
): { query: Query; body: Json; contentType: string } {
  const dice = random.below(100);
  const { apiVersion: _version, kind: _kind, ...rest } = body;
  if (dice < 35) return { query, body: rest, contentType: 'application/merge-patch+json' };
  if (dice < 75)
    return {
      query: {
        fieldManager: random.pick(['m1', 'm2']),
        ...(random.chance(50) && { force: 'true' }),
        ...query,
      },
      body,
      contentType: 'application/apply-patch+yaml',
    };
  if (dice < 80) return { query, body: rest, contentType: 'application/strategic-merge-patch+json' };
  const path = random.pick([
    '/spec',
    '/spec/a',
    '/spec/b',
    '/status',
    '/spec/c/0',
    '/metadata/labels',
    '/kind',
    '/spec/c/-',
  ]);
  const op = random.pick(['add', 'replace', 'remove', 'test']);
  return {
    query,
    body: [{ op, path, value: anyValue(random, 2) }],
    contentType: 'application/json-patch+json',
  };
}

function scaleOf(versionName: string, query: Query, random: Random): Step {
  const path = pathOf(versionName, 'x', 'scale');
  if (random.chance(50)) return { request: { method: 'GET', path } };
  const replicas = random.pick<Json>([0, 1, 3, -1, 'a', null, 1.5]);
  if (random.chance(50))
    return {
      request: {
        method: 'PATCH',
        path,
        query,
        contentType: 'application/merge-patch+json',
        body: { spec: { replicas } },
      },
    };
  const body = {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: 'x', namespace: '${ns}' },
    spec: { replicas },
  };
  return { request: { method: 'PUT', path, query, body } };
}

/** Nothing of it stays, or all of it may go. */
function removalOf(versionName: string, random: Random): Step {
  const options = random.pick<Json>([
    { propagationPolicy: 'Foreground', dryRun: ['All'] },
    { preconditions: { uid: 'other' } },
    { preconditions: { resourceVersion: '1' } },
    { gracePeriodSeconds: 5, dryRun: ['All'] },
    { propagationPolicy: 'Nothing' },
    { orphanDependents: true, propagationPolicy: 'Orphan' },
    { apiVersion: 'v1', kind: 'DeleteOptions', dryRun: ['Some'] },
  ]);
  const isWhole = random.chance(40);
  const query = random.chance(50) ? { dryRun: 'All' } : {};
  if (isWhole && random.chance(50))
    return {
      request: {
        method: 'DELETE',
        path: pathOf(versionName),
        query: { ...query, labelSelector: 'app=none' },
      },
    };
  return { request: { method: 'DELETE', path: pathOf(versionName, 'x'), query, body: options } };
}

function readOf(versionName: string, random: Random): NonNullable<Step['request']> {
  const path = pathOf(versionName, random.chance(40) ? 'x' : '');
  const accept = random.pick([
    TABLE,
    TABLE,
    'application/json',
    'application/yaml',
    'application/vnd.kubernetes.protobuf',
  ]);
  const fieldSelector = random.pick(['spec.a=a', 'metadata.name=x', 'spec.b!=1', 'status.a=1']);
  const query = {
    ...(random.chance(20) && { fieldSelector }),
    ...(random.chance(20) && { labelSelector: 'app=a' }),
  };
  return { method: 'GET', path, query, headers: { accept } };
}
