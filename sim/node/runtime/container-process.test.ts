/** Containers whose own command asks others: they do what it says, and end with its exit code. */
import { describe, expect, it } from 'vitest';
import type { Container, Pod } from '../../api/types/core-v1.ts';
import { type Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { minutes, seconds } from '../../engine/time.ts';
import { outputOf } from './container-output.ts';
import { ContainerRuntime } from './container-runtime.ts';

function clusterWith(containers: Partial<Container>, isInit = false): Cluster {
  const cluster = createCluster({ nodes: 2 });
  cluster.advance(seconds(20));
  const main = { name: 'main', image: 'busybox' };
  cluster.client.pods.create({
    metadata: { name: 'asks', namespace: 'default' },
    spec: {
      restartPolicy: 'Never',
      ...(isInit && { initContainers: [{ ...main, name: 'first', ...containers }] }),
      containers: [isInit ? main : { ...main, ...containers }],
    },
  });
  return cluster;
}

function addWeb(cluster: Cluster): void {
  cluster.client.pods.create({
    metadata: { name: 'web', namespace: 'default', labels: { app: 'web' } },
    spec: { containers: [{ name: 'web', image: 'nginx' }] },
  });
  cluster.client.services.create({
    metadata: { name: 'web', namespace: 'default' },
    spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
  });
}

const podOf = (cluster: Cluster): Pod => cluster.client.pods.get({ namespace: 'default', name: 'asks' });

const endOf = (cluster: Cluster) => {
  const { phase, containerStatuses = [] } = podOf(cluster).status ?? {};
  return [phase, containerStatuses[0]?.state?.terminated?.exitCode];
};

describe('a container whose command asks a Service', () => {
  it('succeeds when that answers', () => {
    const cluster = clusterWith({
      command: ['sh', '-c', 'sleep 30; wget -qO- web | grep -q nginx && echo found'],
    });
    addWeb(cluster);
    cluster.advance(minutes(1));
    expect(endOf(cluster)).toEqual(['Succeeded', 0]);
  });

  it('fails with its exit code when nobody has that name, or nobody is there', () => {
    const none = clusterWith({ command: ['wget'], args: ['nobody:80'] });
    none.advance(minutes(1));
    expect(endOf(none)).toEqual(['Failed', 1]);
    const curl = clusterWith({ command: ['curl', '-s', 'http://nobody/'] });
    curl.advance(minutes(1));
    expect(endOf(curl)).toEqual(['Failed', 6]);
  });

  it('waits for it as long as it says, though its agent begins anew meanwhile', () => {
    const script = 'until nslookup web; do echo waiting; sleep 2; done; until nc -z web 80; do sleep 1; done';
    const cluster = clusterWith({ command: ['sh', '-c', script] }, true);
    cluster.advance(seconds(30));
    expect(podOf(cluster).status?.initContainerStatuses?.[0]?.state?.running).toBeDefined();
    const agent = `node/${podOf(cluster).spec?.nodeName ?? ''}`;
    cluster.faults.crash(agent);
    cluster.advance(seconds(5));
    cluster.faults.restart(agent);
    cluster.advance(seconds(20));
    expect(podOf(cluster).status?.phase).toBe('Pending');
    addWeb(cluster);
    cluster.advance(minutes(1));
    expect(podOf(cluster).status?.phase).toBe('Running');
    expect(podOf(cluster).status?.initContainerStatuses?.[0]?.state?.terminated?.exitCode).toBe(0);
  });

  it('is stopped as any other', () => {
    const cluster = clusterWith({ command: ['sh', '-c', 'while true; do wget -q web; sleep 5; done'] });
    cluster.advance(minutes(1));
    expect(podOf(cluster).status?.phase).toBe('Running');
    cluster.client.pods.delete({ namespace: 'default', name: 'asks' });
    cluster.advance(minutes(1));
    expect(cluster.client.pods.list({ namespace: 'default' }).items).toEqual([]);
  });

  it('runs on where a program is asked for that nobody knows', () => {
    const cluster = clusterWith({ command: ['sh', '-c', 'wget -q nobody; my-server --port 80'] });
    cluster.advance(minutes(1));
    expect(podOf(cluster).status?.phase).toBe('Running');
  });
});

it('the log of such a container has what it has written, as it comes', () => {
  const cluster = clusterWith({ command: ['sh', '-c', 'echo before; nslookup nobody; echo "after $?"'] });
  cluster.advance(minutes(1));
  const agent = cluster.agents.find(({ name }) => name === podOf(cluster).spec?.nodeName);
  const runtime = agent?.machine.runtime ?? new ContainerRuntime();
  const [container] = runtime.all().filter(({ podName }) => podName === 'asks');
  const untilMs = container ? runtime.endsAtMs(container.id) : 0;
  const lines = container ? outputOf(container, { untilMs }).map(({ text }) => text) : [];
  expect(lines.filter((text) => text !== '')).toEqual([
    'before',
    'Server:\t\t10.96.0.10',
    'Address:\t10.96.0.10:53',
    "** server can't find nobody: NXDOMAIN",
    'after 1',
  ]);
});
