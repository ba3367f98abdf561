import { describe, expect, test } from 'vitest';
import type { ApiObject } from '../../sim/api/object.ts';
import { NOTHING_PAST } from './facts.ts';
import { brokenRule, type RestRuleName, restProblems } from './rest-rules.ts';
import type { RestFacts } from './rest-view.ts';

const NOW = Date.parse('2025-01-01T01:00:00Z');

function object(kind: string, name: string, rest: object = {}, metadata: object = {}): ApiObject {
  const namespace = kind === 'PersistentVolume' || kind === 'Node' ? {} : { namespace: 'default' };
  return {
    apiVersion: 'v1',
    kind,
    metadata: { name, ...namespace, uid: `uid-of-${name}`, resourceVersion: '7', ...metadata },
    ...rest,
  };
}

/** Of all that is broken one is told quickly, whatever is suspected. */
function rulesOf(objects: readonly ApiObject[], facts: Partial<RestFacts> = {}): readonly RestRuleName[] {
  const question = { nowMs: NOW, ...facts };
  const broken = restProblems(objects, question).map(({ rule }) => rule);
  const last = broken.at(-1);
  expect(brokenRule(objects, question)).toBe(broken[0]);
  expect(brokenRule(objects, question, last)).toBe(last);
  expect(brokenRule(objects, { ...question, exempt: broken }, last)).toBeUndefined();
  return broken;
}

const volume = (phase: string, claimRef?: object): ApiObject =>
  object('PersistentVolume', 'one', {
    spec: { capacity: { storage: '5Gi' }, accessModes: ['ReadWriteOnce'], ...(claimRef && { claimRef }) },
    status: { phase },
  });
const claim = (phase: string, volumeName?: string): ApiObject =>
  object('PersistentVolumeClaim', 'mine', {
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      ...(volumeName !== undefined && { volumeName }),
    },
    status: { phase },
  });
const KEPT = { namespace: 'default', name: 'mine', uid: 'uid-of-mine' };
const pod = (status: object = {}, metadata: object = {}): ApiObject =>
  object('Pod', 'p', { spec: { nodeName: 'n', containers: [{ name: 'main' }] }, status }, metadata);
const RUNNING = { node: 'n', podUid: 'uid-of-p', namespace: 'default', podName: 'p', name: 'main', id: 'c1' };
const TELLING = {
  phase: 'Running',
  containerStatuses: [{ name: 'main', containerID: 'containerd://c1' }],
};
const node = object('Node', 'n', { status: { allocatable: { cpu: '2', memory: '4Gi', pods: '10' } } });
const overAt = (lastTransitionTime: string): ApiObject =>
  object('Job', 'j', {
    status: { active: 0, conditions: [{ type: 'Complete', status: 'True', lastTransitionTime }] },
  });
const lateOf = (creationTimestamp: string): ApiObject =>
  pod(
    { phase: 'Running' },
    { creationTimestamp, ownerReferences: [{ kind: 'Job', name: 'j', uid: 'uid-of-j', controller: true }] },
  );
const served = [
  object('Service', 's', { spec: { selector: { app: 'a' }, clusterIP: '10.96.0.9' } }),
  pod(
    { phase: 'Running', podIP: '10.0.0.1', conditions: [{ type: 'Ready', status: 'True' }] },
    { labels: { app: 'a' } },
  ),
  object(
    'EndpointSlice',
    's-1',
    { endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true } }] },
    { labels: { 'kubernetes.io/service-name': 's' } },
  ),
];
const endpoints = (...subsets: readonly (readonly string[])[]): ApiObject =>
  object('Endpoints', 's', { subsets: subsets.map((ips) => ({ addresses: ips.map((ip) => ({ ip })) })) });
const waiting = object('Pod', 'w', {
  spec: { containers: [{ name: 'main', resources: { requests: { cpu: '1' } } }] },
});
const copy = (versions: Readonly<Record<string, string>>) => ({
  by: 'controller-manager/0',
  apiVersion: 'v1',
  kind: 'Secret',
  isPart: false,
  versions: new Map(Object.entries(versions)),
});
const secret = object('Secret', 's');

