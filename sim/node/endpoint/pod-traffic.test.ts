import { describe, expect, it } from 'vitest';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { minutes, seconds } from '../../engine/time.ts';
import type { PortListener } from '../runtime/workload-behaviour.ts';

const LISTENS: readonly PortListener[] = [
  { port: 8080, paths: { '/teapot': { status: 418, body: 'short and stout' }, '/hello': 'world' } },
];

function addPod(cluster: Cluster, name: string, behaviour: object = { listens: LISTENS }): void {
  cluster.client.pods.create({
    metadata: {
      name,
      labels: { app: 'web' },
      annotations: { 'behaviour.kubesim.dev/main': JSON.stringify(behaviour) },
    },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: 'main',
          image: 'app:1',
          ports: [{ name: 'http', containerPort: 8080 }],
          readinessProbe: { httpGet: { port: 'http' }, periodSeconds: 1 },
        },
      ],
    },
  });
}

function world(): Cluster {
  const cluster = createCluster({ nodes: 2 });
  cluster.settle();
  return cluster;
}

const ready = (cluster: Cluster, name: string): void =>
  void cluster.eventually(
    () =>
      cluster.client.pods
        .get(name)
        .status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True'),
    { within: minutes(1) },
  );

const ask = (cluster: Cluster, path: string) => {
  const { status, body } = cluster.finish(
    cluster.userClient.raw('GET', `/api/v1/namespaces/default/${path}`, { timeout: minutes(1) }),
  );
  const said = body as { readonly message?: string };
  return { status, text: typeof body === 'string' ? body : (said.message ?? JSON.stringify(body)) };
};

describe('a pod that listens', () => {
  it('answers through the API server, by its paths or with its name', () => {
    const cluster = world();
    addPod(cluster, 'a');
    ready(cluster, 'a');
    expect(ask(cluster, 'pods/a/proxy/')).toEqual({ status: 200, text: 'a' });
    expect(ask(cluster, 'pods/a:8080/proxy/hello')).toEqual({ status: 200, text: 'world' });
    expect(ask(cluster, 'pods/http:a:8080/proxy/teapot')).toEqual({ status: 418, text: 'short and stout' });
    const { podIP } = cluster.client.pods.get('a').status ?? {};
    expect(ask(cluster, 'pods/a:9090/proxy/')).toEqual({
      status: 503,
      text: `error trying to reach service: dial tcp ${podIP}:9090: connect: connection refused`,
    });
  });

  it('is dialed by number alone', () => {
    const cluster = world();
    addPod(cluster, 'a');
    ready(cluster, 'a');
    const told = (id: string) => ask(cluster, `pods/${id}/proxy/`);
    expect(told('a:08080')).toEqual({ status: 200, text: 'a' });
    expect(told('http:a:')).toEqual({ status: 200, text: 'a' });
    for (const port of ['65536', '99999999999999999999'])
      expect(told(`a:${port}`)).toEqual({
        status: 503,
        text: `error trying to reach service: dial tcp: address ${port}: invalid port`,
      });
    for (const port of ['http', '-1', '0x51', '1.5'])
      expect(told(`http:a:${port}`)).toEqual({
        status: 500,
        text: `Internal error occurred: a port to dial is a number, not "${port}"`,
      });
  });

  it('refuses before it listens, and when its container is down', () => {
    const cluster = world();
    addPod(cluster, 'a', { listens: [{ port: 8080, afterSeconds: 30 }] });
    ready(cluster, 'a');
    expect(ask(cluster, 'pods/a/proxy/').status).toBe(503);
    cluster.advance(seconds(30));
    expect(ask(cluster, 'pods/a/proxy/').status).toBe(200);
  });

  it('is out of reach while its node is cut off, and answers afterwards', () => {
    const cluster = world();
    addPod(cluster, 'a');
    ready(cluster, 'a');
    const node = cluster.client.pods.get('a').spec?.nodeName ?? '';
    cluster.faults.partition(node);
    expect(ask(cluster, 'pods/a/proxy/').text).toContain('i/o timeout');
    cluster.faults.heal(node);
    expect(ask(cluster, 'pods/a/proxy/').status).toBe(200);
  });
});

describe('a service', () => {
  const service = (cluster: Cluster): void => {
    cluster.client.services.create({
      metadata: { name: 's' },
      spec: { selector: { app: 'web' }, ports: [{ name: 'web', port: 80, targetPort: 'http' }] },
    });
    cluster.advance(seconds(1));
  };

  it('is answered by one of its ready pods', () => {
    const cluster = world();
    service(cluster);
    expect(ask(cluster, 'services/s:web/proxy/')).toEqual({
      status: 503,
      text: 'no endpoints available for service "s"',
    });
    for (const name of ['a', 'b']) addPod(cluster, name);
    for (const name of ['a', 'b']) ready(cluster, name);
    cluster.advance(seconds(2));
    const answers = Array.from({ length: 20 }, () => ask(cluster, 'services/s:80/proxy/').text);
    expect(new Set(answers)).toEqual(new Set(['a', 'b']));
    cluster.client.pods.delete('a');
    cluster.advance(seconds(10));
    expect(new Set(Array.from({ length: 10 }, () => ask(cluster, 'services/s:web/proxy/').text))).toEqual(
      new Set(['b']),
    );
  });

  it('leaves out pods that are not ready', () => {
    const cluster = world();
    service(cluster);
    addPod(cluster, 'late', { listens: LISTENS, readyAfterSeconds: 60 });
    addPod(cluster, 'early');
    ready(cluster, 'early');
    cluster.advance(seconds(2));
    expect(new Set(Array.from({ length: 10 }, () => ask(cluster, 'services/s:web/proxy/').text))).toEqual(
      new Set(['early']),
    );
    ready(cluster, 'late');
    cluster.advance(seconds(2));
    expect(new Set(Array.from({ length: 20 }, () => ask(cluster, 'services/s:web/proxy/').text))).toEqual(
      new Set(['early', 'late']),
    );
  });
});
