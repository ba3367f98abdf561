import { describe, expect, it } from 'vitest';
import { minutes, seconds } from '../../engine/time.ts';
import { cluster, container, create, untilPhase } from '../../cluster/pod-world.ts';

describe('a pod with probes', () => {
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
});