type Row = readonly [string, RestRuleName, readonly ApiObject[], Partial<RestFacts>?];

const part = (verb: string): ApiObject =>
  object('ClusterRole', 'part', { rules: [{ verbs: [verb] }] }, { labels: { to: 'sum' } });
const sum = object('ClusterRole', 'sum', {
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to: 'sum' } }] },
  rules: [{ verbs: ['get'] }],
});
const byHand = object('Service', 'hand', { spec: {} });
const kept = object('Endpoints', 'hand', { subsets: [{ addresses: [{ ip: '192.0.2.1' }] }] });
const mirror = object(
  'EndpointSlice',
  'hand-x',
  { endpoints: [{ addresses: ['192.0.2.1'] }] },
  {
    labels: {
      'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
      'kubernetes.io/service-name': 'hand',
    },
  },
);
const brief = object('Pod', 'brief', { spec: { volumes: [{ name: 'v', ephemeral: {} }] } });
const goingClaim = (name: string): ApiObject =>
  object(
    'PersistentVolumeClaim',
    name,
    { spec: { volumeName: 'one' } },
    { deletionTimestamp: '2025-01-01T00:00:00Z', finalizers: ['kubernetes.io/pvc-protection'] },
  );

const balanced = (ip: string): object => ({
  spec: { type: 'LoadBalancer' },
  status: { loadBalancer: { ingress: [{ ip }] } },
});
const HELD_BY_CLOUD = { finalizers: ['service.kubernetes.io/load-balancer-cleanup'] };

