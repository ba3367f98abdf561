/** What somebody may do: asked in reviews, and tried. */
import type { Json, JsonObject } from '../../../api/object.ts';
import type { RequestStep, Step } from '../../../../model/golden/replay/golden-case.ts';
import { bindingOf, drawRule, roleOf, TEAM, USER } from './access-rules.ts';
import type { Random } from './random.ts';

const VERBS = 'get list watch create update patch delete deletecollection * impersonate bind'.split(' ');
const GROUPS = ['', '', 'apps', '*', 'rbac.authorization.k8s.io', 'nothing.invalid'];
const RESOURCES = 'pods deployments configmaps secrets roles serviceaccounts users groups *'.split(' ');
const SUBRESOURCES = ['log', 'scale', 'token', '*', 'scopes'];
const AUTHORIZATION = 'authorization.k8s.io/v1';
const ACCOUNT = 'system:serviceaccount:${ns}:x';

type Headers = Readonly<Record<string, string>>;

/** Speaks as the sequence's user, as a member of its team, as its service account, or oddly. */
function speaker(random: Random): Headers {
  return random.pick<Headers>([
    { 'impersonate-user': USER },
    { 'impersonate-user': USER },
    { 'impersonate-user': 'nobody', 'impersonate-group': TEAM },
    { 'impersonate-user': 'nobody', 'impersonate-group': 'system:authenticated' },
    { 'impersonate-user': ACCOUNT },
    { 'impersonate-user': 'nobody', 'impersonate-uid': '7', 'impersonate-extra-scopes': 'a' },
    { 'impersonate-user': 'system:anonymous' },
    { 'impersonate-user': 'system:node:none', 'impersonate-group': 'system:nodes' },
  ]);
}

const ODD_SPEAKERS: readonly Headers[] = [
  { 'impersonate-group': TEAM },
  { 'impersonate-uid': '7' },
  { 'impersonate-extra-scopes': 'a' },
  { 'impersonate-user': '' },
  { 'impersonate-user': 'system:serviceaccount:a' },
  { 'impersonate-user': 'system:serviceaccount:A_B:c' },
  { 'impersonate-user': USER, 'impersonate-extra-': 'a' },
  { 'impersonate-user': USER, 'impersonate-extra-A%2fb': 'a' },
  { 'impersonate-user': USER, 'impersonate-group': 'system:masters' },
  { authorization: 'Bearer wrong' },
  { authorization: 'Basic YTpi' },
];

/** One question; the answer may be a refusal. */
export function drawQuestion(random: Random): Step {
  const dice = random.below(100);
  if (dice < 25) return { request: accessReview(random) };
  if (dice < 33) return rulesReview(random);
  if (dice < 38) return { request: whoAmI(random) };
  if (dice < 52) return { request: grant(random) };
  if (dice < 58) return { request: { ...attempt(random), headers: random.pick(ODD_SPEAKERS) } };
  if (dice < 64) return { request: nonResource(random) };
  return { request: { ...attempt(random), headers: speaker(random) } };
}

function attributes(random: Random): JsonObject {
  return {
    ...(random.chance(85) && { namespace: random.pick(['${ns}', '${ns}', '${ns}', 'default', '']) }),
    ...(random.chance(95) && { verb: random.pick(VERBS) }),
    ...(random.chance(90) && { group: random.pick(GROUPS) }),
    ...(random.chance(15) && { version: random.pick(['v1', '*', 'v2']) }),
    resource: random.pick(RESOURCES),
    ...(random.chance(30) && { subresource: random.pick(SUBRESOURCES) }),
    ...(random.chance(30) && { name: random.pick(['x', 'y', USER]) }),
  };
}

const whatIsAsked = (random: Random): JsonObject =>
  random.chance(80)
    ? { resourceAttributes: attributes(random) }
    : random.chance(85)
      ? {
          nonResourceAttributes: {
            path: random.pick(['/healthz', '/healthz/ping', '/nowhere/a', '/', '']),
            verb: random.pick(['get', 'post', '*']),
          },
        }
      : random.pick<JsonObject>([{}, { resourceAttributes: {}, nonResourceAttributes: {} }]);

function accessReview(random: Random): RequestStep {
  const whose = random.pick<JsonObject>([
    { user: USER },
    { user: USER, groups: [TEAM] },
    { user: 'nobody', groups: [TEAM] },
    { groups: [TEAM] },
    { user: ACCOUNT, groups: ['system:serviceaccounts:${ns}'] },
    { user: 'nobody', groups: ['system:authenticated'] },
    { user: USER, uid: '7', extra: { scopes: ['a'] } },
    {},
  ]);
  const dice = random.below(100);
  if (dice < 60) return review('SubjectAccessReview', { ...whose, ...whatIsAsked(random) });
  if (dice < 75) {
    const path = `/apis/${AUTHORIZATION}/namespaces/\${ns}/localsubjectaccessreviews`;
    return { ...review('LocalSubjectAccessReview', { ...whose, ...whatIsAsked(random) }), path };
  }
  return { ...review('SelfSubjectAccessReview', whatIsAsked(random)), headers: speaker(random) };
}

