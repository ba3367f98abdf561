import { RELEASE_1_31 } from '../../api/release/release-1-31.ts';
import { describe, expect, it } from 'vitest';
import { FeatureGates } from '../../apiserver/feature-gates.ts';
import { type AgentRequest, askAgent, askAgents } from '../../cluster/agent-user.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { ClusterOptions } from '../../cluster/cluster-options.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { milliseconds, minutes, seconds } from '../../engine/time.ts';
import { OF_ROOT } from '../machine/disk.ts';
import type { AgentAnswer } from './agent-port.ts';
import { CHECKPOINT_DIRECTORY } from '../runtime/checkpoint.ts';
import { unpackCheckpoint } from '../runtime/checkpoint-archive.ts';
import { unpackTar } from '../runtime/tar-archive.ts';
import type { WorkloadBehaviour } from '../runtime/workload-behaviour.ts';

const ROOT = '/var/lib/kubelet';
const GIB = 1024 ** 3;

function create(world: Cluster, name: string, nodeName: string, behaviour: WorkloadBehaviour = {}): void {
  world.client.pods.create({
    metadata: { name, annotations: { 'behaviour.kubesim.dev/main': JSON.stringify(behaviour) } },
    spec: { nodeName, restartPolicy: 'Never', containers: [{ name: 'main', image: 'app:1' }] },
  });
  world.eventually(() => world.client.pods.get(name).status?.phase === 'Running', { within: minutes(1) });
}

function withPod(
  behaviour: WorkloadBehaviour = { memory: { orders: 7 } },
  { seed = 1, ...options }: ClusterOptions = {},
): Cluster {
  const world = createCluster({ nodes: 2, seed, ...options });
  world.settle();
  create(world, 'web', 'worker-1', behaviour);
  return world;
}

const POST: AgentRequest = { method: 'POST', path: '/checkpoint/default/web/main' };
const checkpoint = (world: Cluster, request: Partial<AgentRequest> = {}): AgentAnswer | undefined =>
  askAgent(world, 'worker-1', { ...POST, ...request });
const archives = (world: Cluster) =>
  world
    .machine('worker-1')
    .disk.list(`${ROOT}/${CHECKPOINT_DIRECTORY}`)
    .filter((path) => path.endsWith('.tar'));
const everything = (world: Cluster) => world.machine('worker-1').disk.list(`${ROOT}/${CHECKPOINT_DIRECTORY}`);
const itemOf = (answer: AgentAnswer | undefined): string =>
  (answer?.body as { items: string[] } | undefined)?.items[0] ?? '';
const bytesOf = (world: Cluster, path: string) =>
  world.machine('worker-1').disk.read(path)?.bytes ?? new Uint8Array();

describe('a checkpoint', () => {
  it('is an archive named after pod, container and time, for root only', () => {
    const world = withPod();
    const answer = checkpoint(world);
    expect(answer?.status).toBe(200);
    expect(answer?.body).toEqual({ items: archives(world) });
    const path = itemOf(answer);
    expect(path).toMatch(
      /^\/var\/lib\/kubelet\/checkpoints\/checkpoint-web_default-main-2025-01-01T00:00:\d\dZ\.tar$/,
    );
    expect(world.machine('worker-1').disk.read(path)).toMatchObject({ mode: 0o600, owner: OF_ROOT });
    const names = (unpackTar(bytesOf(world, path)) ?? []).map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['config.dump', 'spec.dump', 'checkpoint/pages-1.img', 'dump.log']),
    );
    expect(world.client.pods.get('web').status?.phase).toBe('Running');
  });

  it('has equal bytes in two runs, and others with another seed', () => {
    const [one, two, other] = [withPod(), withPod(), withPod({ memory: { orders: 7 } }, { seed: 2 })].map(
      (world) => bytesOf(world, itemOf(checkpoint(world))),
    );
    expect(one?.length).toBeGreaterThan(10_000);
    expect(two).toEqual(one);
    expect(other).not.toEqual(one);
  });

  it('can go on, on another node, with its memory and the time that it has run', () => {
    const world = withPod({ memory: { orders: 7 }, runsForSeconds: 100 });
    world.advance(seconds(60));
    const archive = bytesOf(world, itemOf(checkpoint(world)));
    const name = { namespace: 'default', pod: 'copy', container: 'main' };
    world.machine('worker-2').restoreFrom(name, archive);
    create(world, 'copy', 'worker-2', { memory: { orders: 0 }, runsForSeconds: 100 });
    const { runtime } = world.machine('worker-2');
    const [restored] = runtime.all();
    if (!restored) throw new Error('no container');
    const before = unpackCheckpoint(archive)?.process;
    expect(runtime.processOf(restored, restored.startedAtMs)).toEqual(before);
    expect(before).toMatchObject({ values: { orders: 7 } });
    expect(before?.ranSeconds).toBeGreaterThanOrEqual(60);
    world.advance(seconds(42));
    expect(world.client.pods.get('copy').status?.phase).toBe('Succeeded');
    expect(world.machine('worker-2').takeRestore(name)).toBeUndefined();
  });

  it('that is damaged goes on nowhere', () => {
    const world = withPod();
    const archive = bytesOf(world, itemOf(checkpoint(world))).slice(0, 700);
    const name = { namespace: 'default', pod: 'copy', container: 'main' };
    expect(() => world.machine('worker-2').restoreFrom(name, archive)).toThrow(RangeError);
  });
});

