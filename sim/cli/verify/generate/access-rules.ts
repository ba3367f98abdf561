/** Roles of a namespace and of the cluster, and their bindings to whom a sequence speaks as; some are refused. */
import type { Json, JsonObject } from '../../../api/object.ts';
import type { RequestStep } from '../../../../model/golden/replay/golden-case.ts';
import type { Random } from './random.ts';

const GROUP = 'rbac.authorization.k8s.io';
const VERSION = `${GROUP}/v1`;
const ROOT = `/apis/${VERSION}`;
/** Nobody else on the cluster is called so. */
export const USER = '${unique}';
export const TEAM = '${unique}-team';

const VERBS =
  'get list watch create update patch delete deletecollection * bind escalate impersonate use'.split(' ');
const GROUPS = ['', '', 'apps', '*', GROUP, 'nothing.invalid'];
const RESOURCES = [
  ...'pods deployments pods/log pods/* */log * */* */scale configmaps secrets roles rolebindings'.split(' '),
  ...'serviceaccounts serviceaccounts/token users groups userextras/scopes uids deployments/scale'.split(' '),
];
const NAMES = ['x', 'y', USER, TEAM];
const URLS = ['/healthz', '/healthz/*', '/nowhere', '/nowhere/*', '*', '/', '/api', '/a*', 'a', ''];

/** As a role has them: mostly of resources. */
export function drawRule(random: Random, ofCluster: boolean): JsonObject {
  if (random.chance(ofCluster ? 25 : 4))
    return { verbs: some(['get', '*', 'post', 'head'], random), nonResourceURLs: some(URLS, random) };
  return {
    verbs: some(VERBS, random),
    apiGroups: some(GROUPS, random),
    resources: some(RESOURCES, random),
    ...(random.chance(25) && { resourceNames: some(NAMES, random) }),
    ...(random.chance(3) && { nonResourceURLs: ['/a'] }),
  };
}

const some = (items: readonly string[], random: Random): string[] =>
  Array.from({ length: random.chance(4) ? 0 : 1 + random.below(2) }, () => random.pick(items));

const rulesOf = (random: Random, ofCluster: boolean): Json =>
  Array.from({ length: 1 + random.below(3) }, () => drawRule(random, ofCluster));

/** A role `name` of the namespace. */
export function roleOf(name: string, random: Random): RequestStep {
  const body = { apiVersion: VERSION, kind: 'Role', metadata: { name }, rules: rulesOf(random, false) };
  return { method: 'POST', path: `${ROOT}/namespaces/\${ns}/roles`, body };
}

/** A role of the cluster, which carries the mark of the run. */
export function clusterRoleOf(random: Random): RequestStep {
  const metadata = { name: USER };
  const body = { apiVersion: VERSION, kind: 'ClusterRole', metadata, rules: rulesOf(random, true) };
  return { method: 'POST', path: `${ROOT}/clusterroles`, body };
}

/** Binds a role of the namespace or of the cluster, or one that nobody made. */
export function bindingOf(name: string, roleName: string, random: Random): RequestStep {
  const isOfNamespace = random.chance(60);
  const ref = { kind: isOfNamespace ? 'Role' : 'ClusterRole', name: isOfNamespace ? roleName : USER };
  const roleRef = {
    apiGroup: GROUP,
    ...ref,
    ...(random.chance(8) && { name: random.pick(['view', 'none']) }),
  };
  const body = {
    apiVersion: VERSION,
    kind: 'RoleBinding',
    metadata: { name },
    roleRef,
    subjects: subjectsOf(random, true),
  };
  return { method: 'POST', path: `${ROOT}/namespaces/\${ns}/rolebindings`, body };
}

export function clusterBindingOf(random: Random): RequestStep {
  const roleRef = { apiGroup: GROUP, kind: 'ClusterRole', name: USER };
  const metadata = { name: USER };
  const body = {
    apiVersion: VERSION,
    kind: 'ClusterRoleBinding',
    metadata,
    roleRef,
    subjects: subjectsOf(random, false),
  };
  return { method: 'POST', path: `${ROOT}/clusterrolebindings`, body };
}

/** Groups that everybody is in are bound in the sequence's own namespace only: others ask at the same time. */
function subjectsOf(random: Random, isInNamespace: boolean): Json {
  const common: readonly JsonObject[] = [
    { kind: 'User', name: USER, apiGroup: GROUP },
    { kind: 'User', name: USER },
    { kind: 'Group', name: TEAM, apiGroup: GROUP },
    { kind: 'ServiceAccount', name: 'x', namespace: '${ns}' },
    { kind: 'Group', name: 'system:serviceaccounts:${ns}' },
  ];
  const wide: readonly JsonObject[] = [
    { kind: 'Group', name: 'system:authenticated', apiGroup: GROUP },
    { kind: 'ServiceAccount', name: 'x' },
    { kind: 'User', name: USER, apiGroup: '' },
    { kind: 'User', name: '', apiGroup: GROUP },
    { kind: 'Robot', name: 'x' },
    { kind: 'Group', name: TEAM, apiGroup: 'a', namespace: 'b' },
  ];
  const all = isInNamespace && random.chance(20) ? wide : common;
  return Array.from({ length: 1 + random.below(2) }, () => random.pick(all)) as Json;
}
