import { describe, expect, it } from 'vitest';
import { milliseconds, minutes, seconds } from '../../engine/time.ts';
import {
  cluster,
  container,
  create,
  eventsOf,
  names,
  status,
  untilPhase,
} from '../../cluster/pod-world.fixture.ts';

const EXEC = { exec: { command: ['sh', '-c', 'warm up'] } };

describe('a postStart hook', () => {
  it('holds back the container, and the containers after it, until it has ended', () => {
    const world = cluster();
    create(world, 'web', {
      containers: [
        { name: 'main', lifecycle: { postStart: EXEC } },
        { name: 'other', image: 'app:1' },
      ],
      behaviours: { main: { postStart: { takesSeconds: 20 } } },
    });
    world.advance(seconds(15));
    expect(status(world, 'web')?.phase).toBe('Pending');
    expect(container(world, 'web')?.state?.waiting?.reason).toBe('ContainerCreating');
    expect(world.machine('worker-1').runtime.all()).toHaveLength(1);
    untilPhase(world, 'web', 'Running');
    expect(status(world, 'web')?.containerStatuses?.every(({ ready }) => ready)).toBe(true);
  });

  it('that fails has the container killed, and started again after a pause', () => {
    const world = cluster();
    create(world, 'web', {
      containers: [{ lifecycle: { postStart: EXEC } }],
      behaviours: { main: { postStart: { fails: true } } },
    });
    world.advance(seconds(30));
    expect(eventsOf(world, 'web')).toEqual(
      expect.arrayContaining([
        'FailedPostStartHook: PostStartHook failed',
        'Killing: FailedPostStartHook',
        expect.stringMatching(/^BackOff: Back-off restarting failed container main in pod web_default\(/),
      ]),
    );
    expect(container(world, 'web')).toMatchObject({
      ready: false,
      restartCount: expect.toSatisfy((count: number) => count > 0) as unknown,
      lastState: { terminated: { exitCode: 143 } },
    });
    const waiting = world.eventually(
      () => {
        const state = container(world, 'web')?.state?.waiting;
        return state?.reason === 'PostStartHookError' ? state : undefined;
      },
      { within: minutes(2), every: milliseconds(100) },
    );
    expect(waiting.message).toMatch(
      /^Exec lifecycle hook \(\[sh -c warm up\]\) for Container "main" in Pod "web_default\(.*\)" failed - error: command 'sh -c warm up' exited with 1: , message: ""$/,
    );
  });

  it('of the kind tcpSocket always fails', () => {
    const world = cluster();
    create(world, 'web', { containers: [{ lifecycle: { postStart: { tcpSocket: { port: 80 } } } }] });
    world.advance(seconds(10));
    expect(eventsOf(world, 'web')).toContain('FailedPostStartHook: PostStartHook failed');
  });

  it('that fails ends a container that is not started again', () => {
    const world = cluster();
    create(world, 'web', {
      restartPolicy: 'Never',
      containers: [{ lifecycle: { postStart: EXEC } }],
      behaviours: { main: { postStart: { fails: true } } },
    });
    untilPhase(world, 'web', 'Failed');
    expect(container(world, 'web')).toMatchObject({
      restartCount: 0,
      state: { terminated: { exitCode: 143 } },
    });
  });

  it('that fails after all was well changes nothing, neither then nor for the next agent', () => {
    const world = cluster();
    create(world, 'web', {
      restartPolicy: 'OnFailure',
      containers: [{ lifecycle: { postStart: EXEC } }],
      behaviours: { main: { runsForSeconds: 2, postStart: { fails: true, takesSeconds: 5 } } },
    });
    untilPhase(world, 'web', 'Succeeded');
    world.faults.crash('node/worker-1');
    world.advance(seconds(5));
    world.faults.restart('node/worker-1');
    world.advance(minutes(1));
    expect(status(world, 'web')?.phase).toBe('Succeeded');
    expect(container(world, 'web')).toMatchObject({
      restartCount: 0,
      state: { terminated: { exitCode: 0 } },
    });
  });
});

describe('a preStop hook', () => {
  const deleted = (lifecycle: object, preStop: object, terminationGracePeriodSeconds = 30) => {
    const world = cluster();
    create(world, 'web', {
      terminationGracePeriodSeconds,
      containers: [{ lifecycle }],
      behaviours: { main: { ignoresTerm: true, preStop } },
    });
    untilPhase(world, 'web', 'Running');
    world.client.pods.delete('web');
    const since = world.now;
    world.eventually(() => names(world).length === 0, { within: minutes(2), every: milliseconds(100) });
    return { seconds: (world.now - since) / 1_000_000, events: eventsOf(world, 'web') };
  };

  it('counts for the grace of its container', () => {
    const { seconds: took, events } = deleted({ preStop: EXEC }, { takesSeconds: 8 }, 12);
    expect(took).toBeGreaterThanOrEqual(12);
    expect(took).toBeLessThan(13);
    expect(events).toContain('Killing: Stopping container main');
  });

  it('that takes all the grace leaves two seconds', () => {
    const { seconds: took, events } = deleted({ preStop: EXEC }, { takesSeconds: 100 }, 12);
    expect(took).toBeGreaterThanOrEqual(14);
    expect(took).toBeLessThan(15);
    expect(events.join()).not.toContain('FailedPreStopHook');
  });

  it('that fails is told, and the container stopped', () => {
    const { seconds: took, events } = deleted(
      { preStop: { httpGet: { port: 80 } } },
      { takesSeconds: 1, fails: true },
      4,
    );
    expect(took).toBeLessThan(5);
    expect(events).toContain('FailedPreStopHook: PreStopHook failed');
  });

  it('may sleep', () => {
    const { seconds: took } = deleted({ preStop: { sleep: { seconds: 5 } } }, {}, 7);
    expect(took).toBeGreaterThanOrEqual(7);
    expect(took).toBeLessThan(8);
  });

  it('is not run in a pod that is deleted by force', () => {
    const world = cluster();
    create(world, 'web', {
      containers: [{ lifecycle: { preStop: EXEC } }],
      behaviours: { main: { preStop: { takesSeconds: 20 } } },
    });
    untilPhase(world, 'web', 'Running');
    world.client.pods.delete('web', { gracePeriodSeconds: 0 });
    world.advance(seconds(1));
    expect(world.machine('worker-1').runtime.all()).toEqual([]);
  });
});
