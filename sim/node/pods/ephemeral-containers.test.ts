import { describe, expect, it } from 'vitest';
import { seconds } from '../../engine/time.ts';
import { cluster, create, names, status, untilPhase } from '../../cluster/pod-world.fixture.ts';

const debug = (name: string) => ({
  type: 'strategic' as const,
  body: { spec: { ephemeralContainers: [{ name, image: 'busybox', targetContainerName: 'main' }] } },
});

describe('an ephemeral container', () => {
  it('is started in the pod that runs, and never again', () => {
    const world = cluster();
    create(world, 'web', { behaviours: { debug: { runsForSeconds: 20, exitCode: 1 } } });
    untilPhase(world, 'web', 'Running');
    world.client.pods.patch('web', debug('debug'), { subresource: 'ephemeralcontainers' });
    world.advance(seconds(12));
    const [first] = status(world, 'web')?.ephemeralContainerStatuses ?? [];
    expect(first).toMatchObject({
      name: 'debug',
      image: 'docker.io/library/busybox:latest',
      ready: false,
      restartCount: 0,
      state: { running: {} },
    });
    expect(first).not.toHaveProperty('started');
    world.advance(seconds(60));
    expect(status(world, 'web')?.ephemeralContainerStatuses).toMatchObject([
      { restartCount: 0, state: { terminated: { exitCode: 1 } } },
    ]);
    expect(status(world, 'web')).toMatchObject({ phase: 'Running' });
  });

  it('is not run again when the agent restarts, and one that runs goes on', () => {
    const world = cluster();
    create(world, 'web', { behaviours: { old: { runsForSeconds: 5 } } });
    untilPhase(world, 'web', 'Running');
    world.client.pods.patch('web', debug('old'), { subresource: 'ephemeralcontainers' });
    world.client.pods.patch('web', debug('new'), { subresource: 'ephemeralcontainers' });
    world.advance(seconds(20));
    const before = status(world, 'web');
    world.faults.crash('worker-1');
    world.advance(seconds(5));
    world.faults.restart('worker-1');
    world.advance(seconds(20));
    expect(status(world, 'web')).toEqual(before);
    expect(world.machine('worker-1').runtime.all()).toHaveLength(3);
  });

  it('ends with its pod', () => {
    const world = cluster();
    create(world, 'web', { behaviours: { debug: { stopsAfterSeconds: 4 } } });
    untilPhase(world, 'web', 'Running');
    world.client.pods.patch('web', debug('debug'), { subresource: 'ephemeralcontainers' });
    world.advance(seconds(10));
    world.client.pods.delete('web');
    world.advance(seconds(3));
    expect(names(world)).toEqual(['web']);
    world.advance(seconds(3));
    expect(names(world)).toEqual([]);
  });
});
