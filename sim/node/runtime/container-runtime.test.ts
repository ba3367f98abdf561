import { describe, expect, it } from 'vitest';
import { Simulation } from '../../engine/simulation.ts';
import { ContainerRuntime, type RuntimeContainer } from './container-runtime.ts';
import type { WorkloadBehaviour } from './workload-behaviour.ts';

function setUp() {
  const { context } = new Simulation({ seed: 1 }).actor('node');
  const runtime = new ContainerRuntime();
  const start = (name: string, nowMs: number, behaviour: WorkloadBehaviour = {}): RuntimeContainer =>
    runtime.start(
      context,
      {
        podUid: 'u',
        podName: 'web',
        podNamespace: 'default',
        name,
        image: 'app:1',
        command: [],
        environment: [],
        restartCount: 0,
        behaviour,
      },
      nowMs,
    );
  const names = (): readonly string[] => runtime.containersOf('u').map(({ id }) => id);
  return { runtime, start, names };
}

describe('a runtime whose machine goes down', () => {
  it('knows nothing of what ran before', () => {
    const { runtime, start, names } = setUp();
    const { id } = start('main', 0, { runsForSeconds: 10 });
    runtime.addSandbox('u', '10.0.0.1');
    runtime.reboot();
    expect(names()).toEqual([]);
    expect(runtime.all()).toEqual([]);
    expect(runtime.get(id)).toBeUndefined();
    expect(runtime.sandboxOf('u')).toBeUndefined();
    expect(runtime.fateOf(id, 1_000)).toMatchObject({ kind: 'ended', reason: 'ContainerStatusUnknown' });
  });

  it('holds what is started anew to its own course', () => {
    const { runtime, start } = setUp();
    start('main', 0, { runsForSeconds: 10 });
    runtime.reboot();
    const { id } = start('main', 5_000, { runsForSeconds: 10, exitCode: 3 });
    expect(runtime.containersOf('u').map((each) => each.id)).toEqual([id]);
    expect(runtime.fateOf(id, 14_999)).toEqual({ kind: 'running' });
    expect(runtime.fateOf(id, 15_000)).toMatchObject({ kind: 'ended', exitCode: 3, atMs: 15_000 });
  });
});

describe('a runtime', () => {
  it('keeps the last container of each name that has ended, and all that run', () => {
    const { start, names } = setUp();
    start('main', 0, { runsForSeconds: 1 });
    const side = start('side', 0);
    const second = start('main', 2_000, { runsForSeconds: 1 });
    const third = start('main', 4_000);
    expect(names()).toEqual([side.id, second.id, third.id]);
  });

  it('forgets a pod with its sandbox', () => {
    const { runtime, start, names } = setUp();
    start('main', 0);
    start('side', 0);
    runtime.addSandbox('u', '10.0.0.1');
    runtime.removePod('u', 0);
    expect(names()).toEqual([]);
    expect(runtime.sandboxes.size).toBe(0);
  });
});
