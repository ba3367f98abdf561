import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/types/core-v1.ts';
import { minutes, seconds } from '../../engine/time.ts';
import {
  cluster,
  conditions,
  container,
  create,
  names,
  status,
  untilPhase,
} from '../../cluster/pod-world.fixture.ts';

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

  it('what runs of a pod that somebody else gave up meanwhile is ended, and the pod stays as it was given up', () => {
    const world = cluster();
    create(world, 'web');
    untilPhase(world, 'web', 'Running');
    world.faults.crash('worker-1');
    world.client.pods.patch(
      'web',
      { type: 'merge', body: { status: { phase: 'Failed', reason: 'Gone' } } },
      { subresource: 'status' },
    );
    world.faults.restart('worker-1');
    world.advance(minutes(1));
    const [left] = world.machine('worker-1').runtime.all();
    expect(left && world.machine('worker-1').runtime.fateOf(left.id, Infinity).kind).toBe('ended');
    expect(status(world, 'web')).toMatchObject({ phase: 'Failed', reason: 'Gone' });
    expect(container(world, 'web')?.state).toHaveProperty('terminated');
  });

  it('a pod that had ended by then leaves nothing when it is deleted', () => {
    const world = cluster();
    create(world, 'job', { restartPolicy: 'Never', behaviours: { main: { runsForSeconds: 1 } } });
    untilPhase(world, 'job', 'Succeeded');
    world.faults.crash('worker-1');
    world.faults.restart('worker-1');
    world.advance(seconds(10));
    expect(world.machine('worker-1').runtime.all()).toHaveLength(1);
    world.client.pods.delete('job');
    world.advance(seconds(5));
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
