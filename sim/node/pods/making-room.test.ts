/** Room for pods that a node cannot do without; Kubernetes 1.31. */
import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/types/core-v1.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { minutes, seconds } from '../../engine/time.ts';

const CRITICAL = 'system-node-critical';

function add(cluster: Cluster, name: string, cpu: string, priorityClassName?: string): void {
  cluster.client.pods.create({
    metadata: {
      name,
      namespace: 'kube-system',
      // They take all the time that they are given.
      annotations: { 'behaviour.kubesim.dev/main': '{"ignoresTerm":true}' },
    },
    spec: {
      nodeName: 'worker-1',
      terminationGracePeriodSeconds: 5,
      ...(priorityClassName !== undefined && { priorityClassName }),
      containers: [{ name: 'main', image: 'app:1', resources: { requests: { cpu } } }],
    },
  });
}

const pod = (cluster: Cluster, name: string): Pod =>
  cluster.client.pods.get({ namespace: 'kube-system', name });

function nodeWith(cpu: Readonly<Record<string, string>>): Cluster {
  const cluster = createCluster({ nodes: [{ name: 'worker-1', capacity: { cpu: '4' } }] });
  cluster.advance(seconds(20));
  for (const [name, amount] of Object.entries(cpu)) add(cluster, name, amount);
  cluster.advance(seconds(30));
  return cluster;
}

describe('a critical pod that finds too little', () => {
  it('sends away as few others as will do, the nearest in size', () => {
    const cluster = nodeWith({ small: '500m', middle: '1', large: '2' });
    add(cluster, 'vip', '1200m', CRITICAL);
    cluster.advance(minutes(1));
    expect(pod(cluster, 'middle').status).toMatchObject({
      phase: 'Failed',
      reason: 'Preempting',
      message: 'Preempted in order to admit critical pod',
    });
    const disrupted = pod(cluster, 'middle').status?.conditions?.find(
      ({ type }) => type === 'DisruptionTarget',
    );
    expect(disrupted?.message).toBe('Pod was preempted by Kubelet to accommodate a critical pod.');
    for (const name of ['small', 'large', 'vip']) expect(pod(cluster, name).status?.phase).toBe('Running');
  });

  it('waits until they have gone', () => {
    const cluster = nodeWith({ large: '3500m' });
    add(cluster, 'vip', '2', CRITICAL);
    cluster.advance(seconds(2));
    expect(pod(cluster, 'vip').status?.phase).toBe('Pending');
    cluster.advance(seconds(30));
    expect(pod(cluster, 'vip').status?.phase).toBe('Running');
  });

  it('is rejected where all others together are not enough', () => {
    const cluster = nodeWith({ small: '500m' });
    add(cluster, 'vip', '5', CRITICAL);
    cluster.advance(seconds(30));
    expect(pod(cluster, 'vip').status).toMatchObject({
      phase: 'Failed',
      reason: 'UnexpectedAdmissionError',
      message:
        'Pod was rejected: Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: [(res: cpu, q: 1000), ]',
    });
    expect(pod(cluster, 'small').status?.phase).toBe('Running');
  });

  it('spares other critical ones', () => {
    const cluster = nodeWith({});
    add(cluster, 'first', '3', CRITICAL);
    cluster.advance(seconds(20));
    add(cluster, 'second', '3', CRITICAL);
    cluster.advance(seconds(30));
    expect(pod(cluster, 'first').status?.phase).toBe('Running');
    expect(pod(cluster, 'second').status?.reason).toBe('UnexpectedAdmissionError');
  });
});
