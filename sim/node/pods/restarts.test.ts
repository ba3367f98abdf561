import { describe, expect, it } from 'vitest';
import { minutes, seconds } from '../../engine/time.ts';
import { cluster, container, create, status } from '../../cluster/pod-world.fixture.ts';

describe('a container', () => {
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

  it('finds what the one before it has left in a volume', () => {
    const world = cluster();
    const script = 'if [[ -r /data/foo ]]; then exit 0; else touch /data/foo; exit 1; fi';
    world.client.pods.create({
      metadata: { name: 'once' },
      spec: {
        restartPolicy: 'OnFailure',
        volumes: [{ name: 'data', emptyDir: {} }],
        containers: [
          {
            name: 'main',
            image: 'busybox',
            command: ['sh', '-c', script],
            volumeMounts: [{ name: 'data', mountPath: '/data' }],
          },
        ],
      },
    });
    world.advance(minutes(2));
    expect(status(world, 'once')?.phase).toBe('Succeeded');
    expect(container(world, 'once')?.restartCount).toBe(1);
  });

  it('finds the token of its account', () => {
    const world = cluster();
    const token = '/var/run/secrets/kubernetes.io/serviceaccount/token';
    world.client.pods.create({
      metadata: { name: 'looks' },
      spec: {
        restartPolicy: 'Never',
        containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', `test -f ${token}`] }],
      },
    });
    world.advance(minutes(1));
    expect(status(world, 'looks')?.phase).toBe('Succeeded');
  });
});
