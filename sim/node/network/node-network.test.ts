import { describe, expect, it } from 'vitest';
import type { Service } from '../../api/types/core-v1.ts';
import type { EndpointSlice } from '../../api/types/discovery-k8s-io-v1.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { minutes, seconds } from '../../engine/time.ts';
import { ServiceRoutes } from './service-routes.ts';

const LISTENS = JSON.stringify({ listens: [{ port: 8080 }] });

const service = (spec: Service['spec']): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'team' },
  ...(spec && { spec }),
});
const slice = (...endpoints: NonNullable<EndpointSlice['endpoints']>): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { namespace: 'team', labels: { 'kubernetes.io/service-name': 'web' } },
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 8080 }],
  endpoints,
});
const endpoint = (ip: string, conditions: object = {}) => ({ addresses: [ip], nodeName: 'n', conditions });
const PORTS = [{ name: 'http', port: 80 }];

describe('a Service', () => {
  const routes = new ServiceRoutes(
    [service({ clusterIP: '10.96.0.7', ports: PORTS })],
    [slice(endpoint('10.0.0.1', { ready: true }), endpoint('10.0.0.2', { ready: false }))],
  );

  it.each([
    ['10.96.0.7', 'x'],
    ['web', 'team'],
    ['web.team', 'x'],
    ['web.team.svc', 'x'],
    ['web.team.svc.cluster.local', 'x'],
  ])('is found as %s from %s, and leads to what is ready', (host, namespace) => {
    const backends = [{ node: 'n', ip: '10.0.0.1', port: 8080 }];
    expect(routes.to({ host, port: 80, protocol: 'TCP' }, namespace)).toEqual({ kind: 'backends', backends });
  });

  it('is unknown by its name alone in another namespace, and refuses other ports', () => {
    expect(routes.to({ host: 'web', port: 80, protocol: 'TCP' }, 'x')).toEqual({ kind: 'unknown' });
    expect(routes.to({ host: '10.96.0.7', port: 81, protocol: 'TCP' }, 'x')).toEqual({
      kind: 'backends',
      backends: [],
    });
  });

  it('leads to what ends and still serves, if nothing is ready', () => {
    const ending = endpoint('10.0.0.3', { ready: false, serving: true, terminating: true });
    const only = new ServiceRoutes([service({ clusterIP: '10.96.0.7', ports: PORTS })], [slice(ending)]);
    expect(only.to({ host: 'web', port: 80, protocol: 'TCP' }, 'team')).toMatchObject({
      backends: [{ ip: '10.0.0.3' }],
    });
  });

  it('without an address of its own is its endpoints, on any port', () => {
    const headless = new ServiceRoutes([service({ clusterIP: 'None' })], [slice(endpoint('10.0.0.1'))]);
    expect(headless.to({ host: 'web', port: 9, protocol: 'TCP' }, 'team')).toMatchObject({
      backends: [{ ip: '10.0.0.1', port: 9 }],
    });
  });
});

function world(): Cluster {
  const cluster = createCluster({ nodes: 2, authorizationMode: 'RBAC' });
  cluster.settle();
  const containers = [{ name: 'main', image: 'app:1' }];
  cluster.client.services.create({
    metadata: { name: 'web' },
    spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
  });
  for (const name of ['a', 'b'])
    cluster.client.pods.create({
      metadata: { name, labels: { app: 'web' }, annotations: { 'behaviour.kubesim.dev/main': LISTENS } },
      spec: {
        nodeName: name === 'a' ? 'worker-1' : 'worker-2',
        containers,
        terminationGracePeriodSeconds: 1,
      },
    });
  cluster.client.pods.create({ metadata: { name: 'client' }, spec: { nodeName: 'worker-1', containers } });
  cluster.advance(seconds(20));
  return cluster;
}

const exec = (cluster: Cluster, ...command: readonly string[]): string =>
  String(
    cluster.finish(
      cluster.userClient.raw('POST', '/api/v1/nodes/worker-1/proxy/run/default/client/main', {
        query: { cmd: command.join(' ') },
        timeout: minutes(5),
      }),
    ).body,
  );