const review = (kind: string, spec: JsonObject): RequestStep => ({
  method: 'POST',
  path: `/apis/${AUTHORIZATION}/${kind.toLowerCase()}s`,
  body: { apiVersion: AUTHORIZATION, kind, spec },
});

/** A real server lists rules in the order of a map. */
function rulesReview(random: Random): Step {
  const namespace = random.pick(['${ns}', '${ns}', '${ns}', 'default', '', 'A']);
  return {
    request: { ...review('SelfSubjectRulesReview', { namespace }), headers: speaker(random) },
    unordered: ['/status/resourceRules', '/status/nonResourceRules'],
  };
}

const whoAmI = (random: Random): RequestStep => ({
  method: 'POST',
  path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
  body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
  headers: speaker(random),
});

/** Roles and bindings that only who has as much may write. */
function grant(random: Random): RequestStep {
  const dry = random.chance(60) ? { dryRun: 'All' } : {};
  const headers = random.chance(75) ? { 'impersonate-user': USER } : speaker(random);
  const root = '/apis/rbac.authorization.k8s.io/v1/namespaces/${ns}';
  switch (random.below(4)) {
    case 0:
      return { ...roleOf('g', random), query: dry, headers };
    case 1:
      return { ...bindingOf('g', 'r', random), query: dry, headers };
    case 2: {
      const metadata = { name: 'r' };
      const rules: Json = [drawRule(random, false)];
      const body = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules };
      return { method: 'PUT', path: `${root}/roles/r`, query: dry, headers, body };
    }
    default: {
      const path = `${root}/${random.pick(['roles', 'rolebindings'])}/r`;
      const body: Json = random.pick<Json>([
        { metadata: { labels: { a: 'b' } } },
        { rules: [] },
        { rules: [drawRule(random, false)] },
        { subjects: [] },
        { roleRef: { name: 'other' } },
      ]);
      return {
        method: 'PATCH',
        path,
        query: dry,
        headers,
        contentType: 'application/merge-patch+json',
        body,
      };
    }
  }
}

const nonResource = (random: Random): RequestStep => ({
  method: random.pick(['GET', 'GET', 'HEAD', 'OPTIONS']),
  path: random.pick([
    '/healthz',
    '/healthz/ping',
    '/nowhere',
    '/nowhere/a',
    '/livez/ping',
    '/apis',
    '/apis/apps/v1',
  ]),
  headers: speaker(random),
});

const COLLECTIONS = [
  '/api/v1/namespaces/${ns}/pods',
  '/api/v1/namespaces/${ns}/configmaps',
  '/api/v1/namespaces/${ns}/secrets',
  '/apis/apps/v1/namespaces/${ns}/deployments',
  '/apis/rbac.authorization.k8s.io/v1/namespaces/${ns}/roles',
  '/apis/nothing.invalid/v1/namespaces/${ns}/things',
];

/** As anybody would use the API: mostly of what is not there. */
function attempt(random: Random): RequestStep {
  const path = random.pick(COLLECTIONS);
  const one = `${path}/${random.pick(['x', 'y'])}`;
  switch (random.below(9)) {
    case 0:
      return { method: 'GET', path };
    case 1:
      return { method: 'GET', path: one };
    case 2:
      return { method: 'DELETE', path: one };
    case 3:
      return { method: 'DELETE', path, query: { labelSelector: 'a=b' } };
    case 4:
      return {
        method: 'PATCH',
        path: one,
        contentType: random.pick(['application/merge-patch+json', 'application/apply-patch+yaml']),
        query: random.chance(50) ? { fieldManager: 'm' } : {},
        body: {},
      };
    case 5:
      return { method: 'GET', path: `${one}/${random.pick(SUBRESOURCES)}` };
    case 6:
      // A second is long: most are refused before.
      return random.chance(25)
        ? { method: 'GET', path, query: { watch: 'true', timeoutSeconds: '1', ...named(random) } }
        : { method: 'PUT', path: one, body: {} };
    case 7:
      return { method: 'GET', path, query: named(random) };
    default:
      return { method: 'POST', path, query: { dryRun: 'All' }, body: {} };
  }
}

/** One object's name in a selector is that object's name to who decides. */
const named = (random: Random): Readonly<Record<string, string>> =>
  random.chance(60) ? { fieldSelector: random.pick(['metadata.name=x', 'metadata.name!=x']) } : {};
