import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/types/core-v1.ts';
import { seconds } from '../../engine/time.ts';
import {
  cluster,
  conditions,
  container,
  create,
  names,
  status,
  untilPhase,
} from '../../cluster/pod-world.fixture.ts';

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
  ] as const)(
    'with policy %s whose container exits with %i has %s',
    (restartPolicy, exitCode, phase, reason) => {
      const world = cluster();
      create(world, 'job', { restartPolicy, behaviours: { main: { runsForSeconds: 5, exitCode } } });
      untilPhase(world, 'job', phase);
      expect(container(world, 'job')).toMatchObject({
        state: { terminated: { exitCode, reason } },
        restartCount: 0,
      });
      expect(conditions(world.client.pods.get('job'))).toMatchObject({ Ready: 'False' });
    },
  );

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

  it.each([
    [{ files: { '/dev/termination-log': 'out of luck' } }, 'File', 'out of luck'],
    [{ logs: ['first', 'last'] }, 'FallbackToLogsOnError', 'first\nlast\n'],
    [{ logs: ['first'] }, 'File', undefined],
  ] as const)('leaves the last word of its container: %j (%s)', (said, terminationMessagePolicy, message) => {
    const world = cluster();
    create(world, 'job', {
      restartPolicy: 'Never',
      containers: [{ terminationMessagePolicy }],
      behaviours: { main: { runsForSeconds: 1, exitCode: 1, ...said } },
    });
    untilPhase(world, 'job', 'Failed');
    expect(container(world, 'job')?.state?.terminated?.message).toBe(message);
  });

  it('has a directory for each part of a volume that it sees elsewhere', () => {
    const world = cluster();
    create(world, 'parts', {
      restartPolicy: 'Never',
      volumes: [{ name: 'v', emptyDir: {} }],
      containers: [
        {
          image: 'busybox',
          command: ['sh', '-c', 'test -d /all/x && test -d /all/x/y && ! test -d /all/z'],
          volumeMounts: [
            { name: 'v', mountPath: '/all' },
            { name: 'v', mountPath: '/part', subPath: 'x/y' },
          ],
        },
      ],
    });
    untilPhase(world, 'parts', 'Succeeded');
    expect(container(world, 'parts')?.state?.terminated?.exitCode).toBe(0);
  });

  it('leaves what its command has written, as far as there is room', () => {
    const world = cluster();
    const command = (script: string) => ({ image: 'busybox', command: ['sh', '-c', script] });
    const terminationMessagePath = '/dev/other';
    create(world, 'job', {
      restartPolicy: 'Never',
      containers: [
        { ...command('echo -n OK > /dev/other'), terminationMessagePath },
        {
          ...command("for i in 1 2 3 4 5; do printf '%01000d' 7; done > /dev/termination-log"),
          name: 'much',
        },
        { ...command('echo -n bye; false'), name: 'log', terminationMessagePolicy: 'FallbackToLogsOnError' },
        { name: 'more', image: 'busybox', command: ['true'] },
      ],
    });
    untilPhase(world, 'job', 'Failed');
    const [ok, much, log] = (status(world, 'job')?.containerStatuses ?? [])
      .toSorted(
        (a, b) =>
          ['main', 'much', 'log', 'more'].indexOf(a.name) - ['main', 'much', 'log', 'more'].indexOf(b.name),
      )
      .map(({ state }) => state?.terminated?.message);
    expect([ok, log]).toEqual(['OK', 'bye']);
    expect(much).toHaveLength(3_072);
  });

  it('that somebody else has declared failed is ended, and stays failed', () => {
    const world = cluster();
    create(world, 'web', { behaviours: { main: { stopsAfterSeconds: 5 } } });
    untilPhase(world, 'web', 'Running');
    const body = { status: { phase: 'Failed', reason: 'NodeLost', message: 'why' } };
    world.client.pods.patch('web', { type: 'merge', body }, { subresource: 'status' });
    world.advance(seconds(10));
    expect(status(world, 'web')).toMatchObject({
      ...body.status,
      containerStatuses: [{ ready: false, state: { terminated: { exitCode: 143 } } }],
    });
  });

  it('keeps the conditions of others, and its own as they are', () => {
    const world = cluster();
    const gate = 'example.com/open';
    create(world, 'web', { readinessGates: [{ conditionType: gate }] });
    untilPhase(world, 'web', 'Running');
    expect(conditions(world.client.pods.get('web'))).toMatchObject({
      ContainersReady: 'True',
      Ready: 'False',
    });
    const say = (type: string, said: string) => {
      const body = { status: { conditions: [{ type, status: said }] } };
      world.client.pods.patch('web', { type: 'strategic', body }, { subresource: 'status' });
      world.advance(seconds(15));
      return conditions(world.client.pods.get('web'));
    };
    expect(say(gate, 'True')).toMatchObject({ [gate]: 'True', Ready: 'True' });
    expect(say('Ready', 'False')).toMatchObject({ [gate]: 'True', Ready: 'True' });
    expect(say(gate, 'False')).toMatchObject({ [gate]: 'False', Ready: 'False' });
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
