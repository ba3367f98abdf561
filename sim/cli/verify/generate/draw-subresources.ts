/** An object and its subresources, written and read in every way; reviews, which are kept nowhere. */
import { RELEASE_1_31 } from '../../../api/release/release-1-31.ts';
import type { Json, JsonObject } from '../../../api/object.ts';
import type { RequestStep, Step } from '../../../../model/golden/replay/golden-case.ts';
import { mutate, structValueOf } from './mutate.ts';
import type { Random } from './random.ts';
import { collectionOf, nameOf, objectOf, type Subject, typeKeyOf } from './subjects.ts';

const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';
const WORKLOADS = /deployments|replicasets|statefulsets|replicationcontrollers/;
const WITHOUT_STATUS =
  /configmaps|secrets|serviceaccounts|endpoints|podtemplates|limitranges|roles|rolebindings|leases|classes|csi|controllerrevisions|networkpolicies/;
const LOG_OPTIONS: readonly Readonly<Record<string, string>>[] = [
  {},
  { container: 'none' },
  { tailLines: '-1' },
  { tailLines: 'a' },
  { sinceSeconds: '0' },
  { sinceSeconds: '1', sinceTime: '2024-01-02T03:04:05Z' },
  { limitBytes: '0' },
  { sinceTime: 'a' },
  { follow: 'a', previous: 'true' },
];
const ISSUER = 'https://kubernetes.default.svc.cluster.local';

interface Draw {
  readonly subject: Subject;
  readonly random: Random;
  /** Of the object. */
  readonly path: string;
}

export function drawSubresources(subject: Subject, random: Random): readonly Step[] {
  if (random.chance(15)) return drawReviews(random);
  const path = `${collectionOf(subject)}/${nameOf(subject)}`;
  const draw: Draw = { subject, random, path };
  const requests = Array.from({ length: 5 }, () => ({ request: requestTo(draw) }));
  return [
    { request: { method: 'POST', path: collectionOf(subject), body: objectOf(subject) } },
    ...requests.map((step) =>
      step.request.path.endsWith('/token') ? { ...step, ignore: ['/status/token'] } : step,
    ),
    { request: { method: 'GET', path } },
  ];
}

/** Some are asked for that the kind does not have. */
function requestTo(draw: Draw): RequestStep {
  const { subject, random, path } = draw;
  if (random.chance(6)) return { method: random.pick(['GET', 'POST', 'DELETE']), path: `${path}/none` };
  if (subject.resource === 'pods' && random.chance(75)) return podRequest(draw);
  if (subject.resource === 'serviceaccounts' && random.chance(80)) return tokenRequest(draw);
  if (WORKLOADS.test(subject.resource) && random.chance(60)) return scaleRequest(draw);
  if (WITHOUT_STATUS.test(subject.resource) && random.chance(80))
    return {
      method: random.pick(['GET', 'PUT', 'PATCH']),
      path: `${path}/${random.pick(['status', 'scale'])}`,
      body: {},
    };
  return statusRequest(draw);
}

const dryRun = (random: Random): Readonly<Record<string, string>> =>
  random.chance(40) ? { dryRun: random.pick(['All', 'All', 'Bad']) } : {};

function statusRequest({ subject, random, path }: Draw): RequestStep {
  const schema = RELEASE_1_31.catalog.types.structOf(typeKeyOf(subject));
  const field = schema.fieldsByName.get('status')?.schema;
  const status = field?.kind === 'struct' ? structValueOf(field, random) : {};
  const target = `${path}/status`;
  if (random.chance(20)) return { method: 'GET', path: target };
  if (random.chance(40))
    return { method: 'PATCH', path: target, query: dryRun(random), contentType: MERGE, body: { status } };
  const body = { ...objectOf(subject), status };
  if (random.chance(25))
    return { method: 'PATCH', path: target, query: { fieldManager: 'm2' }, contentType: APPLY, body };
  return { method: 'PUT', path: target, query: dryRun(random), body };
}

function scaleRequest({ random, path }: Draw): RequestStep {
  const target = `${path}/scale`;
  const body: JsonObject = {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: 'x' },
    spec: { replicas: random.pick([0, 1, 2, 3]) },
  };
  const drawn = random.chance(50) ? mutatedAs('autoscaling/v1.Scale', body, random) : body;
  const query = { ...dryRun(random), ...(random.chance(30) && { fieldManager: 'm1' }) };
  switch (random.below(4)) {
    case 0:
      return { method: 'GET', path: target };
    case 1:
      return { method: 'PUT', path: target, query, body: drawn };
    case 2:
      return {
        method: 'PATCH',
        path: target,
        query: { fieldManager: 'm3', force: random.pick(['true', 'false']) },
        contentType: APPLY,
        body: drawn,
      };
    default:
      return {
        method: 'PATCH',
        path: target,
        query,
        contentType: MERGE,
        body: { spec: drawn['spec'] ?? null },
      };
  }
}

