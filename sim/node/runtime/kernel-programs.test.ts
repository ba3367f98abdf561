import { expect, it } from 'vitest';
import { askAgent } from '../../cluster/agent-user.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { minutes } from '../../engine/time.ts';

it('what a pod sets of the kernel is told, and links are made by those alone who may', () => {
  const cluster = createCluster({
    nodes: 1,
    controllers: ['service-account', 'root-ca-cert-publisher'],
    allowsPrivileged: true,
  });
  cluster.settle();
  const rights = {
    plain: {},
    privileged: { privileged: true },
    able: { capabilities: { add: ['NET_ADMIN'] } },
  };
  const sleeps = { image: 'busybox', command: ['sleep', '9999'] };
  const containers = Object.entries(rights).map(([name, securityContext]) => ({
    name,
    ...sleeps,
    securityContext,
  }));
  const sysctls = [{ name: 'kernel.shm_rmid_forced', value: '1' }];
  cluster.client.pods.create({
    metadata: { name: 'web' },
    spec: {
      nodeName: 'worker-1',
      securityContext: { sysctls },
      containers,
      volumes: [{ name: 'hosts', hostPath: { path: '/etc/hosts', type: 'File' } }],
    },
  });
  const isRunning = (): boolean => cluster.client.pods.get('web').status?.phase === 'Running';
  cluster.eventually(isRunning, { within: minutes(1) });
  const run = (container: string, cmd: string): string => {
    const path = `/run/default/web/${container}`;
    return String(askAgent(cluster, 'worker-1', { method: 'POST', path, query: { cmd } })?.body);
  };
  expect(run('plain', 'sysctl kernel.shm_rmid_forced')).toBe('kernel.shm_rmid_forced = 1\n');
  expect(run('plain', 'sysctl -n kernel/shm_rmid_forced')).toBe('1\n');
  expect(run('plain', 'sysctl kernel.msgmax')).toContain('not modelled: sysctl kernel.msgmax');
  expect(run('plain', 'ip addr')).toContain('not modelled: ip addr');
  const add = 'ip link add dummy0 type dummy';
  expect(run('plain', add)).toContain('ip: RTNETLINK answers: Operation not permitted');
  expect([run('privileged', add), run('able', add)]).toEqual(['', '']);
});

it('a container sees the hosts of its node where it mounts them, as others see them that are in its network', () => {
  const cluster = createCluster({
    nodes: 1,
    controllers: ['service-account', 'root-ca-cert-publisher'],
    allowsPrivileged: true,
  });
  cluster.settle();
  cluster.client.pods.create({
    metadata: { name: 'web' },
    spec: {
      nodeName: 'worker-1',
      hostNetwork: true,
      containers: [
        {
          name: 'main',
          image: 'busybox',
          command: ['sleep', '9999'],
          volumeMounts: [{ name: 'hosts', mountPath: '/etc/hosts-original' }],
        },
      ],
      volumes: [{ name: 'hosts', hostPath: { path: '/etc/hosts', type: 'File' } }],
    },
  });
  const isRunning = (): boolean => cluster.client.pods.get('web').status?.phase === 'Running';
  cluster.eventually(isRunning, { within: minutes(1) });
  const path = '/run/default/web/main';
  const run = (cmd: string): string =>
    String(askAgent(cluster, 'worker-1', { method: 'POST', path, query: { cmd } })?.body);
  const original = run('cat /etc/hosts-original');
  expect(original).toContain('127.0.0.1\tlocalhost\n');
  expect(run('cat /etc/hosts')).toBe(`# Kubernetes-managed hosts file (host network).\n${original}`);
});