describe('at rest', () => {
  const right: readonly Row[] = [
    ['a role that sums up another', 'roles-rest', [sum, part('get')]],
    ['a slice that mirrors', 'mirrors-rest', [byHand, kept, mirror]],
    [
      'a service with a load balancer',
      'load-balancers-rest',
      [object('Service', 'lb', balanced('203.0.113.1'), HELD_BY_CLOUD)],
    ],
    ['a claim of a pod that made it', 'finalizers-rest', [brief, goingClaim('brief-v')]],
    ['a volume and its claim', 'volumes-rest', [volume('Bound', KEPT), claim('Bound', 'one')]],
    ['a volume whose claim is gone and that says so', 'volumes-rest', [volume('Released', KEPT)]],
    ['a container of a pod that speaks of it', 'containers-rest', [pod(TELLING)], { containers: [RUNNING] }],
    ['a true copy', 'copies-rest', [secret], { copies: [copy({ 'default/s': '7' })] }],
    [
      'what only a user holds',
      'finalizers-rest',
      [object('Secret', 's', {}, { deletionTimestamp: 'x', finalizers: ['x/y'] })],
    ],
    ['a pod that fits nowhere', 'waiting-pods-rest', [waiting]],
    [
      'a pod made after the end of its Job',
      'jobs-rest',
      [overAt('2025-01-01T00:00:10Z'), lateOf('2025-01-01T00:00:11Z')],
    ],
    [
      'Endpoints in parts by their ports',
      'services-rest',
      [...served, endpoints(['10.0.0.1'], ['10.0.0.1'])],
    ],
  ];
  test.each(right.map((row) => [row[0], row] as const))('%s is right', (_, [, rule, objects, facts]) => {
    expect(rulesOf(objects, facts)).not.toContain(rule);
  });

  const wrong: readonly Row[] = [
    [
      'a pod that outlives its Job',
      'jobs-rest',
      [overAt('2025-01-01T00:00:10Z'), lateOf('2025-01-01T00:00:09Z')],
    ],
    ['Endpoints that name a pod twice', 'services-rest', [...served, endpoints(['10.0.0.1', '10.0.0.1'])]],
    ['a role that sums up nobody', 'roles-rest', [sum]],
    ['a role that lacks a rule', 'roles-rest', [sum, part('get'), part('list')]],
    ['a slice whose service is gone', 'mirrors-rest', [kept, mirror]],
    ['Endpoints that nobody mirrors', 'mirrors-rest', [byHand, kept]],
    ['a claim of a pod that did not make it', 'finalizers-rest', [brief, goingClaim('brief-w')]],
    ['a claim without a volume while one is free', 'volumes-rest', [volume('Available'), claim('Pending')]],
    ['a binding that was left half done', 'volumes-rest', [volume('Bound', KEPT), claim('Pending')]],
    ['a volume that is kept for nobody', 'volumes-rest', [volume('Bound', KEPT)]],
    ['a container whose pod is gone', 'containers-rest', [], { containers: [RUNNING] }],
    [
      'a container that runs twice',
      'containers-rest',
      [pod(TELLING)],
      { containers: [RUNNING, { ...RUNNING, id: 'c2' }] },
    ],
    [
      'a copy that still knows what is gone',
      'copies-rest',
      [secret],
      { copies: [copy({ 'default/s': '7', 'default/t': '3' })] },
    ],
    ['a copy that is late', 'copies-rest', [secret], { copies: [copy({ 'default/s': '6' })] }],
    ['a copy that lacks something', 'copies-rest', [secret], { copies: [copy({})] }],
    [
      'an end that waits for nobody',
      'finalizers-rest',
      [object('Secret', 's', {}, { deletionTimestamp: 'x', finalizers: ['foregroundDeletion'] })],
    ],
    [
      'a pod held for a Job that is gone',
      'finalizers-rest',
      [pod({}, { finalizers: ['batch.kubernetes.io/job-tracking'] })],
    ],
    [
      'a disruption that never came',
      'disruptions-rest',
      [
        pod({
          conditions: [
            { type: 'DisruptionTarget', status: 'True', lastTransitionTime: '2025-01-01T00:50:00Z' },
          ],
        }),
      ],
    ],
    [
      'a quota that has counted wrong',
      'quotas-rest',
      [
        secret,
        object('ResourceQuota', 'q', {
          spec: { hard: { secrets: '5' } },
          status: { hard: { secrets: '5' }, used: { secrets: '2' } },
        }),
      ],
    ],
    [
      'a Job that has outlived its time',
      'ended-jobs-rest',
      [
        object('Job', 'j', {
          spec: { ttlSecondsAfterFinished: 5 },
          status: {
            conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: '2025-01-01T00:10:00Z' }],
          },
        }),
      ],
    ],
    ['an object whose definition is gone', 'definitions-rest', [{ ...secret, apiVersion: 'example.com/v1' }]],
    ['a pod that waits while there is room', 'waiting-pods-rest', [waiting, node]],
    [
      'a service without its load balancer',
      'load-balancers-rest',
      [object('Service', 'lb', { spec: { type: 'LoadBalancer' } })],
    ],
    [
      'a service that keeps a load balancer',
      'load-balancers-rest',
      [
        object(
          'Service',
          'lb',
          { spec: { type: 'ClusterIP' } },
          { finalizers: ['service.kubernetes.io/load-balancer-cleanup'] },
        ),
      ],
    ],
    [
      'a load balancer that nothing would give back',
      'load-balancers-rest',
      [object('Service', 'lb', balanced('203.0.113.1'))],
    ],
    [
      'a load balancer that another service has as well',
      'load-balancers-rest',
      ['lb', 'other'].map((name) => object('Service', name, balanced('203.0.113.1'), HELD_BY_CLOUD)),
    ],
    [
      'a service that keeps the address of a load balancer',
      'load-balancers-rest',
      [object('Service', 'lb', { ...balanced('203.0.113.1'), spec: { type: 'ClusterIP' } })],
    ],
    [
      'a request that was approved and not signed',
      'certificates-rest',
      [
        object('CertificateSigningRequest', 'jane', {
          spec: { signerName: 'kubernetes.io/kubelet-serving' },
          status: { conditions: [{ type: 'Approved', status: 'True' }] },
        }),
      ],
    ],
    [
      'a token whose account is gone',
      'tokens-rest',
      [
        object(
          'Secret',
          't',
          { type: 'kubernetes.io/service-account-token' },
          { annotations: { 'kubernetes.io/service-account.name': 'bot' } },
        ),
      ],
    ],
    [
      'a token of a former account',
      'tokens-rest',
      [
        object('ServiceAccount', 'bot', {}),
        object(
          'Secret',
          't',
          { type: 'kubernetes.io/service-account-token', data: { token: 'x' } },
          {
            annotations: {
              'kubernetes.io/service-account.name': 'bot',
              'kubernetes.io/service-account.uid': 'former',
            },
          },
        ),
      ],
    ],
    [
      'an autoscaler that has not looked again',
      'autoscalers-rest',
      [
        object('Deployment', 'web', { spec: { replicas: 3 } }),
        object('HorizontalPodAutoscaler', 'web', {
          spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' }, maxReplicas: 5 },
          status: { currentReplicas: 2, conditions: [{ type: 'AbleToScale', status: 'True' }] },
        }),
      ],
    ],
    [
      'a CronJob that lists a Job which is gone',
      'cron-jobs-rest',
      [object('CronJob', 'c', { spec: {}, status: { active: [{ uid: 'gone' }] } })],
    ],
  ];
  test.each(wrong.map((row) => [row[0], row] as const))('%s is not right', (_, [, rule, objects, facts]) => {
    expect(rulesOf(objects, facts)).toContain(rule);
  });
});

