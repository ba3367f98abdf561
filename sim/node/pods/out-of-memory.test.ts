import { describe, expect, it } from 'vitest';
import { minutes, seconds } from '../../engine/time.ts';
import { cluster, container, create, eventsOf, untilPhase } from '../../cluster/pod-world.fixture.ts';

const MIB = 1024 ** 2;
const limited = [{ resources: { limits: { memory: '100Mi' } } }];

describe('a container with a memory limit', () => {
  it('is killed when it uses more, and restarted with growing pauses', () => {
    const world = cluster();
    create(world, 'fat', { containers: limited, behaviours: { main: { memoryBytes: 200 * MIB } } });
    world.eventually(() => container(world, 'fat')?.state?.waiting?.reason === 'CrashLoopBackOff', {
      within: minutes(1),
      every: seconds(1),
    });
    expect(container(world, 'fat')).toMatchObject({
      restartCount: 1,
      lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
    });
    expect(eventsOf(world, 'fat').join()).toContain(
      'Back-off restarting failed container main in pod fat_default(',
    );
  });

  it('is killed when it has grown too big', () => {
    const world = cluster();
    create(world, 'leak', {
      restartPolicy: 'Never',
      containers: limited,
      behaviours: { main: { memoryBytes: 40 * MIB, memoryGrowthBytes: 2 * MIB } },
    });
    untilPhase(world, 'leak', 'Failed');
    const ended = container(world, 'leak')?.state?.terminated;
    expect(ended).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
    expect(Date.parse(ended?.finishedAt ?? '') - Date.parse(ended?.startedAt ?? '')).toBe(30_000);
  });

  it('runs on below its limit', () => {
    const world = cluster();
    create(world, 'slim', { containers: limited, behaviours: { main: { memoryBytes: 100 * MIB } } });
    untilPhase(world, 'slim', 'Running');
    world.advance(minutes(5));
    expect(container(world, 'slim')).toMatchObject({ ready: true, restartCount: 0 });
  });
});
