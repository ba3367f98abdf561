import { describe, expect, test } from 'vitest';
import type { ApiObject } from '../../../api/object.ts';
import type { PodSpec, ResourceQuota } from '../../../api/types/core-v1.ts';
import { textsOf } from '../../../api/quota/amounts.ts';
import { chargesOf } from './charge.ts';
import { claimRule } from '../../../api/quota/claim-usage.ts';
import { podRule } from '../../../api/quota/pod-usage.ts';
import { serviceRule } from '../../../api/quota/service-usage.ts';
import { objectCountRule, type UsageRule } from '../../../api/quota/usage-rule.ts';

type Texts = Readonly<Record<string, string>>;

const quota = (hard: Texts, used: Texts, spec: ResourceQuota['spec'] = {}): ResourceQuota => ({
  kind: 'ResourceQuota',
  apiVersion: 'v1',
  metadata: { name: 'q' },
  spec,
  status: { hard, used },
});

const objectOf = (spec: object, annotations = {}): ApiObject => ({
  kind: 'X',
  apiVersion: 'v1',
  metadata: { annotations },
  spec,
});

const podOf = (spec: Partial<PodSpec> = {}): ApiObject =>
  objectOf({ containers: [{ name: 'c', image: 'i' }], ...spec });

function charged(rule: UsageRule, quotas: readonly ResourceQuota[], object: ApiObject, old?: ApiObject) {
  const refuse = (why: string): Error => new Error(why);
  return chargesOf({ nowMs: 0, quotas, rule, object, old, refuse }).map(({ used }) => used);
}

const usage = (rule: UsageRule, object: ApiObject): Texts => textsOf(rule.usageOf(object, 0));

describe('a charge', () => {
  const configMaps = objectCountRule({ group: '', resource: 'configmaps' });

  test('counts up what the status limits and keeps the rest', () => {
    const counted = quota({ configmaps: '2', pods: '1' }, { configmaps: '1', pods: '1' });
    expect(charged(configMaps, [counted], objectOf({}))).toEqual([{ configmaps: '2', pods: '1' }]);
  });

  test('counts objects of any kind', () => {
    const rule = objectCountRule({ group: 'apps', resource: 'deployments' });
    const hard = { 'count/deployments.apps': '1' };
    expect(charged(rule, [quota(hard, { 'count/deployments.apps': '0' })], objectOf({}))).toEqual([hard]);
  });

  test('is refused beyond the limit, with all names that are above it', () => {
    const hard = { 'count/configmaps': '1', configmaps: '1', pods: '0' };
    expect(() => charged(configMaps, [quota(hard, hard)], objectOf({}))).toThrow(
      'exceeded quota: q, requested: configmaps=1,count/configmaps=1, used: configmaps=1,count/configmaps=1, limited: configmaps=1,count/configmaps=1',
    );
  });

  test('does not concern quotas that limit nothing yet, or other things', () => {
    expect(
      charged(configMaps, [{ ...quota({}, {}), status: {} }, quota({ pods: '0' }, {})], objectOf({})),
    ).toEqual([]);
  });

  test('is refused as long as nobody has counted', () => {
    expect(() => charged(configMaps, [quota({ configmaps: '2' }, {})], objectOf({}))).toThrow(
      'status unknown for quota: q, resources: configmaps',
    );
  });
});

