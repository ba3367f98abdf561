/** Sequences of requests drawn from a seed; a sequence depends on its area, the seed and its number only. */
import { RELEASE_1_31 } from '../../../api/release/release-1-31.ts';
import type { Json, JsonObject } from '../../../api/object.ts';
import type { GoldenCase, RequestStep, Step } from '../../../../model/golden/replay/golden-case.ts';
import { mutate } from './mutate.ts';
import { Random } from './random.ts';
import { collectionOf, type Subject, SUBJECTS, typeKeyOf } from './subjects.ts';

export const AREAS = ['kinds', 'reads', 'access'] as const;
export type Area = (typeof AREAS)[number];

export interface Drawing {
  readonly area: Area;
  readonly seed: number;
  readonly index: number;
  /** Resources such as `apps/v1/deployments`; undefined: all. */
  readonly only?: RegExp | undefined;
}

/** Without answers. @throws RangeError if no kind is left */
export function drawCase({ area, seed, index, only }: Drawing): GoldenCase {
  const random = new Random(area, seed, index);
  const subjects = SUBJECTS.filter(
    ({ apiVersion, resource }) => !only || only.test(`${apiVersion}/${resource}`),
  );
  const subject = random.pick(subjects);
  const draw = area === 'kinds' ? drawWrites : area === 'reads' ? drawReads : drawAccess;
  return {
    name: `${area}/${seed}-${index}`,
    area: `${subject.apiVersion}/${subject.resource}`,
    setup: [ACCOUNT],
    steps: draw(subject, random),
  };
}

/** A cluster without controllers has no account for pods. */
const ACCOUNT: Step = {
  request: {
    method: 'POST',
    path: '/api/v1/namespaces/${ns}/serviceaccounts',
    body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } },
  },
};

const nameOf = ({ isNamespaced }: Subject): string => (isNamespaced ? 'x' : '${unique}');

function objectOf(subject: Subject, name = nameOf(subject)): JsonObject {
  const { apiVersion, kind, members } = subject;
  return { apiVersion, kind, metadata: { name }, ...structuredClone(members) };
}

function mutated(subject: Subject, random: Random): JsonObject {
  const object = objectOf(subject);
  const schema = RELEASE_1_31.catalog.types.structOf(typeKeyOf(subject));
  const times = 1 + random.below(3);
  for (let time = 0; time < times; time += 1) mutate(object, schema, random);
  return object;
}

const QUERIES: readonly Readonly<Record<string, string>>[] = [
  {},
  {},
  { fieldValidation: 'Strict' },
  { fieldValidation: 'Ignore' },
  { fieldManager: 'm1' },
];

/** Either creations that stay dry, or one object and what one would make of it. */
function drawWrites(subject: Subject, random: Random): readonly Step[] {
  const path = collectionOf(subject);
  const dry = (): Readonly<Record<string, string>> => ({ dryRun: 'All', ...random.pick(QUERIES) });
  if (random.chance(50)) {
    return Array.from({ length: 4 }, () => ({
      request: { method: 'POST', path, query: dry(), body: mutated(subject, random) },
    }));
  }
  const one = `${path}/${nameOf(subject)}`;
  return [
    { request: { method: 'POST', path, body: objectOf(subject) } },
    ...Array.from({ length: 4 }, () => ({ request: changeOf(subject, one, { random, query: dry() }) })),
  ];
}

function changeOf(
  subject: Subject,
  path: string,
  { random, query }: { readonly random: Random; readonly query: Readonly<Record<string, string>> },
): RequestStep {
  const body = mutated(subject, random);
  const dice = random.below(100);
  if (dice < 35) return { method: 'PUT', path, query, body };
  if (dice < 60)
    return { method: 'PATCH', path, query, body: patchOf(body), contentType: 'application/merge-patch+json' };
  if (dice < 75)
    return {
      method: 'PATCH',
      path,
      query,
      body: patchOf(body),
      contentType: 'application/strategic-merge-patch+json',
    };
  if (dice < 90) {
    const applied = { fieldManager: 'm2', ...query };
    return { method: 'PATCH', path, query: applied, body, contentType: 'application/apply-patch+yaml' };
  }
  return { method: 'DELETE', path, query: { dryRun: 'All' } };
}