describe('a container', () => {
  it('reaches a Service by its name, one of its pods at a time', () => {
    const cluster = world();
    const said = Array.from({ length: 12 }, () => exec(cluster, 'curl', '-s', 'http://web'));
    expect(new Set(said)).toEqual(new Set(['a', 'b']));
    const { podIP = '' } = cluster.client.pods.get('b').status ?? {};
    expect(exec(cluster, 'wget', '-qO-', `${podIP}:8080`)).toBe('b');
    expect(exec(cluster, 'curl', `${podIP}:9`)).toContain(`curl: (7) Failed to connect to ${podIP} port 9`);
    expect(exec(cluster, 'curl', 'http://nobody')).toContain('curl: (6) Could not resolve host: nobody');
  });

  it('reaches a pod that has gone until the proxy of its node knows, and none that is cut off', () => {
    const cluster = world();
    exec(cluster, 'curl', '-s', 'web');
    cluster.client.pods.delete('b', { gracePeriodSeconds: 0 });
    cluster.advance(seconds(5));
    const said = Array.from({ length: 8 }, () => exec(cluster, 'curl', '-s', 'web'));
    expect(new Set(said)).toEqual(new Set(['a']));
    cluster.client.pods.delete('a', { gracePeriodSeconds: 0 });
    cluster.advance(seconds(5));
    expect(exec(cluster, 'curl', 'web')).toContain('curl: (7)');
  });

  it('waits in vain for a node that is cut off', () => {
    const cluster = world();
    const { podIP = '' } = cluster.client.pods.get('b').status ?? {};
    cluster.faults.partition('worker-1', { from: 'worker-2' });
    expect(exec(cluster, 'curl', '-m', '3', `${podIP}:8080`)).toContain(
      'curl: (28) Connection timed out after 3000 milliseconds',
    );
    cluster.faults.heal('worker-1', { from: 'worker-2' });
    expect(exec(cluster, 'curl', '-s', '-m', '3', `${podIP}:8080`)).toBe('b');
  });
});