describe('pods', () => {
  test('have to state what is limited, each container for itself', () => {
    const limited = quota({ 'requests.cpu': '1', 'limits.memory': '1' }, {});
    const containers = [
      { name: 'b', image: 'i' },
      { name: 'a', image: 'i', resources: { requests: { cpu: '1' } } },
    ];
    expect(() => charged(podRule, [limited], podOf({ containers }))).toThrow(
      'failed quota: q: must specify limits.memory for: a,b; requests.cpu for: b',
    );
  });

  test('count what they need at most: containers and sidecars, or an init container', () => {
    const asks = (name: string, cpu: string, more = {}) => ({
      name,
      image: 'i',
      resources: { requests: { cpu }, limits: { memory: '1Gi' } },
      ...more,
    });
    const object = podOf({
      overhead: { cpu: '50m', memory: '24Mi' },
      initContainers: [
        asks('first', '2'),
        asks('sidecar', '100m', { restartPolicy: 'Always' }),
        asks('last', '2'),
      ],
      containers: [asks('c', '1'), asks('d', '500m')],
    });
    expect(usage(podRule, object)).toEqual({
      'count/pods': '1',
      pods: '1',
      cpu: '2150m',
      'requests.cpu': '2150m',
      memory: '24Mi',
      'requests.memory': '24Mi',
      'limits.memory': '3096Mi',
    });
  });

  test('count extended resources and huge pages as requests', () => {
    const requests = { 'example.com/gpu': '2', 'hugepages-2Mi': '4Mi' };
    const object = podOf({ containers: [{ name: 'c', image: 'i', resources: { requests } }] });
    expect(usage(podRule, object)).toMatchObject({
      'requests.example.com/gpu': '2',
      'hugepages-2Mi': '4Mi',
      'requests.hugepages-2Mi': '4Mi',
    });
    expect(podRule.tracks('requests.example.com/gpu')).toBe(true);
    expect(podRule.tracks('requests.storage')).toBe(false);
  });

  const one = { pods: '5' };
  test.each<[string, ResourceQuota['spec'], Partial<PodSpec>, boolean]>([
    ['Terminating', { scopes: ['Terminating'] }, { activeDeadlineSeconds: 5 }, true],
    ['Terminating', { scopes: ['Terminating'] }, {}, false],
    ['NotTerminating', { scopes: ['NotTerminating'] }, {}, true],
    ['BestEffort', { scopes: ['BestEffort'] }, {}, true],
    ['NotBestEffort', { scopes: ['NotBestEffort'] }, {}, false],
    ['PriorityClass', { scopes: ['PriorityClass'] }, { priorityClassName: 'high' }, true],
    [
      'PriorityClass In',
      {
        scopeSelector: {
          matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['low'] }],
        },
      },
      { priorityClassName: 'high' },
      false,
    ],
    [
      'PriorityClass NotIn',
      {
        scopeSelector: {
          matchExpressions: [{ scopeName: 'PriorityClass', operator: 'NotIn', values: ['low'] }],
        },
      },
      {},
      true,
    ],
    [
      'CrossNamespacePodAffinity',
      { scopes: ['CrossNamespacePodAffinity'] },
      {
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'k', namespaceSelector: {} }],
          },
        },
      },
      true,
    ],
  ])('are in the scope %s by their own fields', (_, spec, pod, isCounted) => {
    const charges = charged(podRule, [quota(one, { pods: '0' }, spec)], podOf(pod));
    expect(charges).toEqual(isCounted ? [{ pods: '1' }] : []);
  });

  test('alone are in scopes', () => {
    const scoped = quota({ services: '1' }, { services: '0' }, { scopes: ['BestEffort'] });
    expect(charged(serviceRule, [scoped], objectOf({}))).toEqual([]);
  });
});

describe('services', () => {
  const ports = [{ port: 1, nodePort: 30_001 }, { port: 2 }];

  test('count their node ports and load balancers', () => {
    expect(usage(serviceRule, objectOf({ type: 'LoadBalancer', ports }))).toMatchObject({
      'services.loadbalancers': '1',
      'services.nodeports': '2',
    });
    const without = { type: 'LoadBalancer', ports, allocateLoadBalancerNodePorts: false };
    expect(usage(serviceRule, objectOf(without))['services.nodeports']).toBe('1');
  });

  test('count what an update adds or gives back', () => {
    const limited = quota(
      { services: '1', 'services.nodeports': '2' },
      { services: '1', 'services.nodeports': '0' },
    );
    const plain = objectOf({ type: 'ClusterIP', ports });
    const open = objectOf({ type: 'NodePort', ports });
    expect(charged(serviceRule, [limited], open, plain)).toEqual([
      { services: '1', 'services.nodeports': '2' },
    ]);
    expect(charged(serviceRule, [limited], plain, plain)).toEqual([]);
  });
});

test('claims count by their storage class, too', () => {
  const spec = { storageClassName: 'other', resources: { requests: { storage: '1Gi' } } };
  expect(usage(claimRule, objectOf(spec, { 'volume.beta.kubernetes.io/storage-class': 'gold' }))).toEqual({
    'count/persistentvolumeclaims': '1',
    persistentvolumeclaims: '1',
    'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '1',
    'requests.storage': '1Gi',
    'gold.storageclass.storage.k8s.io/requests.storage': '1Gi',
  });
});
