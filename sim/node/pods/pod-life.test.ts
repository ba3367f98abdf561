import { describe, expect, it } from 'vitest';
import type { Container, Pod, PodSpec } from '../../api/types/core-v1.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { minutes, seconds } from '../../engine/time.ts';
import type { WorkloadBehaviour } from '../runtime/workload-behaviour.ts';

interface PodFacts extends Partial<Omit<PodSpec, 'containers'>> {
  readonly behaviours?: Readonly<Record<string, WorkloadBehaviour>>;
  readonly containers?: readonly Partial<Container>[];
}

function cluster(nodes = 1): Cluster {
  const made = createCluster({ nodes });
  made.settle();
  return made;
}

function create(world: Cluster, name: string, { behaviours = {}, ...spec }: PodFacts = {}): void {
  const annotations = Object.fromEntries(
    Object.entries(behaviours).map(([container, behaviour]) => [
      `behaviour.kubesim.dev/${container}`,
      JSON.stringify(behaviour),
    ]),
  );
  const containers = (spec.containers ?? [{ name: 'main' }]).map((container) => ({
    name: 'main',
    image: 'app:1',
    ...container,
  }));
  world.client.pods.create({
    metadata: { name, annotations },
    spec: { nodeName: 'worker-1', ...spec, containers },
  });
}

const status = (world: Cluster, name: string) => world.client.pods.get(name).status;
const container = (world: Cluster, name: string) => status(world, name)?.containerStatuses?.[0];
const conditions = ({ status: said }: Pod): Record<string, string> =>
  Object.fromEntries((said?.conditions ?? []).map(({ type, status: is }) => [type, is]));
const names = (world: Cluster) => world.client.pods.list().items.map(({ metadata }) => metadata.name);
const untilPhase = (world: Cluster, name: string, phase: string) =>
  world.eventually(() => status(world, name)?.phase === phase, { within: minutes(1) });