function podRequest({ subject, random, path }: Draw): RequestStep {
  switch (random.below(6)) {
    case 0:
      return { method: 'GET', path: `${path}/log`, query: random.pick(LOG_OPTIONS) };
    case 1:
      return {
        method: random.pick(['GET', 'POST']),
        path: `${path}/${random.pick(['exec', 'attach', 'portforward', 'proxy'])}`,
        query: random.chance(50) ? { command: 'a', container: random.pick(['c', 'none']) } : {},
      };
    case 2:
      return posted(`${path}/eviction`, 'policy/v1.Eviction', random);
    case 3:
      return posted(`${path}/binding`, 'v1.Binding', random, { target: { kind: 'Node', name: 'none' } });
    case 4: {
      const container = structValueOf(RELEASE_1_31.catalog.types.structOf('v1.EphemeralContainer'), random);
      const body = {
        spec: { ephemeralContainers: [{ name: 'e', image: 'i', ...(container as JsonObject) }] },
      };
      const contentType = 'application/strategic-merge-patch+json';
      return {
        method: 'PATCH',
        path: `${path}/ephemeralcontainers`,
        query: dryRun(random),
        contentType,
        body,
      };
    }
    default:
      return statusRequest({ subject, random, path });
  }
}

function posted(path: string, typeKey: string, random: Random, members: JsonObject = {}): RequestStep {
  const [apiVersion = '', kind = ''] = typeKey.split('.');
  const whole: JsonObject = { apiVersion, kind, metadata: { name: 'x' }, ...members };
  const body = random.chance(60) ? mutatedAs(typeKey, whole, random) : whole;
  return { method: 'POST', path, query: dryRun(random), body };
}

function tokenRequest({ random, path }: Draw): RequestStep {
  const spec = {
    audiences: [random.pick(['a', ISSUER])],
    expirationSeconds: random.pick([600, 3600, 599, 1]),
  };
  return posted(`${path}/token`, 'authentication.k8s.io/v1.TokenRequest', random, { spec });
}

function mutatedAs(typeKey: string, object: JsonObject, random: Random): JsonObject {
  const copy = structuredClone(object);
  mutate(copy, RELEASE_1_31.catalog.types.structOf(typeKey), random);
  return copy;
}

const ATTRIBUTES = { namespace: '${ns}', verb: 'get', group: 'apps', resource: 'deployments', name: 'x' };
const REVIEWS: readonly (readonly [path: string, kind: string, spec: JsonObject])[] = [
  [
    'authorization.k8s.io/v1/subjectaccessreviews',
    'SubjectAccessReview',
    { user: 'a', resourceAttributes: ATTRIBUTES },
  ],
  [
    'authorization.k8s.io/v1/subjectaccessreviews',
    'SubjectAccessReview',
    { user: 'a', groups: ['system:masters'], nonResourceAttributes: { path: '/a', verb: 'get' } },
  ],
  [
    'authorization.k8s.io/v1/namespaces/${ns}/localsubjectaccessreviews',
    'LocalSubjectAccessReview',
    { user: 'a', resourceAttributes: ATTRIBUTES },
  ],
  [
    'authorization.k8s.io/v1/selfsubjectaccessreviews',
    'SelfSubjectAccessReview',
    { resourceAttributes: ATTRIBUTES },
  ],
  ['authentication.k8s.io/v1/tokenreviews', 'TokenReview', { token: 'nothing' }],
];

function drawReviews(random: Random): readonly Step[] {
  return Array.from({ length: 5 }, () => {
    const [path, kind, spec] = random.pick(REVIEWS);
    const [group = ''] = path.split('/v1/');
    const whole: Readonly<Record<string, Json>> = {
      apiVersion: `${group}/v1`,
      kind,
      spec: structuredClone(spec),
    };
    const body = random.chance(80) ? mutatedAs(`${group}/v1.${kind}`, whole, random) : whole;
    return { request: { method: 'POST', path: `/apis/${path}`, body } };
  });
}
