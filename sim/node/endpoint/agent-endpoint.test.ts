import { describe, expect, it } from 'vitest';
import type { Container } from '../../api/types/core-v1.ts';
import { type AgentRequest, askAgent } from '../../cluster/agent-user.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { minutes, seconds } from '../../engine/time.ts';
import type { AgentAnswer } from './agent-port.ts';
import type { WorkloadBehaviour } from '../runtime/workload-behaviour.ts';

const MIB = 1024 ** 2;

function withPod(
  behaviour: WorkloadBehaviour = {},
  restartPolicy: 'Always' | 'Never' = 'Never',
  probes: Partial<Container> = {},
): Cluster {
  const world = createCluster({ nodes: 1, controllers: ['service-account'] });
  world.settle();
  world.client.pods.create({
    metadata: { name: 'web', annotations: { 'behaviour.kubesim.dev/main': JSON.stringify(behaviour) } },
    spec: {
      nodeName: 'worker-1',
      restartPolicy,
      containers: [{ name: 'main', image: 'app:1', env: [{ name: 'COLOUR', value: 'red' }], ...probes }],
    },
  });
  world.eventually(() => world.client.pods.get('web').status?.phase === 'Running', { within: minutes(1) });
  return world;
}

const ask = (world: Cluster, request: Partial<AgentRequest>): AgentAnswer | undefined =>
  askAgent(world, 'worker-1', { method: 'GET', path: '/', ...request });
const get = (world: Cluster, path: string, query: AgentRequest['query'] = {}): AgentAnswer | undefined =>
  ask(world, { path, query });
const logs = (world: Cluster, query: AgentRequest['query'] = {}): unknown =>
  get(world, '/containerLogs/default/web/main', query)?.body;