describe('servers of the test image, over the network of nodes', () => {
  const say = (cluster: Cluster, pod: string, ...command: string[]): string => {
    const node = cluster.client.pods.get(pod).spec?.nodeName ?? '';
    const path = `/api/v1/nodes/${node}/proxy/run/default/${pod}/c`;
    const query = { cmd: command.join(' ') };
    return String(cluster.finish(cluster.userClient.raw('POST', path, { query, timeout: minutes(5) })).body);
  };

  function manyServers(): Cluster {
    const cluster = createCluster({ nodes: 2 });
    const server = (name: string, spec: object = {}): void =>
      void cluster.client.pods.create({
        metadata: { name, namespace: 'default', labels: { app: 'net' } },
        spec: { containers: [{ name: 'c', image: 'agnhost', args: ['netexec'], ...spec }] },
      });
    for (const name of ['net-0', 'net-1', 'net-2']) server(name);
    cluster.client.pods.create({
      metadata: { name: 'lent', namespace: 'default' },
      spec: {
        containers: [
          {
            name: 'c',
            image: 'agnhost',
            args: ['netexec'],
            ports: [{ containerPort: 8080, hostPort: 5000 }],
          },
        ],
      },
    });
    for (const [name, spec] of Object.entries({ any: {}, same: { sessionAffinity: 'ClientIP' as const } }))
      cluster.client.services.create({
        metadata: { name, namespace: 'default' },
        spec: {
          ...spec,
          type: 'NodePort',
          selector: { app: 'net' },
          ports: [{ port: 80, targetPort: 8080 }],
        },
      });
    cluster.client.pods.create({
      metadata: { name: 'asks', namespace: 'default' },
      spec: { containers: [{ name: 'c', image: 'busybox', command: ['sleep', 'infinity'] }] },
    });
    cluster.advance(minutes(1));
    return cluster;
  }

  it('answer on ports of nodes and lent ones, by UDP, and the same one again where a Service keeps to it', () => {
    const cluster = manyServers();
    const hosts = (service: string): ReadonlySet<string> =>
      new Set(Array.from({ length: 20 }, () => say(cluster, 'asks', 'curl', '-s', `${service}/hostname`)));
    expect(hosts('any').size).toBe(3);
    expect(hosts('same').size).toBe(1);
    const { nodePort = 0 } = cluster.client.services.get('any').spec?.ports?.[0] ?? {};
    const pod = cluster.client.pods.get('lent');
    const node = pod.status?.hostIP ?? '';
    expect(say(cluster, 'asks', 'curl', '-s', `${node}:${nodePort}/hostname`)).toMatch(/^net-\d$/);
    expect(say(cluster, 'asks', 'curl', '-s', `${node}:5000/hostname`)).toBe('lent');
    expect(say(cluster, 'asks', 'curl', '-s', `${node}:5001/`)).toContain('exited with 7');
    const { podIP = '' } = cluster.client.pods.get('net-0').status ?? {};
    const dial = (protocol: string, port: number): string =>
      say(
        cluster,
        'net-1',
        'curl',
        '-s',
        `127.0.0.1:8080/dial?host=${podIP}&port=${port}&protocol=${protocol}&request=hostname`,
      );
    expect(say(cluster, 'asks', 'curl', '-s', `${podIP}:8080/echo?msg=a%20b`)).toBe('a b');
    expect([dial('udp', 8081), dial('http', 8080)]).toEqual([
      '{"responses":["net-0"]}',
      '{"responses":["net-0"]}',
    ]);
    expect(dial('udp', 8080)).toContain('errors');
    expect(say(cluster, 'net-1', 'curl', '-s', '127.0.0.1:8080/hostname')).toBe('net-1');
    expect(say(cluster, 'asks', 'dig', '+short', '+search', 'any', 'A')).toBe(
      `${cluster.client.services.get('any').spec?.clusterIP ?? ''}\n`,
    );
    expect(say(cluster, 'asks', 'getent', 'hosts', 'asks')).toMatch(/^10\.\S+ {2}asks\n$/);
  });

  it('go on as they are where their agent begins anew, and hear nothing of who only comes', () => {
    const cluster = manyServers();
    const { status: { podIP = '' } = {}, spec } = cluster.client.pods.get('net-0');
    say(cluster, 'asks', 'curl', '-s', `${podIP}:8080/echo?msg=before`);
    say(cluster, 'asks', 'nc', '-z', podIP, '8080');
    const agent = `node/${spec?.nodeName ?? ''}`;
    cluster.faults.crash(agent);
    cluster.advance(seconds(5));
    cluster.faults.restart(agent);
    cluster.advance(seconds(30));
    say(cluster, 'asks', 'curl', '-s', `${podIP}:8080/echo?msg=after`);
    const log = cluster.finish(
      cluster.userClient.raw('GET', '/api/v1/namespaces/default/pods/net-0/log', { timeout: minutes(1) }),
    ).body;
    expect(String(log).match(/Started HTTP|GET \S+/g)).toEqual([
      'Started HTTP',
      'GET /echo?msg=before',
      'GET /echo?msg=after',
    ]);
    expect(cluster.client.pods.get('net-0').status?.containerStatuses?.[0]?.restartCount).toBe(0);
  });

  it('are asked again by a Service as long as they are there and somebody asks in time', () => {
    const cluster = manyServers();
    const sessionAffinityConfig = { clientIP: { timeoutSeconds: 60 } };
    cluster.client.services.patch('same', { type: 'merge', body: { spec: { sessionAffinityConfig } } });
    cluster.advance(seconds(5));
    const ask = (): string => say(cluster, 'asks', 'curl', '-s', 'same/hostname');
    const first = ask();
    const kept = Array.from({ length: 10 }, () => (cluster.advance(seconds(30)), ask()));
    expect(new Set(kept)).toEqual(new Set([first]));
    const later = Array.from({ length: 20 }, () => (cluster.advance(minutes(2)), ask()));
    expect(new Set(later).size).toBe(3);
    const last = ask();
    cluster.client.pods.delete(last, { gracePeriodSeconds: 0 });
    cluster.advance(seconds(5));
    const other = ask();
    expect(other).not.toBe(last);
    expect(ask()).toBe(other);
  });

  it('note what hooks ask them', () => {
    const cluster = manyServers();
    const { podIP: host = '' } = cluster.client.pods.get('net-0').status ?? {};
    const asks = (msg: string) => ({ httpGet: { host, port: 8_080, path: `/echo?msg=${msg}` } });
    const exec = { command: ['sh', '-c', `curl http://${host}:8080/echo?msg=post`] };
    cluster.client.pods.create({
      metadata: { name: 'hooked', namespace: 'default' },
      spec: {
        terminationGracePeriodSeconds: 5,
        containers: [
          { name: 'c', image: 'agnhost', lifecycle: { postStart: { exec }, preStop: asks('pre') } },
        ],
      },
    });
    cluster.advance(seconds(30));
    cluster.client.pods.delete('hooked');
    cluster.advance(seconds(30));
    const log = cluster.finish(
      cluster.userClient.raw('GET', '/api/v1/namespaces/default/pods/net-0/log', { timeout: minutes(1) }),
    ).body;
    expect(String(log)).toMatch(/GET \/echo\?msg=post\n.*GET \/echo\?msg=pre\n$/);
  });

  it('are reached through the API by every method, and their pages lead through it again', () => {
    const cluster = createCluster({ nodes: 1 });
    const porter = (name: string, ...flags: string[]): void =>
      void cluster.client.pods.create({
        metadata: { name, namespace: 'default' },
        spec: {
          containers: [
            {
              name: 'c',
              image: 'agnhost',
              args: ['porter', ...flags],
              env: [{ name: 'SERVE_PORT_80', value: '<a href="/x">x</a>' }],
            },
          ],
        },
      });
    porter('proxy');
    porter('said', '--json-response');
    cluster.advance(seconds(30));
    const ask = (method: string, path: string) =>
      cluster.finish(cluster.userClient.raw(method as 'GET', `/api/v1/namespaces/default/pods/${path}`));
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])
      expect(ask(method, 'said/proxy/a/b')).toMatchObject({
        status: 200,
        body: JSON.stringify({ Method: method, Body: '<a href="/x">x</a>' }),
      });
    expect(ask('GET', 'proxy/proxy/a/b').body).toBe(
      '<a href="/api/v1/namespaces/default/pods/proxy/proxy/x">x</a>',
    );
  });

  it('end when they are told to, and are started again', () => {
    const cluster = manyServers();
    const { podIP = '' } = cluster.client.pods.get('net-0').status ?? {};
    say(cluster, 'asks', 'curl', '-s', `${podIP}:8080/exit?code=3`);
    cluster.advance(seconds(30));
    const [status] = cluster.client.pods.get('net-0').status?.containerStatuses ?? [];
    expect(status).toMatchObject({ restartCount: 1, lastState: { terminated: { exitCode: 3 } } });
    expect(say(cluster, 'asks', 'curl', '-s', `${podIP}:8080/hostname`)).toBe('net-0');
  });
});