const patchOf = ({ apiVersion: _version, kind: _kind, ...rest }: JsonObject): Json => rest;

const ACCEPTS = [
  'application/json',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/yaml',
  'text/plain',
];
const LABEL_SELECTORS = [
  'app=a',
  'app!=a',
  'app',
  '!app',
  'app in (a,b)',
  'app notin (a)',
  'a b',
  'app=',
  'app in ()',
  'n>1',
];
const FIELD_SELECTORS = [
  'metadata.name=x',
  'metadata.name!=x',
  'metadata.namespace=none',
  'spec.foo=a',
  'a',
  'metadata.name==x',
  '=a',
];
const LIMITS = ['1', '2', '500', '0', '-1', 'a'];

function drawReads(subject: Subject, random: Random): readonly Step[] {
  const path = collectionOf(subject);
  const first = objectOf(subject);
  const second = { ...objectOf(subject, subject.isNamespaced ? 'y' : '${unique}-y') } as Record<string, Json>;
  second['metadata'] = { ...(second['metadata'] as JsonObject), labels: { app: 'a' } } as Json;
  const reads = Array.from({ length: 4 }, (): Step => {
    const isList = random.chance(70);
    // What else is in the cluster is nobody's business here.
    const filter =
      !subject.isNamespaced && isList
        ? { filterItems: { pointer: '/metadata/name', equals: ['${unique}', '${unique}-y'] } }
        : {};
    return {
      request: {
        method: 'GET',
        path: isList ? path : `${path}/${nameOf(subject)}`,
        query: {
          ...(random.chance(50) && { labelSelector: random.pick(LABEL_SELECTORS) }),
          ...(random.chance(40) && { fieldSelector: random.pick(FIELD_SELECTORS) }),
          ...(subject.isNamespaced && random.chance(30) && { limit: random.pick(LIMITS) }),
          ...(random.chance(15) && { resourceVersion: random.pick(['0', 'a', '-1']) }),
        },
        headers: { accept: random.pick(ACCEPTS) },
      },
      ...filter,
    };
  });
  return [
    { request: { method: 'POST', path, body: first } },
    { request: { method: 'POST', path, body: second } },
    ...reads,
  ];
}

const VERBS = ['get', 'list', 'create', 'delete', '*', 'watch', ''];
const GROUPS = ['', 'apps', '*', 'nothing.invalid'];
const RESOURCES = ['pods', 'deployments', 'pods/log', '*', '*/scale', 'configmaps'];

/** A role, its binding, and questions about who may do what by them. */
function drawAccess(_subject: Subject, random: Random): readonly Step[] {
  const root = '/apis/rbac.authorization.k8s.io/v1/namespaces/${ns}';
  const rule = (): Json => ({
    verbs: [random.pick(VERBS)],
    apiGroups: [random.pick(GROUPS)],
    resources: [random.pick(RESOURCES)],
    ...(random.chance(25) && { resourceNames: ['x'] }),
  });
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const rules = Array.from({ length: 1 + random.below(3) }, rule);
  const questions = Array.from({ length: 5 }, (): Step => ({
    request: {
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: {
          user: random.pick(['${unique}', 'somebody-else']),
          resourceAttributes: {
            namespace: random.pick(['${ns}', '${ns}', 'default', '']),
            verb: random.pick(VERBS),
            group: random.pick(GROUPS),
            resource: random.pick(['pods', 'deployments', 'configmaps']),
            ...(random.chance(30) && { subresource: random.pick(['log', 'scale', '*']) }),
            ...(random.chance(30) && { name: random.pick(['x', 'y']) }),
          },
        },
      },
    },
  }));
  const subjects = [{ kind: 'User', name: '${unique}', apiGroup: 'rbac.authorization.k8s.io' }];
  return [
    {
      request: {
        method: 'POST',
        path: `${root}/roles`,
        body: { apiVersion, kind: 'Role', metadata: { name: 'r' }, rules },
      },
    },
    {
      request: {
        method: 'POST',
        path: `${root}/rolebindings`,
        body: {
          apiVersion,
          kind: 'RoleBinding',
          metadata: { name: 'r' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
          subjects,
        },
      },
    },
    // The authorizer hears of a binding a moment after it was written.
    { sleep: 300 },
    ...questions,
  ];
}