describe('an agent tells', () => {
  it('that it is healthy, in one word or check by check', () => {
    const world = withPod();
    for (const path of ['/healthz', '/healthz/ping', '/healthz/log', '/healthz/syncloop'])
      expect(get(world, path)).toEqual({ status: 200, body: 'ok' });
    expect(get(world, '/healthz', { verbose: '' })?.body).toBe(
      '[+]ping ok\n[+]log ok\n[+]syncloop ok\nhealthz check passed\n',
    );
  });

  it('that it does not look after its pods when its runtime hangs for long', () => {
    const world = withPod();
    world.machine('worker-1').stopRuntime();
    world.advance(minutes(4));
    expect(get(world, '/healthz')?.status).toBe(200);
    world.advance(minutes(2));
    expect(get(world, '/healthz')).toEqual({
      status: 500,
      body: '[+]ping ok\n[+]log ok\n[-]syncloop failed: reason withheld\nhealthz check failed\n',
    });
    expect(get(world, '/healthz/syncloop')?.body).toContain('sync Loop took longer than expected');
    expect(get(world, '/metrics/slis')?.body).toContain(
      'kubernetes_healthcheck{name="syncloop",type="healthz"} 0\n',
    );
    world.machine('worker-1').startRuntime();
    expect(get(world, '/healthz')?.status).toBe(200);
  });

  it('its pods as the API has them, and those that run as the runtime has them', () => {
    const world = withPod({ runsForSeconds: 30 });
    expect(get(world, '/pods')?.body).toMatchObject({
      kind: 'PodList',
      items: [{ metadata: { name: 'web' }, status: { phase: 'Running' } }],
    });
    expect(get(world, '/runningpods/')?.body).toMatchObject({
      items: [
        { metadata: { name: 'web', namespace: 'default' }, spec: { containers: [{ image: 'app:1' }] } },
      ],
    });
    world.advance(minutes(1));
    expect(get(world, '/runningpods/')?.body).toMatchObject({ items: [] });
    expect(get(world, '/pods')?.body).toMatchObject({ items: [{ metadata: { name: 'web' } }] });
  });

  it('what its containers use, as their behaviour says, beside what it uses itself', () => {
    const world = withPod({ memoryBytes: 256 * MIB, cpuMillicores: 500 });
    world.advance(seconds(100));
    const answer = get(world, '/stats/summary');
    if (!answer) throw new Error('no answer');
    const { node, pods } = answer.body as {
      node: { memory: Record<string, number>; cpu: Record<string, number>; rlimit: object };
      pods: readonly { cpu: Record<string, number> }[];
    };
    expect(pods).toMatchObject([
      {
        podRef: { name: 'web', namespace: 'default' },
        containers: [{ name: 'main', memory: { workingSetBytes: 256 * MIB }, cpu: { usageNanoCores: 5e8 } }],
        memory: { usageBytes: 256 * MIB },
      },
    ]);
    expect(pods[0]?.cpu['usageCoreNanoSeconds']).toBeGreaterThan(49e9);
    expect(pods[0]?.cpu['usageCoreNanoSeconds']).toBeLessThan(60e9);
    expect(node.memory['workingSetBytes']).toBe(256 * MIB);
    expect(node.memory['availableBytes']).toBe(16_384 * MIB - 256 * MIB);
    expect(node.cpu['usageNanoCores']).toBe(5e8 + 3e7);
    expect(node.rlimit).toMatchObject({ curproc: 1 });
  });

  it('its numbers under the names that monitoring knows', () => {
    const world = withPod({ memoryBytes: 256 * MIB });
    const metrics = get(world, '/metrics');
    expect(metrics).toMatchObject({ status: 200, contentType: 'text/plain; version=0.0.4; charset=utf-8' });
    expect(metrics?.body).toContain('kubelet_running_pods 1\n');
    expect(metrics?.body).toContain('kubelet_running_containers{container_state="running"} 1\n');
    expect(metrics?.body).toContain('kubelet_node_name{node="worker-1"} 1\n');
    expect(metrics?.body).toContain(
      'kubelet_http_requests_total{long_running="false",method="GET",path="metrics",server_type="readwrite"} 1\n',
    );
    expect(get(world, '/metrics/resource')?.body).toMatch(
      /^container_memory_working_set_bytes\{container="main",namespace="default",pod="web"\} 2.68435456e\+08 17356\d{8}$/m,
    );
    expect(get(world, '/metrics/resource')?.body).toMatch(/^resource_scrape_error 0$/m);
    expect(get(world, '/metrics/cadvisor')?.body).toMatch(
      /^container_memory_working_set_bytes\{container="main",id="\/kubepods\/pod.*",image="app:1",name="[0-9a-f]{64}",namespace="default",pod="web"\}/m,
    );
    expect(get(world, '/metrics/cadvisor')?.body).toMatch(/^machine_cpu_cores 4$/m);
    expect(get(world, '/metrics/probes')?.body).toContain('process_start_time_seconds 1.7356');
  });

  it('how its probes went', () => {
    const probe = { tcpSocket: { port: 80 }, periodSeconds: 5, failureThreshold: 100 };
    const failsProbes = [{ probe: 'readiness', fromSeconds: 12 }] as const;
    const world = withPod({ failsProbes }, 'Never', { livenessProbe: probe, readinessProbe: probe });
    world.advance(seconds(22));
    const count = (type: string, result: string): number => {
      const line = new RegExp(
        `^prober_probe_total\\{container="main",namespace="default",pod="web",pod_uid=".*",probe_type="${type}",result="${result}"\\} (\\d+)$`,
        'm',
      ).exec(String(get(world, '/metrics/probes')?.body));
      return Number(line?.[1] ?? 0);
    };
    expect(count('Readiness', 'successful')).toBe(3);
    expect(count('Readiness', 'failed')).toBe(2);
    expect(count('Liveness', 'successful')).toBe(5);
    expect(count('Liveness', 'failed')).toBe(0);
  });

  it('its configuration', () => {
    expect(get(withPod(), '/configz')?.body).toMatchObject({
      kubeletconfig: {
        authentication: { anonymous: { enabled: false }, webhook: { cacheTTL: '2m0s' } },
        authorization: {
          mode: 'Webhook',
          webhook: { cacheAuthorizedTTL: '5m0s', cacheUnauthorizedTTL: '30s' },
        },
        featureGates: { ContainerCheckpoint: true },
      },
    });
  });

  it('what is not modelled, and what is not there', () => {
    const world = withPod();
    for (const path of ['/logs/', '/logs/messages', '/portForward/default/web', '/debug/pprof/heap'])
      expect(get(world, path)).toMatchObject({ status: 501, body: expect.stringContaining('not modelled') });
    expect(get(world, '/pods/web')).toEqual({ status: 404, body: '404: Page Not Found' });
    expect(get(world, '/stats')).toEqual({ status: 404, body: '404: Page Not Found' });
    expect(get(world, '/spec')).toEqual({ status: 404, body: '404 page not found\n' });
    expect(ask(world, { method: 'POST', path: '/pods' })).toMatchObject({ status: 405, allow: 'GET' });
  });
});