describe('a pod', () => {
  it('runs, with its conditions, addresses and events', () => {
    const world = cluster();
    create(world, 'web');
    untilPhase(world, 'web', 'Running');
    const pod = world.client.pods.get('web');
    expect(conditions(pod)).toEqual({
      PodReadyToStartContainers: 'True',
      Initialized: 'True',
      Ready: 'True',
      ContainersReady: 'True',
      PodScheduled: 'True',
    });
    expect(pod.status).toMatchObject({ hostIP: '10.0.0.1', podIP: expect.stringMatching(/^10\.128\.1\./) });
    expect(container(world, 'web')).toMatchObject({ ready: true, started: true, restartCount: 0 });
    world.advance(seconds(1));
    const reasons = world.client.events
      .list()
      .items.filter(({ involvedObject }) => involvedObject.name === 'web')
      .map(({ reason }) => reason);
    expect(reasons).toHaveLength(4);
    expect(new Set(reasons)).toEqual(new Set(['Created', 'Pulled', 'Pulling', 'Started']));
  });

  it.each([
    ['Never', 0, 'Succeeded', 'Completed'],
    ['Never', 3, 'Failed', 'Error'],
    ['OnFailure', 0, 'Succeeded', 'Completed'],
  ])('with policy %s whose container exits with %i has %s', (restartPolicy, exitCode, phase, reason) => {
    const world = cluster();
    create(world, 'job', { restartPolicy, behaviours: { main: { runsForSeconds: 5, exitCode } } });
    untilPhase(world, 'job', phase);
    expect(container(world, 'job')).toMatchObject({
      state: { terminated: { exitCode, reason } },
      restartCount: 0,
    });
    expect(conditions(world.client.pods.get('job'))).toMatchObject({ Ready: 'False' });
  });

  it('is restarted at once, then after 10 s, doubling to 5 min', () => {
    const world = cluster();
    create(world, 'crash', { behaviours: { main: { runsForSeconds: 1, exitCode: 1 } } });
    const pauses: string[] = [];
    for (let round = 0; round < 7; round += 1) {
      const message = world.eventually(
        () => {
          const { state, restartCount } = container(world, 'crash') ?? {};
          return restartCount === round + 1 && state?.waiting?.reason === 'CrashLoopBackOff'
            ? state.waiting.message
            : undefined;
        },
        { within: minutes(6), every: seconds(1) },
      );
      pauses.push(/back-off (\S+) restarting/.exec(message)?.[1] ?? '');
    }
    expect(pauses).toEqual(['10s', '20s', '40s', '1m20s', '2m40s', '5m0s', '5m0s']);
    expect(status(world, 'crash')?.phase).toBe('Running');
  });

  it('is restarted at once again after ten quiet minutes', () => {
    const world = cluster();
    create(world, 'rare', { behaviours: { main: { runsForSeconds: 601, exitCode: 1 } } });
    world.advance(minutes(32));
    expect(container(world, 'rare')).toMatchObject({ restartCount: 3, ready: true });
    const reasons = world.client.events.list().items.map(({ reason }) => reason);
    expect(reasons).not.toContain('BackOff');
  });

  it('waits longer and longer for an image that is not there', () => {
    const world = cluster();
    world.advance(minutes(11));
    create(world, 'typo', { behaviours: { main: { imageMissing: true } } });
    world.advance(minutes(5));
    expect(container(world, 'typo')?.state?.waiting?.reason).toMatch(/^(ErrImagePull|ImagePullBackOff)$/);
    const pulls = world.client.events.list().items.find(({ reason }) => reason === 'Pulling')?.count ?? 0;
    expect(pulls).toBeGreaterThan(3);
    expect(pulls).toBeLessThan(8);
  });

  it('starts its containers when the init containers have ended well, one after the other', () => {
    const world = cluster();
    create(world, 'app', {
      initContainers: [
        { name: 'one', image: 'i' },
        { name: 'two', image: 'i' },
      ],
      behaviours: { one: { runsForSeconds: 5 }, two: { runsForSeconds: 5 } },
    });
    world.advance(seconds(3));
    expect(status(world, 'app')).toMatchObject({ phase: 'Pending' });
    expect(container(world, 'app')?.state?.waiting?.reason).toBe('PodInitializing');
    expect(conditions(world.client.pods.get('app'))['Initialized']).toBe('False');
    untilPhase(world, 'app', 'Running');
    const [one, two] = (status(world, 'app')?.initContainerStatuses ?? []).map(
      ({ state }) => state?.terminated,
    );
    expect([one?.exitCode, two?.exitCode]).toEqual([0, 0]);
    expect(Date.parse(two?.startedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(one?.finishedAt ?? ''));
  });

  it('fails with an init container that is not to be tried again', () => {
    const world = cluster();
    create(world, 'app', {
      restartPolicy: 'Never',
      initContainers: [{ name: 'one', image: 'i' }],
      behaviours: { one: { runsForSeconds: 1, exitCode: 2 } },
    });
    untilPhase(world, 'app', 'Failed');
    expect(container(world, 'app')?.state?.running).toBeUndefined();
  });

  it('is not ready before its readiness probe says so', () => {
    const world = cluster();
    create(world, 'slow', {
      behaviours: { main: { readyAfterSeconds: 20 } },
      containers: [{ readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 5 } }],
    });
    untilPhase(world, 'slow', 'Running');
    expect(container(world, 'slow')).toMatchObject({ ready: false, started: true });
    world.advance(seconds(10));
    expect(container(world, 'slow')?.ready).toBe(false);
    world.advance(seconds(20));
    expect(container(world, 'slow')?.ready).toBe(true);
  });

  it('whose liveness probe fails has its container restarted', () => {
    const world = cluster();
    create(world, 'stuck', {
      behaviours: { main: { failsProbes: [{ probe: 'liveness', fromSeconds: 20 }] } },
      containers: [{ livenessProbe: { tcpSocket: { port: 80 }, periodSeconds: 5 } }],
    });
    world.eventually(() => (container(world, 'stuck')?.restartCount ?? 0) > 0, { within: minutes(2) });
    expect(container(world, 'stuck')?.lastState?.terminated).toMatchObject({
      exitCode: 143,
      reason: 'Error',
    });
  });

  it('that outlives its deadline fails', () => {
    const world = cluster();
    create(world, 'late', { activeDeadlineSeconds: 15 });
    world.advance(seconds(14));
    expect(status(world, 'late')?.phase).toBe('Running');
    world.advance(seconds(4));
    expect(status(world, 'late')).toMatchObject({
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    });
  });

  it('that does not fit is refused', () => {
    const world = cluster();
    create(world, 'huge', { containers: [{ resources: { requests: { cpu: '1000' } } }] });
    untilPhase(world, 'huge', 'Failed');
    expect(status(world, 'huge')).toMatchObject({ reason: 'OutOfcpu' });
  });
});

