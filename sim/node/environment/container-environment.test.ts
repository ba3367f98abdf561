import { describe, expect, it } from 'vitest';
import type { Container } from '../../api/types/core-v1.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { minutes, seconds } from '../../engine/time.ts';
import { expandReferences } from './expand-references.ts';
import { ownResource } from './own-fields.ts';

function world(container: Partial<Container>, more: object = {}): Cluster {
  const cluster = createCluster({ nodes: 1, authorizationMode: 'RBAC' });
  cluster.settle();
  cluster.client.pods.create({
    metadata: { name: 'a', labels: { tier: 'web' } },
    spec: { nodeName: 'worker-1', containers: [{ name: 'main', image: 'app:1', ...container }], ...more },
  });
  return cluster;
}
const pod = (cluster: Cluster) => cluster.client.pods.get('a');
const waiting = (cluster: Cluster) => pod(cluster).status?.containerStatuses?.[0]?.state?.waiting;
const eventsOf = (cluster: Cluster, reason: string) =>
  cluster.client.events.list({ namespace: 'default' }).items.filter((event) => event.reason === reason);
/** What the container has printed at last. */
const lastWord = (cluster: Cluster): string | undefined =>
  pod(cluster).status?.containerStatuses?.[0]?.state?.terminated?.message;

describe('a container whose environment lacks something', () => {
  it.each([
    [{ envFrom: [{ configMapRef: { name: 'x' } }] }, 'configmap "x" not found'],
    [{ envFrom: [{ secretRef: { name: 'x' } }] }, 'secret "x" not found'],
    [
      { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'kube-root-ca.crt', key: 'b' } } }] },
      "couldn't find key b in ConfigMap default/kube-root-ca.crt",
    ],
    [{ env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'x', key: 'b' } } }] }, 'secret "x" not found'],
    [
      { securityContext: { runAsNonRoot: true, runAsUser: 0 } },
      expect.stringMatching(
        /^container's runAsUser breaks non-root policy \(pod: "a_default\(.*\)", container: main\)$/,
      ),
    ],
  ])('%j waits and says what', (container, message) => {
    const cluster = world(container);
    cluster.advance(seconds(5));
    expect(waiting(cluster)).toEqual({ reason: 'CreateContainerConfigError', message });
    expect(pod(cluster).status?.phase).toBe('Pending');
  });

  it('is tried again every ten to fifteen seconds until it is there, through a restart of the agent', () => {
    const cluster = world({ envFrom: [{ configMapRef: { name: 'x' } }] });
    cluster.advance(seconds(50));
    const [failed, ...others] = eventsOf(cluster, 'Failed');
    expect(others).toEqual([]);
    expect(failed?.message).toBe('Error: configmap "x" not found');
    expect(failed?.count).toBeGreaterThanOrEqual(4);
    expect(failed?.count).toBeLessThanOrEqual(6);
    cluster.faults.crash('worker-1');
    cluster.advance(seconds(5));
    cluster.faults.restart('worker-1');
    cluster.advance(seconds(20));
    expect(waiting(cluster)?.reason).toBe('CreateContainerConfigError');
    cluster.client.configMaps.create({ metadata: { name: 'x' }, data: { A: '1' } });
    cluster.advance(seconds(20));
    expect(pod(cluster).status?.phase).toBe('Running');
    expect(pod(cluster).status?.containerStatuses?.[0]?.restartCount).toBe(0);
  });

  it('keeps those after it waiting when it initializes the pod', () => {
    const init = { name: 'first', image: 'app:1', envFrom: [{ secretRef: { name: 'x' } }] };
    const cluster = world({}, { initContainers: [init] });
    cluster.advance(minutes(1));
    expect(waiting(cluster)?.reason).toBe('PodInitializing');
    expect(pod(cluster).status?.initContainerStatuses?.[0]?.state?.waiting?.reason).toBe(
      'CreateContainerConfigError',
    );
  });

  it('ends with its pod', () => {
    const cluster = world({ envFrom: [{ configMapRef: { name: 'x' } }] });
    cluster.advance(seconds(15));
    cluster.client.pods.delete('a');
    cluster.advance(seconds(40));
    expect(cluster.client.pods.list().items).toEqual([]);
  });
});

describe('a container sees', () => {
  it('what ConfigMaps, Secrets, its pod and other variables say', () => {
    const cluster = createCluster({ nodes: 1, authorizationMode: 'RBAC' });
    cluster.settle();
    cluster.client.configMaps.create({ metadata: { name: 'x' }, data: { A: 'from map', '1B': 'no name' } });
    cluster.client.secrets.create({ metadata: { name: 's' }, data: { B: 'Z3LDvG4=' } });
    cluster.client.pods.create({
      metadata: { name: 'a', labels: { tier: 'web' } },
      spec: {
        nodeName: 'worker-1',
        restartPolicy: 'Never',
        containers: [
          {
            name: 'main',
            image: 'app:1',
            command: ['sh', '-c', 'echo $A $B $C $D $(C); exit 1'],
            terminationMessagePolicy: 'FallbackToLogsOnError',
            envFrom: [{ configMapRef: { name: 'x' } }, { secretRef: { name: 'none', optional: true } }],
            env: [
              { name: 'B', valueFrom: { secretKeyRef: { name: 's', key: 'B' } } },
              { name: 'C', valueFrom: { fieldRef: { fieldPath: "metadata.labels['tier']" } } },
              { name: 'D', value: '$(C)/$(A)' },
            ],
          },
        ],
      },
    });
    cluster.advance(seconds(10));
    expect(lastWord(cluster)).toBe('from map grün web web/from map web\n');
    expect(eventsOf(cluster, 'InvalidEnvironmentVariableNames')[0]?.message).toBe(
      'Keys [1B] from the EnvFrom configMap default/x were skipped since they are considered invalid environment variable names.',
    );
  });
});

it.each([
  ['$(A)-$(B)', '1-$(B)'],
  ['$$(A) $A $', '$(A) $A $'],
  ['$(A', '$(A'],
])('%s reads as %s', (text, expected) => {
  expect(expandReferences(text, new Map([['A', '1']]))).toBe(expected);
});

it.each([
  [{ resource: 'limits.cpu' }, '1'],
  [{ resource: 'limits.cpu', divisor: '1m' }, '250'],
  [{ resource: 'requests.memory', divisor: '1Mi' }, '3'],
  [{ resource: 'requests.cpu' }, '0'],
  [{ resource: 'limits.memory', divisor: '1Gi' }, '8'],
])('%j is %s', (selector, expected) => {
  const self = { resources: { limits: { cpu: '250m' }, requests: { memory: '2100Ki' } } };
  const about = { pod: { apiVersion: 'v1', kind: 'Pod', metadata: {} }, podIP: '', hostIP: '' } as const;
  expect(ownResource(selector, self, { ...about, allocatable: { memory: '8Gi' } })).toBe(expected);
});