describe('the checkpoint endpoint answers', () => {
  it('401 without credentials and 403 to whom the API server does not allow it', () => {
    const world = withPod({}, { authorizationMode: 'RBAC' });
    expect(checkpoint(world, { user: 'anonymous' })).toEqual({ status: 401, body: 'Unauthorized' });
    const eve = { name: 'eve', groups: ['system:authenticated'] };
    expect(checkpoint(world, { user: eve })).toEqual({
      status: 403,
      body: 'Forbidden (user=eve, verb=create, resource=nodes, subresource=checkpoint)',
    });
    expect(everything(world)).toEqual([]);
  });

  it.each([
    ['another namespace', '/checkpoint/kube-system/web/main', 'pod does not exist'],
    ['another pod', '/checkpoint/default/wbe/main', 'pod does not exist'],
    ['another container', '/checkpoint/default/web/side', 'container side does not exist'],
  ])('404 to %s', (_, path, text) => {
    const answer = checkpoint(withPod(), { path });
    expect(answer?.status).toBe(404);
    expect(answer?.body).toContain(text);
  });

  it('404 when the gate is off', () => {
    const featureGates = FeatureGates.parse(RELEASE_1_31.gates, 'ContainerCheckpoint=false');
    const world = withPod({}, { featureGates });
    const gone = { status: 404, body: '404 page not found\n' };
    expect(checkpoint(world)).toEqual(gone);
    expect(checkpoint(world, { user: 'anonymous' })).toEqual(gone);
  });

  it('405 to another method', () => {
    const world = withPod();
    for (const method of ['GET', 'PUT', 'DELETE'])
      expect(checkpoint(world, { method })).toEqual({
        status: 405,
        body: '405: Method Not Allowed',
        allow: 'POST',
      });
    expect(checkpoint(world, { path: '/checkpoint/default/web' })?.status).toBe(404);
  });

  it('404 to a timeout that is no whole number of 64 bits, once pod and container are found', () => {
    const world = withPod();
    for (const timeout of ['1.5', 'soon', '', '1e3', '0x1', '99999999999999999999'])
      expect(checkpoint(world, { query: { timeout } })).toEqual({
        status: 404,
        body: 'cannot parse value of timeout parameter',
      });
    const elsewhere = checkpoint(world, { path: '/checkpoint/default/web/side', query: { timeout: 'soon' } });
    expect(elsewhere?.body).toBe('container side does not exist');
    expect(everything(world)).toEqual([]);
  });

  it('500 to a timeout below zero', () => {
    expect(checkpoint(withPod(), { query: { timeout: '-1' } })).toEqual({
      status: 500,
      body: 'checkpointing of default/web/main failed (CheckpointContainer requires the timeout value to be > 0)',
    });
  });

  it('200 to a timeout of zero, enough, or too much to wait for; the last of several counts', () => {
    const world = withPod();
    for (const timeout of ['0', '60', '+60', '9223372036854775807', ['soon', '60']])
      expect(checkpoint(world, { query: { timeout } })?.status).toBe(200);
  });

  it.each([[{}], [{ timeout: '0' }], [{ timeout: '5' }]])(
    '500 with the query %j when the memory takes longer to write',
    (query) => {
      const world = withPod({ memoryBytes: 40 * GIB });
      const answer = checkpoint(world, { query });
      expect(answer?.status).toBe(500);
      expect(answer?.body).toContain('context deadline exceeded');
      expect(everything(world)).toEqual([]);
    },
  );

  it('200 to a timeout that is long enough for it', () => {
    const roomy = withPod(
      { memoryBytes: 40 * GIB },
      { nodes: [{ name: 'worker-1', capacity: { memory: '64Gi' } }] },
    );
    expect(checkpoint(roomy, { query: { timeout: '200' } })?.status).toBe(200);
  });

  it('500 when the runtime fails or knows no checkpoints', () => {
    const world = withPod();
    const { runtime } = world.machine('worker-1');
    runtime.checkpointFailure = 'criu failed: type NOTIFY errno 0';
    expect(checkpoint(world)).toEqual({
      status: 500,
      body: 'checkpointing of default/web/main failed (rpc error: code = Unknown desc = criu failed: type NOTIFY errno 0)',
    });
    runtime.checkpointFailure = '';
    runtime.implementsCheckpoint = false;
    expect(checkpoint(world)?.body).toContain('code = Unimplemented');
    runtime.implementsCheckpoint = true;
    expect(checkpoint(world)?.status).toBe(200);
  });

  it('500 when the container has ended', () => {
    const world = withPod({ runsForSeconds: 5 });
    world.advance(seconds(10));
    expect(checkpoint(world)?.status).toBe(500);
  });

  it('500 when the disk is full, and leaves no half archive', () => {
    const world = withPod();
    world.machine('worker-1').fillDisk();
    const answer = checkpoint(world);
    expect(answer?.status).toBe(500);
    expect(answer?.body).toContain('no space left on device');
    expect(everything(world)).toEqual([]);
    world.machine('worker-1').freeDisk();
    expect(checkpoint(world)?.status).toBe(200);
  });

  it('500 when the disk is full before all memory is written; until then the archive takes its room', () => {
    const world = withPod({ memoryBytes: 8 * GIB });
    const { disk } = world.machine('worker-1');
    const before = disk.availableBytes;
    world.user.spawn('saboteur', function* (context) {
      yield* context.sleep(seconds(10));
      expect(before - disk.availableBytes).toBeGreaterThan(2 * GIB);
      world.machine('worker-1').fillDisk();
    });
    expect(checkpoint(world)?.body).toContain('no space left on device');
    world.machine('worker-1').freeDisk();
    expect(disk.availableBytes).toBe(before);
    expect(checkpoint(world)?.status).toBe(200);
    expect(before - disk.availableBytes).toBe(8 * GIB);
  });

  it('500 to the second of two at a time, of one container; of two containers both are made', () => {
    const world = withPod();
    create(world, 'api', 'worker-1');
    const twice = askAgents(world, 'worker-1', [POST, POST]);
    expect(new Set(twice.map((answer) => answer?.status))).toEqual(new Set([200, 500]));
    expect(archives(world)).toHaveLength(1);
    world.advance(seconds(2));
    const both = askAgents(world, 'worker-1', [POST, { ...POST, path: '/checkpoint/default/api/main' }]);
    expect(both.map((answer) => answer?.status)).toEqual([200, 200]);
    expect(archives(world)).toHaveLength(3);
  });

  it('nothing when the agent crashes meanwhile, and no half archive stays', () => {
    const world = withPod({ memoryBytes: 4 * GIB });
    world.user.spawn('saboteur', function* (context) {
      yield* context.sleep(seconds(5));
      expect(everything(world)).toHaveLength(1);
      expect(archives(world)).toEqual([]);
      world.faults.crash('worker-1');
    });
    expect(checkpoint(world)).toBeUndefined();
    world.faults.restart('worker-1');
    world.advance(milliseconds(500));
    expect(everything(world)).toEqual([]);
  });

  it('while its node is cut off from the API server, to whom it knows', () => {
    const world = withPod();
    expect(checkpoint(world)?.status).toBe(200);
    world.faults.partition('worker-1', { from: 'apiserver/0' });
    world.advance(minutes(1));
    expect(checkpoint(world)?.status).toBe(200);
    const eve = { name: 'eve', groups: [] };
    expect(checkpoint(world, { user: eve })).toEqual({
      status: 500,
      body: 'Authorization error (user=eve, verb=create, resource=nodes, subresource=checkpoint)',
    });
  });

  it('after a time that grows with the memory of the container', () => {
    const took = (memoryBytes: number): number => {
      const world = withPod({ memoryBytes });
      const before = world.now;
      expect(checkpoint(world)?.status).toBe(200);
      return world.now - before;
    };
    const [small, large] = [took(GIB / 4), took(8 * GIB)];
    expect(large - small).toBeGreaterThan(seconds(25));
    expect(large).toBeLessThan(seconds(40));
  });

  it('500 when the runtime hangs for longer than the timeout, and 200 when it goes on in time', () => {
    const world = withPod();
    world.machine('worker-1').stopRuntime();
    expect(checkpoint(world, { query: { timeout: '5' } })?.body).toContain('context deadline exceeded');
    world.user.spawn('repair', function* (context) {
      yield* context.sleep(seconds(3));
      world.machine('worker-1').startRuntime();
    });
    expect(checkpoint(world, { query: { timeout: '5' } })?.status).toBe(200);
  });

  it('500 when the container ends while it is written', () => {
    const world = withPod({ memoryBytes: 4 * GIB });
    world.user.spawn('saboteur', function* (context) {
      yield* context.sleep(seconds(5));
      const { runtime } = world.machine('worker-1');
      for (const { id } of runtime.all()) runtime.stop(id, context.now() / 1_000, 0);
    });
    expect(checkpoint(world)).toMatchObject({ status: 500 });
    expect(everything(world)).toEqual([]);
  });

  it('with archives below the root directory that the node was given', () => {
    const world = createCluster({
      nodes: [{ name: 'worker-1', rootDirectory: '/data/agent' }],
      seed: 1,
    });
    world.settle();
    create(world, 'web', 'worker-1');
    expect(itemOf(checkpoint(world))).toMatch(
      /^\/data\/agent\/checkpoints\/checkpoint-web_default-main-.*\.tar$/,
    );
  });
});
