/**
 * Pods and claims in a namespace that asks something of them: levels of security, ranges of resources, quotas with scopes,
 * classes; and what namespaces with pods in them are told when they ask for more.
 */
import type { GoldenCase, Step } from '../../../../model/golden/replay/golden-case.ts';
import type { Json, JsonObject } from '../../../api/object.ts';
import type { Random } from '../../verify/generate/random.ts';

const NAMESPACE = '/api/v1/namespaces/${ns}';
const LEVELS = [
  ...Array<string>(5).fill('restricted'),
  ...Array<string>(5).fill('baseline'),
  'privileged',
  'none',
];
const VERSIONS = ['latest', 'v1.31', 'v1.18', 'v1.22', 'v1.25', 'v1.99', 'latest', 'v1.0', '1.2'];
const AMOUNTS = ['0', '100m', '500m', '1', '2', '400m', '1Gi'];
const SCOPES = ['BestEffort', 'NotBestEffort', 'Terminating', 'NotTerminating', 'PriorityClass'];
const PROFILE = [
  { type: 'RuntimeDefault' },
  { type: 'Unconfined' },
  { type: 'Localhost', localhostProfile: 'a' },
];
const RESTRICTED: JsonObject = {
  runAsNonRoot: true,
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};

export function drawAdmission(random: Random, index: number): GoldenCase {
  const steps = [
    asking(random),
    range(random, 'a'),
    quota(random),
    ...Array.from({ length: 6 }, (_, at) => made(random, `p${at}`)),
    asking(random),
    random.chance(50) ? range(random, 'b') : quota(random, 'other'),
    ...Array.from({ length: 4 }, (_, at) => made(random, `q${at}`)),
    {
      request: {
        method: 'DELETE',
        path: `${NAMESPACE}/pods/p${random.below(6)}`,
        query: { gracePeriodSeconds: 0 },
      },
    },
    ...Array.from({ length: 2 }, (_, at) => made(random, `r${at}`)),
    { request: { method: 'GET', path: `${NAMESPACE}/resourcequotas` } },
  ];
  return { name: `admission/${index}`, area: 'admission', setup: [ACCOUNT], steps };
}

const ACCOUNT: Step = {
  request: {
    method: 'POST',
    path: `${NAMESPACE}/serviceaccounts`,
    body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } },
  },
};

function asking(random: Random): Step {
  const modes = ['enforce', 'audit', 'warn'].filter(() => random.chance(60));
  const labels = Object.fromEntries(
    modes.flatMap((mode) => {
      const level = [`pod-security.kubernetes.io/${mode}`, random.pick(LEVELS)] as const;
      const version = [`pod-security.kubernetes.io/${mode}-version`, random.pick(VERSIONS)] as const;
      return random.chance(60) ? [level, version] : [level];
    }),
  );
  const contentType = 'application/merge-patch+json';
  return { request: { method: 'PATCH', path: NAMESPACE, contentType, body: { metadata: { labels } } } };
}

const amounts = (random: Random, values: readonly string[] = AMOUNTS): JsonObject =>
  Object.fromEntries(
    ['cpu', 'memory'].filter(() => random.chance(60)).map((name) => [name, random.pick(values)]),
  );

const LEAST = ['0', '10m', '100m'];
const MOST = ['2', '1Gi', '500m'];

function range(random: Random, name: string): Step {
  const limit = (type: string): JsonObject => {
    const of = (member: string, values: readonly string[]): JsonObject =>
      random.chance(40) ? { [member]: amounts(random, values) } : {};
    if (type === 'PersistentVolumeClaim')
      return { type, min: { storage: '200m' }, max: { storage: random.pick(['1Gi', '2Gi']) } };
    return {
      type,
      ...of('min', LEAST),
      ...of('max', MOST),
      ...(type === 'Container' && {
        ...of('default', ['500m', '400m']),
        ...of('defaultRequest', ['200m', '300m']),
      }),
      ...of('maxLimitRequestRatio', ['1', '2', '10']),
    };
  };
  const types = ['Container', 'Pod', 'PersistentVolumeClaim'].filter(() => random.chance(60));
  const body = {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name },
    spec: { limits: types.map(limit) },
  };
  return { request: { method: 'POST', path: `${NAMESPACE}/limitranges`, body } };
}

function quota(random: Random, name = 'quota'): Step {
  const names = [
    'pods',
    'requests.cpu',
    'limits.memory',
    'cpu',
    'count/pods',
    'requests.storage',
    'services',
  ];
  const hard = Object.fromEntries(
    names.filter(() => random.chance(40)).map((each) => [each, random.pick(['0', '2', '3', '1', '2Gi'])]),
  );
  const scopes = random.chance(25) ? { scopes: [random.pick(SCOPES)] } : {};
  const selector = random.chance(10)
    ? {
        scopeSelector: {
          matchExpressions: [
            { scopeName: 'PriorityClass', operator: 'In', values: ['system-cluster-critical'] },
          ],
        },
      }
    : {};
  const body = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name },
    spec: { hard, ...scopes, ...selector },
  };
  // No controller fills in what is used.
  const status = { hard, used: Object.fromEntries(Object.keys(hard).map((each) => [each, '0'])) };
  return { request: { method: 'POST', path: `${NAMESPACE}/resourcequotas`, body: { ...body, status } } };
}

