import { describe, expect, it } from 'vitest';
import type { Container } from '../../api/types/core-v1.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { minutes, seconds } from '../../engine/time.ts';
import { endBefore } from './pod-termination.ts';
import {
  cluster,
  conditions,
  create,
  eventsOf,
  names,
  status,
  untilPhase,
} from '../../cluster/pod-world.fixture.ts';

const sidecar = (name: string, more: Partial<Container> = {}): Container => ({
  name,
  image: 'proxy:1',
  restartPolicy: 'Always',
  ...more,
});
const init = (world: Cluster, pod: string, name: string) =>
  status(world, pod)?.initContainerStatuses?.find((each) => each.name === name);

describe('a sidecar', () => {
  it('starts before the next container, as soon as its startup probe has succeeded', () => {
    const world = cluster();
    create(world, 'web', {
      initContainers: [
        sidecar('proxy', {
          startupProbe: { tcpSocket: { port: 80 }, periodSeconds: 1, failureThreshold: 60 },
        }),
        { name: 'migrate', image: 'app:1' },
      ],
      behaviours: { proxy: { readyAfterSeconds: 20 }, migrate: { runsForSeconds: 2 } },
    });
    world.advance(seconds(15));
    expect(init(world, 'web', 'proxy')).toMatchObject({ started: false });
    expect(init(world, 'web', 'migrate')?.state?.waiting?.reason).toBe('PodInitializing');
    expect(world.client.pods.get('web').status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'Initialized',
        reason: 'ContainersNotInitialized',
        message: 'containers with incomplete status: [proxy migrate]',
      }),
    );
    untilPhase(world, 'web', 'Running');
    expect(init(world, 'web', 'proxy')).toMatchObject({ started: true, ready: true });
    expect(init(world, 'web', 'migrate')).toMatchObject({ started: false, ready: true });
    expect(conditions(world.client.pods.get('web'))).toMatchObject({ Initialized: 'True', Ready: 'True' });
  });

  it('is restarted while its pod runs, and its pod is not ready meanwhile', () => {
    const world = cluster();
    create(world, 'web', {
      initContainers: [sidecar('proxy')],
      behaviours: { proxy: { runsForSeconds: 30, exitCode: 0 } },
    });
    untilPhase(world, 'web', 'Running');
    world.eventually(() => init(world, 'web', 'proxy')?.state?.waiting?.reason === 'CrashLoopBackOff', {
      within: minutes(3),
      every: seconds(1),
    });
    expect(init(world, 'web', 'proxy')?.restartCount).toBeGreaterThanOrEqual(1);
    expect(status(world, 'web')).toMatchObject({ phase: 'Running' });
    expect(world.client.pods.get('web').status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'Ready',
        status: 'False',
        message: 'containers with unready status: [proxy]',
      }),
    );
  });

  it('does not keep a pod from completing', () => {
    const world = cluster();
    create(world, 'job', {
      restartPolicy: 'Never',
      initContainers: [sidecar('proxy')],
      behaviours: { main: { runsForSeconds: 5 }, proxy: { stopsAfterSeconds: 3 } },
    });
    untilPhase(world, 'job', 'Succeeded');
    expect(init(world, 'job', 'proxy')).toMatchObject({
      restartCount: 0,
      state: { terminated: { exitCode: 143 } },
    });
    expect(eventsOf(world, 'job')).toContain('Killing: Stopping container proxy');
    expect(conditions(world.client.pods.get('job'))).toMatchObject({
      PodReadyToStartContainers: 'False',
      Initialized: 'True',
      Ready: 'False',
    });
  });

  it('ends after the main containers, the last one first', () => {
    const world = cluster();
    create(world, 'web', {
      initContainers: [sidecar('first'), sidecar('second')],
      behaviours: {
        main: { stopsAfterSeconds: 5 },
        second: { stopsAfterSeconds: 3 },
        first: { stopsAfterSeconds: 1 },
      },
    });
    untilPhase(world, 'web', 'Running');
    const watch = world.client.pods.watch();
    world.client.pods.delete('web');
    world.advance(seconds(12));
    expect(names(world)).toEqual([]);
    const last = watch.events.findLast(({ type }) => type === 'MODIFIED')?.object as unknown;
    const ends = JSON.stringify(last).match(/"finishedAt":"[^"]*"/g) ?? [];
    const { initContainerStatuses = [], containerStatuses = [] } = (
      last as { status: NonNullable<ReturnType<typeof status>> }
    ).status;
    const endOf = (each: (typeof containerStatuses)[number] | undefined): number =>
      Date.parse(each?.state?.terminated?.finishedAt ?? '');
    expect(ends).toHaveLength(3);
    const [main, second, first] = [containerStatuses[0], initContainerStatuses[1], initContainerStatuses[0]];
    expect(endOf(second) - endOf(main)).toBe(3_000);
    expect(endOf(first) - endOf(second)).toBe(1_000);
  });

  it.each([
    ['first', ['second', 'a', 'b']],
    ['second', ['a', 'b']],
    ['plain', []],
    ['a', []],
  ])('waits for those after it: %s for %j', (name, expected) => {
    const spec = {
      initContainers: [sidecar('first'), { name: 'plain' }, sidecar('second')],
      containers: [{ name: 'a' }, { name: 'b' }],
    };
    const role = name.length === 1 ? 'main' : 'init';
    const container = [...spec.initContainers, ...spec.containers].find((each) => each.name === name);
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: {}, spec } as const;
    expect(container && endBefore(pod, { role, spec: container })).toEqual(expected);
  });
});
