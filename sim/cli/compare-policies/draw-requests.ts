/** Requests to a namespace of their own, or to objects of the case beside it, that policies may see; twice, dry, applied, below. */
import type { AskedRequest } from '../compare-admission/draw-case.ts';
import type { Random } from '../verify/generate/random.ts';

export const GROUP = 'policies.compared.example.com';

/** Who is compared: where objects are, and what those of the cluster are called. */
export interface Ground {
  readonly namespace: string;
  readonly label: string;
}

const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';
const JSON_PATCH = 'application/json-patch+json';

const dry = (random: Random, sign = '?'): string => (random.chance(25) ? `${sign}dryRun=All` : '');

const metadataOf = (random: Random, name: string): object => ({
  name,
  ...(random.chance(50) && { labels: random.pick([{ team: 'a' }, { team: 'b', app: 'x1' }, {}]) }),
  ...(random.chance(20) && { annotations: { note: 'n' } }),
});

const POD_SPEC = {
  containers: [
    { name: 'c', image: 'registry/i:1', resources: { limits: { cpu: '1' } } },
    { name: 'd', image: 'other' },
  ],
};

type Flow = (random: Random, ground: Ground, name: string) => readonly AskedRequest[];

const configMaps: Flow = (random, { namespace }, name) => {
  const all = `/api/v1/namespaces/${namespace}/configmaps`;
  const data = random.pick([{ a: '1' }, { x: 'ok', k: 'v' }, { 'very-long-name': 'y' }]);
  return [
    { method: 'POST', path: all + dry(random), body: { metadata: metadataOf(random, name), data } },
    { method: 'PATCH', path: `${all}/${name}${dry(random)}`, body: { data: { b: '2' } }, contentType: MERGE },
    {
      method: 'PATCH',
      path: `${all}/${name}?fieldManager=m${dry(random, '&')}`,
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { c: '3' } },
      contentType: APPLY,
    },
    { method: 'PUT', path: `${all}/${name}`, body: { metadata: metadataOf(random, name), data: { d: '4' } } },
    random.chance(30)
      ? { method: 'DELETE', path: all + dry(random) }
      : {
          method: 'DELETE',
          path: `${all}/${name}${dry(random)}`,
          ...(random.chance(50) && { body: { propagationPolicy: 'Background', gracePeriodSeconds: 5 } }),
        },
    { method: 'DELETE', path: `${all}/none` },
  ];
};

const deployments: Flow = (random, { namespace }, name) => {
  const all = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  const labels = { app: name };
  return [
    {
      method: 'POST',
      path: all + dry(random),
      body: {
        metadata: metadataOf(random, name),
        spec: {
          ...(random.chance(60) && { replicas: random.pick([0, 2, 5]) }),
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: POD_SPEC },
        },
      },
    },
    { method: 'GET', path: `${all}/${name}/scale` },
    {
      method: 'PATCH',
      path: `${all}/${name}/scale${dry(random)}`,
      body: { spec: { replicas: 4 } },
      contentType: MERGE,
    },
    { method: 'PATCH', path: `${all}/${name}/status`, body: { status: { replicas: 1 } }, contentType: MERGE },
    {
      method: 'PATCH',
      path: `${all}/${name}${dry(random)}`,
      body: { spec: { replicas: 7 } },
      contentType: MERGE,
    },
    { method: 'DELETE', path: `${all}/${name}${dry(random)}` },
  ];
};

const pods: Flow = (random, { namespace }, name) => {
  const all = `/api/v1/namespaces/${namespace}/pods`;
  return [
    {
      method: 'POST',
      path: all + dry(random),
      body: {
        metadata: metadataOf(random, name),
        spec: { ...POD_SPEC, automountServiceAccountToken: false },
      },
    },
    {
      method: 'POST',
      path: `${all}/${name}/binding${dry(random)}`,
      body: { metadata: { name }, target: { kind: 'Node', name: 'n' } },
    },
    {
      method: 'PATCH',
      path: `${all}/${name}/status`,
      body: { status: { phase: 'Running' } },
      contentType: MERGE,
    },
    { method: 'POST', path: `${all}/${name}/eviction${dry(random)}`, body: { metadata: { name } } },
    { method: 'DELETE', path: `${all}/${name}?gracePeriodSeconds=0` },
  ];
};

const services: Flow = (random, { namespace }, name) => {
  const all = `/api/v1/namespaces/${namespace}/services`;
  const type = random.pick(['', 'ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName']);
  return [
    {
      method: 'POST',
      path: all + dry(random),
      body: {
        metadata: metadataOf(random, name),
        spec: {
          ...(type !== '' && { type }),
          ...(type === 'ExternalName' && { externalName: 'a.example.com' }),
          ports: [{ port: random.pick([80, 443]), targetPort: random.pick([8080, 'web']) }],
          ...(random.chance(20) && { clusterIP: 'None' }),
        },
      },
    },
    {
      method: 'PATCH',
      path: `${all}/${name}${dry(random)}`,
      body: { spec: { type: 'NodePort' } },
      contentType: MERGE,
    },
    {
      method: 'PATCH',
      path: `${all}/${name}${dry(random)}`,
      body: { spec: { type: 'ClusterIP' } },
      contentType: MERGE,
    },
    { method: 'DELETE', path: `${all}/${name}` },
  ];
};