function made(random: Random, name: string): Step {
  const dice = random.below(100);
  if (dice < 12) return post('persistentvolumeclaims', 'v1', 'PersistentVolumeClaim', claim(random), name);
  const spec = podSpec(random);
  if (dice < 30) {
    const template = { metadata: { labels: { app: 'a' }, ...annotated(random) }, spec };
    const body = { selector: { matchLabels: { app: 'a' } }, template };
    return post('deployments', 'apps/v1', 'Deployment', body, name);
  }
  const ends = random.chance(20) ? { ...spec, activeDeadlineSeconds: 60 } : spec;
  return post('pods', 'v1', 'Pod', ends, name, annotated(random));
}

function post(
  resource: string,
  apiVersion: string,
  kind: string,
  spec: Json,
  name: string,
  metadata: object = {},
): Step {
  const root = apiVersion === 'v1' ? NAMESPACE : '/apis/apps/v1/namespaces/${ns}';
  const body = { apiVersion, kind, metadata: { name, ...metadata }, spec };
  return { request: { method: 'POST', path: `${root}/${resource}`, body } };
}

const claim = (random: Random): JsonObject => ({
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: random.pick(['1Gi', '100m', '3Gi']) } },
});

const annotated = (random: Random): object =>
  random.chance(15)
    ? {
        annotations: {
          'container.apparmor.security.beta.kubernetes.io/c': random.pick([
            'runtime/default',
            'unconfined',
            'localhost/a',
          ]),
        },
      }
    : {};

/** Mostly as restricted as can be, with a few things that are not. */
function podSpec(random: Random): JsonObject {
  const some = (percent: number, members: JsonObject): JsonObject => (random.chance(percent) ? members : {});
  return {
    containers: [container(random, 'c'), ...(random.chance(20) ? [container(random, 'd')] : [])],
    ...some(20, { initContainers: [container(random, 'i')] }),
    ...some(10, { hostNetwork: true }),
    ...some(6, { hostPID: true }),
    ...some(6, { hostIPC: true }),
    ...some(8, { os: { name: random.pick(['windows', 'linux']) } }),
    ...some(15, { hostUsers: false }),
    ...some(15, { priorityClassName: random.pick(['system-cluster-critical', 'system-node-critical']) }),
    ...some(2, { runtimeClassName: 'none' }),
    ...some(40, {
      securityContext: {
        ...some(60, { runAsNonRoot: random.chance(80) }),
        ...some(60, { seccompProfile: random.pick<JsonObject>(PROFILE) }),
        ...some(25, { runAsUser: random.pick([0, 5]) }),
        ...some(25, {
          sysctls: [
            {
              name: random.pick(['kernel.shm_rmid_forced', 'kernel.msgmax', 'net.ipv4.ping_group_range']),
              value: '0',
            },
          ],
        }),
        ...some(25, {
          seLinuxOptions: {
            type: random.pick(['container_t', 'spc_t', '']),
            ...some(30, { user: 'u', role: 'r' }),
          },
        }),
        ...some(15, { appArmorProfile: random.pick<JsonObject>(PROFILE) }),
        ...some(3, { windowsOptions: { hostProcess: true } }),
      },
    }),
    ...some(25, {
      volumes: [
        random.pick<JsonObject>([
          { name: 'v', hostPath: { path: '/a' } },
          { name: 'v', emptyDir: {} },
          { name: 'v', nfs: { server: 'a', path: '/b' } },
          { name: 'v', configMap: { name: 'm' } },
        ]),
      ],
    }),
  };
}

function container(random: Random, name: string): JsonObject {
  const some = (percent: number, members: JsonObject): JsonObject => (random.chance(percent) ? members : {});
  return {
    name,
    image: 'i',
    ...some(60, {
      resources: { ...some(70, { requests: amounts(random) }), ...some(60, { limits: amounts(random) }) },
    }),
    ...some(12, { ports: [{ containerPort: 80, hostPort: random.pick([0, 80]) }] }),
    securityContext: {
      ...(random.chance(75) ? RESTRICTED : {}),
      ...some(4, { privileged: true }),
      ...some(10, { allowPrivilegeEscalation: true }),
      ...some(15, {
        capabilities: {
          add: [random.pick(['NET_BIND_SERVICE', 'SYS_ADMIN', 'CHOWN'])],
          drop: [random.pick(['ALL', 'CHOWN'])],
        },
      }),
      ...some(10, { runAsUser: random.pick([0, 7]) }),
      ...some(8, { procMount: random.pick(['Unmasked', 'Default']) }),
      ...some(10, { seccompProfile: random.pick<JsonObject>(PROFILE) }),
      ...some(8, { seLinuxOptions: { level: 's0', type: 'container_init_t' } }),
    },
  };
}