describe('the log of a container', () => {
  const clock = {
    logs: [
      'up',
      { text: 'tick', afterSeconds: 10, everySeconds: 10 },
      { text: 'oh', afterSeconds: 25, stream: 'stderr' },
    ],
  } as const;

  it('is what its behaviour has written so far, in order', () => {
    const world = withPod(clock);
    expect(logs(world)).toBe('up\n');
    world.advance(seconds(31));
    expect(logs(world)).toBe('up\ntick\ntick\noh\ntick\n');
  });

  it('is cut to its tail, to what is young enough, to so many bytes', () => {
    const world = withPod(clock);
    world.advance(seconds(31));
    expect(logs(world, { tailLines: '2' })).toBe('oh\ntick\n');
    expect(logs(world, { tail: '1' })).toBe('tick\n');
    expect(logs(world, { tail: 'all' })).toBe('up\ntick\ntick\noh\ntick\n');
    expect(logs(world, { tailLines: '0' })).toBe('');
    expect(logs(world, { sinceSeconds: '8' })).toBe('oh\ntick\n');
    expect(logs(world, { limitBytes: '5' })).toBe('up\nti');
    expect(logs(world, { sinceTime: '2030-01-01T00:00:00Z' })).toBe('');
    expect(logs(world, { tailLines: '1', timestamps: 'true' })).toMatch(
      /^2025-01-01T00:00:\d\d\.\d{9}Z tick\n$/,
    );
  });

  it('that is followed goes on until the container ends', () => {
    const world = withPod({ ...clock, runsForSeconds: 40 });
    world.advance(seconds(15));
    expect(logs(world, { follow: 'true', tailLines: '1' })).toBe('tick\ntick\noh\ntick\ntick\n');
    expect(logs(world, { follow: 'true', limitBytes: '4' })).toBe('up\nt');
  });

  it('before the last restart is that of the container before', () => {
    const world = withPod({ logs: ['up'], runsForSeconds: 5, exitCode: 1 }, 'Always');
    expect(get(world, '/containerLogs/default/web/main', { previous: 'true' })).toEqual({
      status: 400,
      body: 'previous terminated container "main" in pod "web" not found',
    });
    world.advance(seconds(30));
    expect(logs(world, { previous: 'true' })).toBe('up\n');
  });

  it('is refused with the texts of a kubelet', () => {
    const world = withPod();
    const path = '/containerLogs/default/web/main';
    expect(get(world, path, { tailLines: 'x' })).toEqual({
      status: 400,
      body: '{"message": "Unable to decode query."}',
    });
    for (const query of [{ tailLines: '-1' }, { sinceSeconds: '0' }, { limitBytes: '0' }])
      expect(get(world, path, query)).toEqual({ status: 422, body: '{"message": "Invalid request."}' });
    expect(get(world, '/containerLogs/default/wbe/main')).toEqual({
      status: 404,
      body: 'pod "wbe" does not exist\n',
    });
    expect(get(world, '/containerLogs/default/web/side')).toEqual({
      status: 404,
      body: 'container "side" not found in pod "web"\n',
    });
  });
});

describe('a command in a container', () => {
  const run = (world: Cluster, cmd: string): AgentAnswer | undefined =>
    ask(world, { method: 'POST', path: '/run/default/web/main', query: { cmd } });

  it('is a small program, or what the behaviour answers', () => {
    const world = withPod({
      exec: { 'psql -l': { stdout: 'orders\n', seconds: 3 }, broken: { stderr: 'no\n', exitCode: 4 } },
      files: { '/etc/app/conf': 'a=1\n', '/etc/app/more': '' },
    });
    expect(run(world, 'echo hello world')).toMatchObject({ status: 200, body: 'hello world\n' });
    expect(run(world, '/bin/hostname')?.body).toBe('web\n');
    expect(run(world, 'env')?.body).toContain('COLOUR=red\n');
    expect(run(world, 'printenv COLOUR')?.body).toBe('red\n');
    expect(run(world, 'cat /etc/app/conf /etc/hostname')?.body).toBe('a=1\nweb\n');
    expect(run(world, 'ls /etc/app')?.body).toBe('conf\nmore\n');
    expect(run(world, 'date')?.body).toMatch(/^Wed Jan  1 00:00:\d\d UTC 2025\n$/);
    const before = world.now;
    expect(run(world, 'psql -l')?.body).toBe('orders\n');
    expect(world.now - before).toBeGreaterThan(seconds(3));
  });

  it('that fails is 500 with what it said', () => {
    const world = withPod({ exec: { broken: { stderr: 'no\n', exitCode: 4 } } });
    expect(run(world, 'broken')).toEqual({ status: 500, body: "command 'broken' exited with 4: no\n" });
    expect(run(world, 'cat /nowhere')?.body).toContain('cat: /nowhere: No such file or directory');
    expect(run(world, 'vim')?.body).toContain('exec: "vim": executable file not found in $PATH');
    expect(run(world, '/opt/x')?.body).toContain('exec: "/opt/x": stat /opt/x: no such file or directory');
  });

  it('ends with its container', () => {
    const world = withPod({ runsForSeconds: 20 });
    expect(run(world, 'sleep 1h')).toEqual({ status: 500, body: "command 'sleep 1h' exited with 137: " });
    expect(run(world, 'true')).toEqual({ status: 500, body: 'container not found ("main")' });
  });

  it('as a stream wants a caller that can take one', () => {
    const world = withPod();
    const path = '/exec/default/web/main';
    expect(get(world, path, { command: ['echo', 'x'] })).toEqual({
      status: 400,
      body: 'you must specify at least 1 of stdin, stdout, stderr',
    });
    expect(get(world, path, { command: 'echo', output: '1' })).toEqual({
      status: 500,
      body: 'Upgrade request required\n',
    });
    expect(get(world, '/exec/default/wbe/main', { output: '1' })?.status).toBe(404);
  });
});
