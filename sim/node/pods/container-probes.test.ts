import { describe, expect, it } from 'vitest';
import { minutes, seconds } from '../../engine/time.ts';
import { cluster, container, create, eventsOf, status, untilPhase } from '../../cluster/pod-world.fixture.ts';

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

  it('runs its command where one knows what that finds', () => {
    const world = cluster();
    const exec = { command: ['cat', '/tmp/healthy'] };
    create(world, 'goes-bad', {
      containers: [
        {
          image: 'busybox',
          command: ['/bin/sh', '-c', 'touch /tmp/healthy; sleep 30; rm -f /tmp/healthy; sleep 600'],
          livenessProbe: { exec, initialDelaySeconds: 5, periodSeconds: 5 },
        },
      ],
    });
    world.advance(seconds(40));
    expect(container(world, 'goes-bad')?.restartCount).toBe(0);
    expect(eventsOf(world, 'goes-bad')).toContain(
      'Unhealthy: Liveness probe failed: cat: /tmp/healthy: No such file or directory\n',
    );
    world.eventually(() => container(world, 'goes-bad')?.restartCount === 1, { within: minutes(2) });
    world.advance(seconds(20));
    expect(container(world, 'goes-bad')?.restartCount).toBe(1);
  });

  it('is not ready by a command that fails or takes too long, and by one that nobody knows it is', () => {
    const world = cluster();
    const ready = (name: string, image: string, ...command: string[]): void =>
      create(world, name, {
        containers: [{ image, readinessProbe: { exec: { command }, periodSeconds: 2 } }],
      });
    ready('fails', 'agnhost', '/bin/false');
    ready('late', 'agnhost', 'sleep', '5');
    ready('fine', 'agnhost', 'sh', '-c', 'exit 0');
    ready('unknown', 'agnhost', 'sh', '-c', 'pg_isready -U postgres');
    ready('own', 'example.com/app', 'cat', '/tmp/ready');
    world.advance(seconds(30));
    const isReady = (name: string) => container(world, name)?.ready;
    expect(['fails', 'late', 'fine', 'unknown', 'own'].map(isReady)).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
    expect(eventsOf(world, 'late')).toContain(
      'Unhealthy: Readiness probe failed: command "sleep 5" timed out',
    );
  });

  it('of a server that one knows hears what that says', () => {
    const world = cluster();
    const probed = (name: string, args: string[], port: number): void =>
      create(world, name, {
        containers: [
          {
            image: 'agnhost',
            args,
            livenessProbe: { httpGet: { path: '/healthz', port }, periodSeconds: 2 },
          },
        ],
      });
    probed('dies', ['liveness'], 8_080);
    probed('lives', ['netexec'], 8_080);
    probed('deaf', ['netexec'], 81);
    world.advance(minutes(1));
    const restarts = ['dies', 'lives', 'deaf'].map((name) => container(world, name)?.restartCount ?? 0);
    expect(restarts.map((count) => count > 0)).toEqual([true, false, true]);
    expect(eventsOf(world, 'dies')).toContain(
      'Unhealthy: Liveness probe failed: HTTP probe failed with statuscode: 500',
    );
  });

  it('of a page fails while somebody has taken the page away', () => {
    const world = cluster();
    create(world, 'web', {
      containers: [
        {
          image: 'httpd:2.4',
          readinessProbe: {
            httpGet: { path: '/index.html', port: 80 },
            periodSeconds: 1,
            failureThreshold: 1,
          },
        },
      ],
    });
    world.advance(seconds(20));
    expect(container(world, 'web')?.ready).toBe(true);
    const { runtime } = world.machine('worker-1');
    const id = runtime.all()[0]?.id ?? '';
    const page = '/usr/local/apache2/htdocs/index.html';
    runtime.written.remove(id, page);
    world.advance(seconds(5));
    expect(container(world, 'web')?.ready).toBe(false);
    expect(eventsOf(world, 'web')).toContain(
      'Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 404',
    );
    runtime.written.write(id, page, new Uint8Array());
    world.advance(seconds(5));
    expect(container(world, 'web')?.ready).toBe(true);
  });

  it('of a command has the answer of that command', () => {
    const world = cluster();
    create(world, 'web', {
      containers: [{ livenessProbe: { exec: { command: ['cat', '/tmp/healthy'] }, periodSeconds: 5 } }],
      behaviours: { main: { exec: { 'cat /tmp/healthy': { exitCode: 1, stderr: 'no such file' } } } },
    });
    world.advance(seconds(40));
    expect(eventsOf(world, 'web')).toEqual(
      expect.arrayContaining([
        'Unhealthy: Liveness probe failed: no such file',
        'Killing: Container main failed liveness probe, will be restarted',
      ]),
    );
  });

  it.each([
    [
      { httpGet: { port: 'web', path: '/ready' } },
      'Get "http://IP:8080/ready": dial tcp IP:8080: connect: connection refused',
    ],
    [{ tcpSocket: { port: 8080 } }, 'dial tcp IP:8080: connect: connection refused'],
  ])('that nobody answers says so: %j', (probe, message) => {
    const world = cluster();
    create(world, 'web', {
      containers: [
        { ports: [{ name: 'web', containerPort: 8080 }], readinessProbe: { ...probe, periodSeconds: 5 } },
      ],
      behaviours: { main: { readyAfterSeconds: 300 } },
    });
    world.advance(seconds(20));
    const ip = status(world, 'web')?.podIP ?? '';
    expect(eventsOf(world, 'web')).toContain(
      `Unhealthy: Readiness probe failed: ${message.replaceAll('IP', ip)}`,
    );
  });

  it('whose container is not to be restarted is killed for good', () => {
    const world = cluster();
    create(world, 'once', {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 60,
      containers: [
        {
          livenessProbe: { httpGet: { port: 80 }, periodSeconds: 1, terminationGracePeriodSeconds: 3 },
        },
      ],
      behaviours: {
        main: { ignoresTerm: true, failsProbes: [{ probe: 'liveness', fromSeconds: 5 }] },
      },
    });
    world.advance(seconds(30));
    expect(status(world, 'once')).toMatchObject({
      phase: 'Failed',
      containerStatuses: [{ state: { terminated: { exitCode: 137 } } }],
    });
    expect(eventsOf(world, 'once')).toEqual(
      expect.arrayContaining([
        'Unhealthy: Liveness probe failed: HTTP probe failed with statuscode: 503',
        'Killing: Container main failed liveness probe',
      ]),
    );
  });
});
