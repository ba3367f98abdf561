import { describe, expect, it } from 'vitest';
import { seconds } from '../../engine/time.ts';
import {
  cluster,
  conditions,
  container,
  create,
  status,
  untilPhase,
} from '../../cluster/pod-world.fixture.ts';

describe('a pod with init containers', () => {
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
});