describe('a pod that is deleted', () => {
  it('goes when its containers have ended', () => {
    const world = cluster();
    create(world, 'web', { behaviours: { main: { stopsAfterSeconds: 7 } } });
    untilPhase(world, 'web', 'Running');
    world.client.pods.delete('web');
    world.advance(seconds(6));
    expect(world.client.pods.get('web').metadata.deletionGracePeriodSeconds).toBe(30);
    world.advance(seconds(3));
    expect(names(world)).toEqual([]);
    expect(world.machine('worker-1').runtime.all()).toEqual([]);
  });

  it('is killed when the grace is over', () => {
    const world = cluster();
    create(world, 'deaf', { terminationGracePeriodSeconds: 12, behaviours: { main: { ignoresTerm: true } } });
    untilPhase(world, 'deaf', 'Running');
    const watch = world.client.pods.watch();
    world.client.pods.delete('deaf');
    world.advance(seconds(11));
    expect(names(world)).toEqual(['deaf']);
    world.advance(seconds(3));
    expect(names(world)).toEqual([]);
    const last = watch.events.findLast(({ type }) => type === 'MODIFIED')?.object as Pod;
    expect(last.status).toMatchObject({
      phase: 'Failed',
      containerStatuses: [{ state: { terminated: { exitCode: 137 } } }],
    });
  });

  it('by force is gone from the API at once, and from the node in seconds', () => {
    const world = cluster();
    create(world, 'deaf', { behaviours: { main: { ignoresTerm: true } } });
    untilPhase(world, 'deaf', 'Running');
    world.client.pods.delete('deaf', { gracePeriodSeconds: 0 });
    expect(names(world)).toEqual([]);
    expect(world.machine('worker-1').runtime.all()).toHaveLength(1);
    world.advance(seconds(5));
    expect(world.machine('worker-1').runtime.all()).toEqual([]);
  });

  it('before it has started goes, too', () => {
    const world = cluster();
    create(world, 'web');
    world.client.pods.delete('web');
    world.advance(seconds(35));
    expect(names(world)).toEqual([]);
  });

  it('makes room for another of its name', () => {
    const world = cluster();
    create(world, 'web');
    untilPhase(world, 'web', 'Running');
    world.client.pods.delete('web', { gracePeriodSeconds: 0 });
    create(world, 'web');
    untilPhase(world, 'web', 'Running');
    world.advance(seconds(10));
    expect(world.machine('worker-1').runtime.all()).toHaveLength(1);
  });
});

