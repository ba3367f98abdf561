/**
 * The priority levels and flow schemas that every server has: the two mandatory ones, and those that
 * keep nodes, leader election and system components apart from everybody else.
 */
import type { ApiObject } from '../../api/object.ts';
import { danglingCondition } from './dangling-condition.ts';

const V1 = 'flowcontrol.apiserver.k8s.io/v1';
const EVERYTHING = {
  resourceRules: [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] },
  ],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};
/** Updating one of these by hand is kept as long as the annotation says so. */
const AUTO_UPDATE = { 'apf.kubernetes.io/autoupdate-spec': 'true' };

const level = (name: string, spec: object): ApiObject => ({
  kind: 'PriorityLevelConfiguration',
  apiVersion: V1,
  metadata: { name, generation: 1, annotations: AUTO_UPDATE },
  spec,
  status: {},
});

interface Limits {
  readonly shares: number;
  readonly lendablePercent: number;
  /** Absent: requests above the limit are refused. */
  readonly queuing?: {
    readonly queues: number;
    readonly handSize: number;
    readonly queueLengthLimit: number;
  };
}

const limited = (name: string, { shares, lendablePercent, queuing }: Limits): ApiObject =>
  level(name, {
    type: 'Limited',
    limited: {
      nominalConcurrencyShares: shares,
      limitResponse: queuing ? { type: 'Queue', queuing } : { type: 'Reject' },
      lendablePercent,
    },
  });

const QUEUES = { queues: 128, handSize: 6, queueLengthLimit: 50 };

export const DEFAULT_PRIORITY_LEVELS: readonly ApiObject[] = [
  level('exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }),
  limited('catch-all', { shares: 5, lendablePercent: 0 }),
  limited('global-default', { shares: 20, lendablePercent: 50, queuing: QUEUES }),
  limited('leader-election', {
    shares: 10,
    lendablePercent: 0,
    queuing: { queues: 16, handSize: 4, queueLengthLimit: 50 },
  }),
  limited('node-high', {
    shares: 40,
    lendablePercent: 25,
    queuing: { queues: 64, handSize: 6, queueLengthLimit: 50 },
  }),
  limited('system', {
    shares: 30,
    lendablePercent: 33,
    queuing: { queues: 64, handSize: 6, queueLengthLimit: 50 },
  }),
  limited('workload-high', { shares: 40, lendablePercent: 50, queuing: QUEUES }),
  limited('workload-low', { shares: 100, lendablePercent: 90, queuing: QUEUES }),
];

interface Flow {
  readonly name: string;
  readonly level?: string;
  readonly precedence: number;
  readonly distinguisher?: 'ByUser' | 'ByNamespace';
  readonly rules: readonly object[];
}

const groups = (...names: readonly string[]): object[] =>
  names.map((name) => ({ kind: 'Group', group: { name } }));
const users = (...names: readonly string[]): object[] =>
  names.map((name) => ({ kind: 'User', user: { name } }));
const systemAccount = (name: string): object => ({
  kind: 'ServiceAccount',
  serviceAccount: { namespace: 'kube-system', name },
});

const resources = (
  apiGroups: readonly string[],
  names: readonly string[],
  verbs: readonly string[],
  namespaces: readonly string[],
): object => ({
  verbs,
  apiGroups,
  resources: names,
  namespaces,
});

const flow = ({ name, level: levelName = name, precedence, distinguisher, rules }: Flow): ApiObject => ({
  kind: 'FlowSchema',
  apiVersion: V1,
  metadata: { name, generation: 1, annotations: AUTO_UPDATE },
  spec: {
    priorityLevelConfiguration: { name: levelName },
    matchingPrecedence: precedence,
    ...(distinguisher && { distinguisherMethod: { type: distinguisher } }),
    rules,
  },
  status: { conditions: [{ ...danglingCondition(levelName, true), lastTransitionTime: null }] },
});

const everythingOf = (subjects: readonly object[]): object => ({ subjects, ...EVERYTHING });

const LEASE_VERBS = ['get', 'create', 'update'];
const ALL = ['*'];

export const DEFAULT_FLOW_SCHEMAS: readonly ApiObject[] = [
  flow({ name: 'exempt', precedence: 1, rules: [everythingOf(groups('system:masters'))] }),
  flow({
    name: 'catch-all',
    precedence: 10_000,
    distinguisher: 'ByUser',
    rules: [everythingOf(groups('system:unauthenticated', 'system:authenticated'))],
  }),
  flow({
    name: 'system-nodes',
    level: 'system',
    precedence: 500,
    distinguisher: 'ByUser',
    rules: [everythingOf(groups('system:nodes'))],
  }),
  flow({
    name: 'system-node-high',
    level: 'node-high',
    precedence: 400,
    distinguisher: 'ByUser',
    rules: [
      {
        subjects: groups('system:nodes'),
        resourceRules: [
          {
            verbs: ALL,
            apiGroups: [''],
            resources: ['nodes', 'nodes/status'],
            clusterScope: true,
            namespaces: ALL,
          },
          resources(['coordination.k8s.io'], ['leases'], ALL, ALL),
        ],
      },
    ],
  }),
  flow({
    name: 'probes',
    level: 'exempt',
    precedence: 2,
    rules: [
      {
        subjects: groups('system:unauthenticated', 'system:authenticated'),
        nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
      },
    ],
  }),
  flow({
    name: 'system-leader-election',
    level: 'leader-election',
    precedence: 100,
    distinguisher: 'ByUser',
    rules: [
      {
        subjects: users('system:kube-controller-manager', 'system:kube-scheduler'),
        resourceRules: [resources(['coordination.k8s.io'], ['leases'], LEASE_VERBS, ALL)],
      },
    ],
  }),
  flow({
    name: 'endpoint-controller',
    level: 'workload-high',
    precedence: 150,
    distinguisher: 'ByUser',
    rules: [
      {
        subjects: [
          ...users('system:kube-controller-manager'),
          systemAccount('endpoint-controller'),
          systemAccount('endpointslicemirroring-controller'),
        ],
        resourceRules: [resources([''], ['endpoints'], LEASE_VERBS, ALL)],
      },
    ],
  }),
  flow({
    name: 'workload-leader-election',
    level: 'leader-election',
    precedence: 200,
    distinguisher: 'ByUser',
    rules: [
      {
        subjects: [systemAccount('*')],
        resourceRules: [resources(['coordination.k8s.io'], ['leases'], LEASE_VERBS, ALL)],
      },
    ],
  }),
  flow({
    name: 'kube-controller-manager',
    level: 'workload-high',
    precedence: 800,
    distinguisher: 'ByNamespace',
    rules: [everythingOf(users('system:kube-controller-manager'))],
  }),
  flow({
    name: 'kube-scheduler',
    level: 'workload-high',
    precedence: 800,
    distinguisher: 'ByNamespace',
    rules: [everythingOf(users('system:kube-scheduler'))],
  }),
  flow({
    name: 'kube-system-service-accounts',
    level: 'workload-high',
    precedence: 900,
    distinguisher: 'ByNamespace',
    rules: [everythingOf([systemAccount('*')])],
  }),
  flow({
    name: 'service-accounts',
    level: 'workload-low',
    precedence: 9_000,
    distinguisher: 'ByUser',
    rules: [everythingOf(groups('system:serviceaccounts'))],
  }),
  flow({
    name: 'global-default',
    precedence: 9_900,
    distinguisher: 'ByUser',
    rules: [everythingOf(groups('system:unauthenticated', 'system:authenticated'))],
  }),
];