describe('what nothing mends is excused', () => {
  const stale = object('ReplicaSet', 's', { spec: { replicas: 0 }, status: { replicas: 1 } });
  const gear = { ...object('Gear', 'g'), apiVersion: 'example.com/v1' };
  const cloud = object('Service', 'c', {
    spec: { type: 'LoadBalancer', clusterIP: '10.96.0.9' },
    status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
  });
  const team = object('Namespace', 'team', {}, { namespace: undefined });
  const ca = (namespace: string, text: string): ApiObject =>
    object('ConfigMap', 'kube-root-ca.crt', { data: { 'ca.crt': text } }, { namespace, uid: namespace });
  const changed = ca('team', 'none');
  const counted = object('ResourceQuota', 'q', {
    spec: { hard: { 'count/pods': '4' } },
    status: { hard: { 'count/pods': '4' }, used: { 'count/pods': '1' } },
  });
  const around = [
    team,
    object('ServiceAccount', 'default', {}, { namespace: 'team' }),
    ca('kube-system', 'ca'),
  ];
  const excuses = {
    lostUnseen: { of: stale, rule: 'replica-sets-rest' },
    isOvertaken: { of: cloud, rule: 'load-balancers-rest' },
    wasMadeLate: { of: gear, rule: 'definitions-rest' },
    changedUnseen: { of: changed, rule: 'namespaces-rest' },
    isMiscounted: { of: counted, rule: 'quotas-rest' },
  } as const;

  test.each(Object.keys(excuses) as (keyof typeof excuses)[])('where it was so: %s', (excuse) => {
    const { of, rule } = excuses[excuse];
    const past = { ...NOTHING_PAST, [excuse]: (each: ApiObject) => each === of };
    const facts = { past, servers: 2 };
    expect(rulesOf([of, ...around])).toContain(rule);
    expect(rulesOf([of, ...around], facts)).not.toContain(rule);
    const other = { ...of, metadata: { ...of.metadata, uid: 'other' } };
    expect(rulesOf([other, ...around], facts)).toContain(rule);
  });

  test('where a Node was changed by what was sent long before', () => {
    const disk = object('PersistentVolume', 'disk', { spec: { csi: { driver: 'd', volumeHandle: 'h' } } });
    const attached = { volumesAttached: [{ name: 'kubernetes.io/csi/d^h', devicePath: '' }] };
    const [one, other] = ['one', 'other'].map((uid) => object('Node', uid, { status: attached }, { uid }));
    const past = { ...NOTHING_PAST, isOvertaken: (each: ApiObject) => each === one };
    expect(rulesOf([disk, one as ApiObject])).toContain('attachments-rest');
    expect(rulesOf([disk, one as ApiObject], { past })).not.toContain('attachments-rest');
    expect(rulesOf([disk, other as ApiObject], { past })).toContain('attachments-rest');
  });

  test('where one server alone knew when it ended a definition, nothing is', () => {
    const past = { ...NOTHING_PAST, wasMadeLate: () => true };
    expect(rulesOf([gear], { past })).toContain('definitions-rest');
  });

  test('where Endpoints went that nobody knew of, and of no other service', () => {
    const service = object('Service', 's', { spec: { selector: { app: 'a' } } });
    const pastOf = (lost: string) => ({
      ...NOTHING_PAST,
      isLost: (_: string, name: string) => name === lost,
    });
    expect(rulesOf([service])).toContain('services-rest');
    expect(rulesOf([service], { past: pastOf('default/s') })).not.toContain('services-rest');
    expect(rulesOf([service], { past: pastOf('default/t') })).toContain('services-rest');
  });

  test('where a namespace has lost what it should have, which keeps its pods from coming', () => {
    const namespace = object('Namespace', 'n');
    const pastOf = (lost: string, of: string) => ({
      ...NOTHING_PAST,
      isLost: (kind: string, name: string) => kind === lost && name === of,
    });
    const certificate = {
      ...object('ConfigMap', 'kube-root-ca.crt'),
      metadata: { name: 'kube-root-ca.crt', namespace: 'n' },
    };
    const account = { ...object('ServiceAccount', 'default'), metadata: { name: 'default', namespace: 'n' } };
    expect(rulesOf([namespace, account])).toContain('namespaces-rest');
    expect(rulesOf([namespace, account], { past: pastOf('ConfigMap', 'n/kube-root-ca.crt') })).toEqual([]);
    expect(rulesOf([namespace, certificate], { past: pastOf('ServiceAccount', 'n/default') })).toEqual([]);
    expect(rulesOf([namespace, certificate], { past: pastOf('ServiceAccount', 'm/default') })).toContain(
      'namespaces-rest',
    );
    const node = object('Node', 'w');
    for (const [kind, rule] of [
      ['StatefulSet', 'stateful-sets-rest'],
      ['DaemonSet', 'daemon-sets-rest'],
      ['Job', 'jobs-rest'],
    ] as const) {
      const set = object(kind, 's', { spec: { template: { spec: { containers: [{ name: 'c' }] } } } });
      const lost = pastOf('ServiceAccount', 'default/default');
      expect(rulesOf([node, set])).toContain(rule);
      expect(rulesOf([node, set], { past: lost })).not.toContain(rule);
    }
  });

  test('where a pod was passed over, be it plain or not', () => {
    const past = { ...NOTHING_PAST, isPassedOver: () => true };
    for (const [rule, resources] of [
      ['waiting-pods-rest', { requests: { cpu: '1' } }],
      ['pods-rest', undefined],
    ] as const) {
      const spec = { containers: [{ name: 'c', resources }] };
      const objects = [
        object('Pod', 'p', { spec }),
        object('Node', 'n', { status: { allocatable: { cpu: '2', pods: '9' } } }),
      ];
      expect(rulesOf(objects)).toContain(rule);
      expect(rulesOf(objects, { past })).not.toContain(rule);
    }
  });

  test('pods that are missing are not, whatever the status says', () => {
    const past = { ...NOTHING_PAST, lostUnseen: () => true };
    const lacking = object('ReplicaSet', 's', { spec: { replicas: 1 }, status: { replicas: 0 } });
    expect(rulesOf([lacking], { past })).toContain('replica-sets-rest');
  });
});