describe('when the agent restarts', () => {
  it('its pods run on as they were', () => {
    const world = cluster();
    create(world, 'web', {
      initContainers: [{ name: 'init', image: 'i' }],
      behaviours: { init: { runsForSeconds: 1 } },
    });
    create(world, 'crash', { behaviours: { main: { runsForSeconds: 200, exitCode: 1 } } });
    world.advance(seconds(220));
    const before = status(world, 'web');
    expect(container(world, 'crash')?.restartCount).toBe(1);
    const watch = world.client.pods.watch({
      resourceVersion: world.client.pods.list().metadata.resourceVersion ?? '',
    });
    world.faults.crash('worker-1');
    world.advance(seconds(20));
    world.faults.restart('worker-1');
    world.advance(seconds(20));
    expect(status(world, 'web')).toEqual(before);
    expect(container(world, 'crash')?.restartCount).toBe(1);
    const phases = watch.events.map(({ object }) => (object as Pod).status?.phase);
    expect(phases.filter((phase) => phase !== 'Running')).toEqual([]);
    world.advance(seconds(200));
    expect(container(world, 'crash')?.restartCount).toBe(2);
  });

  it('what ended meanwhile is told as it was, and not run again', () => {
    const world = cluster();
    create(world, 'job', {
      restartPolicy: 'Never',
      containers: [{ name: 'short' }, { name: 'long' }],
      behaviours: { short: { runsForSeconds: 10, exitCode: 4 }, long: { runsForSeconds: 100 } },
    });
    untilPhase(world, 'job', 'Running');
    world.faults.crash('worker-1');
    world.advance(seconds(20));
    world.faults.restart('worker-1');
    world.advance(seconds(10));
    const statuses = status(world, 'job')?.containerStatuses ?? [];
    const short = statuses.find(({ name }) => name === 'short')?.state?.terminated;
    expect(short?.exitCode).toBe(4);
    expect(Date.parse(short?.finishedAt ?? '') - Date.parse(short?.startedAt ?? '')).toBe(10_000);
    world.advance(minutes(2));
    expect(status(world, 'job')?.phase).toBe('Failed');
    expect(world.machine('worker-1').runtime.all()).toHaveLength(2);
  });

  it('pods that were deleted by force meanwhile are ended', () => {
    const world = cluster();
    create(world, 'web');
    untilPhase(world, 'web', 'Running');
    world.faults.crash('worker-1');
    world.client.pods.delete('web', { gracePeriodSeconds: 0 });
    world.faults.restart('worker-1');
    world.advance(seconds(10));
    expect(world.machine('worker-1').runtime.all()).toEqual([]);
    expect(world.machine('worker-1').runtime.sandboxes.size).toBe(0);
  });

  it('after a reboot of the machine, containers are started again', () => {
    const world = cluster();
    create(world, 'web');
    create(world, 'job', { restartPolicy: 'Never' });
    world.advance(seconds(20));
    world.faults.crash('worker-1', { isSilent: true });
    world.machine('worker-1').reboot();
    world.faults.restart('worker-1');
    world.advance(seconds(30));
    expect(container(world, 'web')).toMatchObject({
      ready: true,
      restartCount: 1,
      lastState: { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' } },
    });
    expect(status(world, 'job')?.phase).toBe('Failed');
  });
});

describe('a node that was cut off', () => {
  it('finds its pods marked not ready, and says that they are', () => {
    const world = cluster(2);
    create(world, 'web');
    untilPhase(world, 'web', 'Running');
    world.faults.partition('worker-1');
    world.advance(minutes(1));
    expect(conditions(world.client.pods.get('web'))['Ready']).toBe('False');
    world.faults.heal('worker-1');
    world.advance(seconds(30));
    expect(conditions(world.client.pods.get('web'))['Ready']).toBe('True');
    expect(container(world, 'web')?.restartCount).toBe(0);
  });

  it('ends its old pods when it is back', () => {
    const world = cluster(2);
    create(world, 'web');
    untilPhase(world, 'web', 'Running');
    world.faults.partition('worker-1');
    world.advance(minutes(7));
    expect(world.client.pods.get('web').metadata.deletionTimestamp).toBeDefined();
    expect(world.machine('worker-1').runtime.running(world.now / 1_000)).toHaveLength(1);
    world.faults.heal('worker-1');
    world.advance(minutes(1));
    expect(names(world)).toEqual([]);
    expect(world.machine('worker-1').runtime.all()).toEqual([]);
  });
});