const widgets: Flow = (random, { namespace }, name) => {
  const all = (version: string): string => `/apis/${GROUP}/${version}/namespaces/${namespace}/widgets`;
  const spec = random.pick<object>([
    { size: 1, ratio: 1, at: '2020-01-01T00:00:00Z', list: ['a', 'b'], amount: '2Gi' },
    { size: 12, ratio: 1.75, list: [], free: { any: [1, 'x', null] } },
    { size: 3 },
  ]);
  const [first, second] = random.pick([
    ['v1', 'v2'],
    ['v2', 'v1'],
    ['v1', 'v1'],
  ]) as readonly [string, string];
  return [
    {
      method: 'POST',
      path: all(first) + dry(random),
      body: { apiVersion: `${GROUP}/${first}`, kind: 'Widget', metadata: metadataOf(random, name), spec },
    },
    {
      method: 'PATCH',
      path: `${all(second)}/${name}${dry(random)}`,
      body: { spec: { size: 2 } },
      contentType: MERGE,
    },
    {
      method: 'PATCH',
      path: `${all(second)}/${name}/status`,
      body: { status: { done: true } },
      contentType: MERGE,
    },
    {
      method: 'PATCH',
      path: `${all(first)}/${name}/scale`,
      body: { spec: { replicas: 6 } },
      contentType: MERGE,
    },
    {
      method: 'PATCH',
      path: `${all(first)}/${name}?fieldManager=m&force=true`,
      body: { apiVersion: `${GROUP}/${first}`, kind: 'Widget', metadata: { name }, spec: { size: 9 } },
      contentType: APPLY,
    },
    random.chance(30)
      ? { method: 'DELETE', path: all(second) }
      : { method: 'DELETE', path: `${all(second)}/${name}${dry(random)}` },
  ];
};

const scalers: Flow = (random, { namespace }, name) => {
  const all = (version: string): string =>
    `/apis/autoscaling/${version}/namespaces/${namespace}/horizontalpodautoscalers`;
  const version = random.pick(['v1', 'v2']);
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };
  return [
    {
      method: 'POST',
      path: all(version) + dry(random),
      body: { metadata: metadataOf(random, name), spec: { scaleTargetRef, maxReplicas: 3 } },
    },
    {
      method: 'PATCH',
      path: `${all('v1')}/${name}`,
      body: [{ op: 'replace', path: '/spec/maxReplicas', value: 5 }],
      contentType: JSON_PATCH,
    },
    { method: 'DELETE', path: `${all('v2')}/${name}` },
  ];
};

const secrets: Flow = (random, { namespace }, name) => {
  const all = `/api/v1/namespaces/${namespace}/secrets`;
  return [
    {
      method: 'POST',
      path: all + dry(random),
      body: {
        metadata: { generateName: `${name}-`, name },
        ...(random.chance(50) && { stringData: { a: 'b' } }),
      },
    },
    { method: 'PATCH', path: `${all}/${name}`, body: { data: { c: 'ZA==' } }, contentType: MERGE },
    { method: 'DELETE', path: `${all}/${name}` },
  ];
};

const accounts: Flow = (random, { namespace }, name) => {
  const all = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  return [
    { method: 'POST', path: all, body: { metadata: metadataOf(random, name) } },
    { method: 'POST', path: `${all}/${name}/token${dry(random)}`, body: { spec: { audiences: [] } } },
    { method: 'DELETE', path: `${all}/${name}` },
  ];
};

/** Those of the cluster: they are matched by the labels of the case, or by their name. */
const namespaces: Flow = (random, { namespace, label }, name) => {
  const own = `${namespace}-${name}`;
  return [
    {
      method: 'POST',
      path: `/api/v1/namespaces${dry(random)}`,
      body: { metadata: { name: own, labels: { case: label } } },
    },
    {
      method: 'PATCH',
      path: `/api/v1/namespaces/${own}`,
      body: { metadata: { labels: { team: 'a' } } },
      contentType: MERGE,
    },
    {
      method: 'PATCH',
      path: `/api/v1/namespaces/${namespace}`,
      body: { metadata: { labels: { team: 'b' } } },
      contentType: MERGE,
    },
    {
      method: 'PUT',
      path: `/api/v1/namespaces/${own}/finalize`,
      body: { metadata: { name: own }, spec: { finalizers: [] } },
    },
    { method: 'DELETE', path: `/api/v1/namespaces/${own}` },
  ];
};

const roles: Flow = (random, { namespace }, name) => {
  const all = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
  const own = `${namespace}-${name}`;
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: random.pick([['*'], ['get']]) }];
  return [
    { method: 'POST', path: all + dry(random), body: { metadata: metadataOf(random, own), rules } },
    {
      method: 'PATCH',
      path: `${all}/${own}`,
      body: { metadata: { labels: { team: 'a' } } },
      contentType: MERGE,
    },
    { method: 'DELETE', path: `${all}/${own}` },
  ];
};

export const FLOWS = {
  configmaps: configMaps,
  deployments,
  pods,
  services,
  widgets,
  horizontalpodautoscalers: scalers,
  secrets,
  serviceaccounts: accounts,
  namespaces,
  clusterroles: roles,
} satisfies Readonly<Record<string, Flow>>;

export type Subject = keyof typeof FLOWS;
export const SUBJECTS = Object.keys(FLOWS) as readonly Subject[];

export const groupOf = (subject: Subject): string =>
  ({
    deployments: 'apps',
    widgets: GROUP,
    horizontalpodautoscalers: 'autoscaling',
    clusterroles: 'rbac.authorization.k8s.io',
  })[subject as string] ?? '';

export const isOfCluster = (subject: Subject): boolean =>
  subject === 'namespaces' || subject === 'clusterroles';
