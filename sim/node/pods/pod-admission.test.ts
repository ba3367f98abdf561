import { describe, expect, it } from 'vitest';
import type { Container, Node, Pod, PodSpec } from '../../api/types/core-v1.ts';
import { formatQuantity } from '../../api/quantity.ts';
import { rejectionOf, requestsOf } from './pod-admission.ts';

const NODE: Node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'worker-1', labels: { 'kubernetes.io/os': 'linux', disk: 'ssd' } },
  spec: {
    taints: [
      { key: 'soft', effect: 'NoSchedule' },
      { key: 'hard', value: 'x', effect: 'NoExecute' },
    ],
  },
  status: { allocatable: { cpu: '2', memory: '1Gi', pods: '2' } },
};
const TOLERATIONS = [{ key: 'hard', operator: 'Exists' }] as const;

function pod(spec: Partial<PodSpec>, container: Partial<Container> = {}): Pod {
  const containers = [{ name: 'main', ...container }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web' },
    spec: { tolerations: TOLERATIONS, containers, ...spec },
  };
}
const requesting = (requests: Readonly<Record<string, string>>) => ({ resources: { requests } });

const labelled = (labels: Readonly<Record<string, string>>): Pod => {
  const { metadata, ...rest } = pod({});
  return { ...rest, metadata: { ...metadata, labels } };
};

describe('a node refuses a pod', () => {
  const taken = pod({}, { ...requesting({ cpu: '1500m' }), ports: [{ containerPort: 80, hostPort: 80 }] });
  it.each([
    [
      pod({}, requesting({ cpu: '600m' })),
      'OutOfcpu',
      "Node didn't have enough resource: cpu, requested: 600, used: 1500, capacity: 2000",
    ],
    [
      pod({ nodeSelector: { disk: 'hdd' } }),
      'NodeAffinity',
      "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    ],
    [
      pod({}, { ports: [{ containerPort: 8080, hostPort: 80 }] }),
      'NodePorts',
      "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
    ],
    [
      pod({}, { ports: [{ containerPort: 8080, hostPort: 80, hostIP: '10.0.0.1' }] }),
      'NodePorts',
      "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
    ],
    [
      pod({ nodeSelector: { 'kubernetes.io/os': 'windows' } }),
      'NodeAffinity',
      "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    ],
    [
      pod({}, requesting({ 'ephemeral-storage': '1Gi', memory: '2Gi', cpu: '1' })),
      'OutOfcpu',
      "Node didn't have enough resource: cpu, requested: 1000, used: 1500, capacity: 2000",
    ],
    [
      pod({}, requesting({ 'ephemeral-storage': '1Gi', memory: '2Gi' })),
      'OutOfmemory',
      "Node didn't have enough resource: memory, requested: 2147483648, used: 0, capacity: 1073741824",
    ],
    [
      pod({ securityContext: { sysctls: [{ name: 'kernel/msgmax', value: '1' }] } }),
      'SysctlForbidden',
      'forbidden sysctl: "kernel.msgmax" not allowlisted',
    ],
    [
      pod({
        hostNetwork: true,
        securityContext: { sysctls: [{ name: 'net.ipv4.tcp_syncookies', value: '1' }] },
      }),
      'SysctlForbidden',
      'forbidden sysctl: "net.ipv4.tcp_syncookies" not allowed with host net enabled',
    ],
    [
      pod({ tolerations: [] }),
      'TaintToleration',
      "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
    ],
    [
      labelled({ 'kubernetes.io/os': 'windows' }),
      'PodOSSelectorNodeLabelDoesNotMatch',
      "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
    ],
    [
      pod({ os: { name: 'windows' } }),
      'PodOSNotSupported',
      "Failed to admit pod as the OS field doesn't match node OS",
    ],
  ])('that does not fit (%#)', (refused, reason, message) => {
    expect(rejectionOf(refused, NODE, { others: [taken] })).toEqual({ reason, message });
  });

  it('when it has as many as it takes', () => {
    expect(rejectionOf(pod({}), NODE, { others: [pod({}), pod({})] })).toMatchObject({ reason: 'OutOfpods' });
    expect(rejectionOf(pod({}), NODE, { others: [pod({})] })).toBeUndefined();
  });

  it('not for what belongs to the cluster, nor for taints where it is one of its own', () => {
    expect(
      rejectionOf(pod({}, requesting({ 'example.com/gpu': '1' })), NODE, { others: [] }),
    ).toBeUndefined();
    expect(rejectionOf(pod({ tolerations: [] }), NODE, { others: [], isStatic: true })).toBeUndefined();
    const sysctls = [{ name: 'kernel.shm_rmid_forced', value: '1' }];
    expect(rejectionOf(pod({ securityContext: { sysctls } }), NODE, { others: [] })).toBeUndefined();
  });
});

describe('what a pod needs', () => {
  const needs = (spec: Partial<PodSpec>): string => {
    const quantity = requestsOf(pod(spec, requesting({ cpu: '1' }))).get('cpu');
    return quantity ? formatQuantity(quantity) : '';
  };
  const init = (cpu: string, more: Partial<Container> = {}): Container => ({
    name: `i${cpu}`,
    ...requesting({ cpu }),
    ...more,
  });
  const sidecar = (cpu: string): Container => init(cpu, { restartPolicy: 'Always' });
  it.each([
    [{}, '1'],
    [{ initContainers: [init('500m'), init('3')] }, '3'],
    [{ initContainers: [sidecar('500m')] }, '1500m'],
    [{ initContainers: [sidecar('500m'), init('1200m'), sidecar('300m')] }, '1800m'],
    [{ initContainers: [sidecar('500m'), init('1700m'), sidecar('300m')] }, '2200m'],
    [{ initContainers: [init('3')], overhead: { cpu: '250m' } }, '3250m'],
  ])('%j: %s', (spec, expected) => {
    expect(needs(spec)).toBe(expected);
  });
});
