import { spawnSync } from 'node:child_process';
import { createHash, scrypt } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  createCluster,
  GuestFailure,
  type HttpEndpoint,
  isNotFound,
  milliseconds,
  minutes,
  seconds,
} from '../index.ts';
import { engineSurroundings } from '../cluster/engine-surroundings.ts';
import type { GuestEnvironment } from './guest/guest-program.ts';
import { digestOfTwoGuests } from './two-guests.fixture.ts';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('a guest', () => {
  it('lives by its own clock, and nobody waits for real time', async () => {
    const cluster = createCluster({ controllers: [] });
    const seen: string[] = [];
    cluster.guest(
      'late',
      async () => {
        seen.push(new Date().toISOString());
        await pause(3_600_000);
        seen.push(new Date(Date.now()).toISOString());
      },
      { clock: { offset: minutes(-10) } },
    );
    await cluster.guests.advance(minutes(61));
    expect(seen).toEqual(['2024-12-31T23:50:00.000Z', '2025-01-01T00:50:00.000Z']);
    expect(Math.abs(new Date().getFullYear() - 2025)).toBeLessThan(50);
  });

  it('waits as long as its drifting clock says', async () => {
    const cluster = createCluster({ controllers: [] });
    const guest = cluster.guest('fast', () => pause(10_000), { clock: { driftPpm: 250_000 } });
    await cluster.guests.advance(milliseconds(7_999));
    expect(guest.state).toBe('running');
    await cluster.guests.advance(milliseconds(1));
    expect(guest.state).toBe('done');
  });

  it('reconciles over the network beside first-party actors', async () => {
    const cluster = createCluster({ nodes: 2 });
    cluster.guest('mirror', async ({ client }) => {
      for await (const event of await client.configMaps.watch({
        namespace: 'default',
        resourceVersion: '0',
      })) {
        if (event.type !== 'ADDED' || event.object.metadata.labels?.['mirror'] !== undefined) continue;
        const name = `${event.object.metadata.name}-mirror`;
        try {
          await client.configMaps.get(name);
        } catch (error) {
          if (!isNotFound(error)) throw error;
          await client.configMaps.create({
            metadata: { name, labels: { mirror: 'yes' } },
            data: event.object.data ?? {},
          });
        }
      }
    });
    const { client } = cluster.guests;
    await client.configMaps.create({ metadata: { name: 'a' }, data: { k: 'v' } });
    const mirror = await cluster.guests.eventually(() => client.configMaps.get('a-mirror'), {
      within: seconds(5),
    });
    expect(mirror.data).toEqual({ k: 'v' });
  });

  it('runs timers that are due at one instant one after the other, with what follows from each', async () => {
    const cluster = createCluster({ controllers: [] });
    const order: string[] = [];
    cluster.guest('timers', async () => {
      for (const name of ['a', 'b']) {
        setTimeout(() => {
          order.push(name);
          void Promise.resolve().then(() => order.push(`${name} then`));
        }, 5);
      }
      await pause(10);
    });
    await cluster.guests.advance(seconds(1));
    expect(order).toEqual(['a', 'a then', 'b', 'b then']);
  });

  it('stays where it is when it crashes, and begins anew when it is restarted', async () => {
    const cluster = createCluster({ controllers: [] });
    const log: string[] = [];
    cluster.guest('fragile', async () => {
      log.push('begin');
      await pause(1_000);
      log.push('end');
    });
    await cluster.guests.advance(milliseconds(500));
    cluster.faults.crash('guest/fragile');
    await cluster.guests.advance(seconds(5));
    expect(log).toEqual(['begin']);
    cluster.faults.restart('guest/fragile');
    await cluster.guests.advance(seconds(5));
    expect(log).toEqual(['begin', 'begin', 'end']);
  });

  it('reports what its function throws', async () => {
    const cluster = createCluster({ controllers: [] });
    cluster.guest('broken', async () => {
      await pause(10);
      throw new Error('out of ideas');
    });
    await expect(cluster.guests.advance(seconds(1))).rejects.toThrow(GuestFailure);
  });

  it('keeps others from driving the cluster without its turns', () => {
    const cluster = createCluster({ controllers: [] });
    cluster.guest('one', () => pause(1));
    expect(() => cluster.advance(seconds(1))).toThrow('this cluster has guests');
  });
});

describe('a guest that awaits something real', () => {
  const strayed = 'guest/stray went on outside its turn: it awaited something real';
  const digest = (): Promise<unknown> => crypto.subtle.digest('SHA-256', new Uint8Array(64));

  it.each<[string, () => Promise<unknown>]>([
    ['a digest', digest],
    ['a file', () => readFile(fileURLToPath(import.meta.url))],
    ['a key', () => new Promise((resolve) => scrypt('a', 'b', 8, { N: 2 }, resolve))],
    ['a name', () => lookup('localhost')],
  ])('is told so by name: %s', async (_what, work) => {
    const cluster = createCluster({ controllers: [] });
    cluster.guest('stray', async ({ client }) => {
      await work();
      await client.configMaps.create({ metadata: { name: 'never' } });
    });
    await expect(cluster.guests.advance(seconds(10))).rejects.toThrow(strayed);
    const known = await cluster.guests.client.configMaps.list({ namespace: 'default' });
    expect(known.items.map(({ metadata }) => metadata.name)).not.toContain('never');
  });

  it.each<[string, (environment: GuestEnvironment) => unknown]>([
    ['a call', ({ client }) => client.nodes.list()],
    ['a timer', () => setTimeout(() => undefined, 1)],
    ['an interval', () => setInterval(() => undefined, 1)],
    ['a draw', () => Math.random()],
    ['a uuid', () => crypto.randomUUID()],
    ['random bytes', () => crypto.getRandomValues(new Uint8Array(4))],
  ])('can do nothing then, and has failed even if it hides that: %s', async (_what, act) => {
    const cluster = createCluster({ controllers: [] });
    let goOn = (): void => undefined;
    const outside = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const told: unknown[] = [];
    const guest = cluster.guest('stray', async (environment) => {
      await outside;
      try {
        await act(environment);
        told.push('nothing');
      } catch (error) {
        told.push(error);
      }
      await new Promise(() => undefined);
    });
    await cluster.guests.advance(seconds(1));
    expect(guest.state).toBe('running');
    // Not a turn of this guest, but while the cluster is driven: the globals are those of guests.
    cluster.guest('other', async () => goOn());
    await expect(cluster.guests.advance(seconds(1))).rejects.toThrow(strayed);
    expect(told).toEqual([expect.objectContaining({ name: 'OutsideTurn' })]);
    expect(guest.state).toBe('failed');
  });

  it('is told so by its next call when nobody drove the cluster meanwhile', async () => {
    const cluster = createCluster({ controllers: [] });
    let goOn = (): void => undefined;
    const outside = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    cluster.guest('stray', async ({ client }) => {
      await outside;
      await client.nodes.list();
    });
    await cluster.guests.advance(seconds(1));
    goOn();
    await Promise.resolve();
    await expect(cluster.guests.advance(seconds(1))).rejects.toThrow(strayed);
  });

  it('may begin anew after a restart', async () => {
    const cluster = createCluster({ controllers: [] });
    let lives = 0;
    const guest = cluster.guest('stray', async () => {
      if (lives++ === 0) await digest();
      await pause(1_000);
    });
    await expect(cluster.guests.advance(seconds(1))).rejects.toThrow(strayed);
    cluster.faults.crash('guest/stray');
    cluster.faults.restart('guest/stray');
    await cluster.guests.advance(seconds(5));
    expect(guest.state).toBe('done');
  });

  it('is another matter than output and synchronous work', async () => {
    const cluster = createCluster({ controllers: [] });
    const guest = cluster.guest('neat', async () => {
      process.stderr.write('');
      createHash('sha256').update('a').digest('hex');
      structuredClone({ a: 1 });
      await pause(10);
    });
    await cluster.guests.advance(seconds(1));
    expect(guest.state).toBe('done');
  });
});

describe('a guest that serves a port', () => {
  const HOOK: HttpEndpoint = { kind: 'actor', actor: 'guest/hook', port: 8443 };

  /** What an API server's call to the guest comes to. */
  const asked = (cluster: ReturnType<typeof createCluster>, path: string) => {
    const { actor } = cluster.apiServers[0]!;
    const task = actor.spawn('call', (context) =>
      engineSurroundings(context).call(HOOK, { method: 'GET', path }, 10_000),
    );
    return async () => {
      await cluster.guests.eventually(() => task.state !== 'active', { within: seconds(20) });
      return task.result();
    };
  };
  const text = (body: string) => ({ kind: 'object', object: body }) as const;

  it('answers calls in its turns, as soon as its promise is kept', async () => {
    const cluster = createCluster({ controllers: [] });
    const seen: string[] = [];
    cluster.guest('hook', async ({ client, serve }) => {
      serve(8443, async ({ path }, peer) => {
        seen.push(`${path} from ${peer}`);
        await pause(50);
        const { items } = await client.namespaces.list();
        return { status: 200, body: text(`${items.length}`) };
      });
    });
    await cluster.guests.advance(seconds(1));
    const [first, second] = [asked(cluster, '/a'), asked(cluster, '/b')];
    expect(await first()).toEqual({ kind: 'answer', answer: { status: 200, body: text('4') } });
    expect(await second()).toEqual({ kind: 'answer', answer: { status: 200, body: text('4') } });
    expect(seen).toEqual(['/a from apiserver/0', '/b from apiserver/0']);
  });

  it('answers 500 when its handler throws, and lives on', async () => {
    const cluster = createCluster({ controllers: [] });
    cluster.guest('hook', async ({ serve }) => {
      serve(8443, ({ path }) => {
        if (path === '/bad') throw new Error('out of ideas');
        return { status: 204 };
      });
    });
    await cluster.guests.advance(seconds(1));
    expect(await asked(cluster, '/bad')()).toMatchObject({ kind: 'answer', answer: { status: 500 } });
    expect(await asked(cluster, '/good')()).toEqual({ kind: 'answer', answer: { status: 204 } });
  });

  it('refuses and resets while it is down, times out while it is paused, and answers in its next life', async () => {
    const cluster = createCluster({ controllers: [] });
    cluster.guest('hook', async ({ serve }) => {
      serve(8443, async () => {
        await pause(2_000);
        return { status: 204 };
      });
    });
    await cluster.guests.advance(seconds(1));
    const amid = asked(cluster, '/');
    await cluster.guests.advance(seconds(1));
    cluster.faults.crash('guest/hook');
    expect(await amid()).toEqual({ kind: 'reset' });
    expect(await asked(cluster, '/')()).toEqual({ kind: 'refused' });
    cluster.faults.restart('guest/hook');
    await cluster.guests.advance(seconds(1));
    cluster.faults.pause('guest/hook');
    expect(await asked(cluster, '/')()).toEqual({ kind: 'timeout' });
    cluster.faults.resume('guest/hook');
    await cluster.guests.advance(seconds(5));
    expect(await asked(cluster, '/')()).toEqual({ kind: 'answer', answer: { status: 204 } });
  });
});

describe('two clusters with guests, driven side by side', () => {
  it('leave the globals as they were, and keep their guests apart', async () => {
    const look = () => [Date, setTimeout, setInterval, Math.random, crypto.randomUUID, process.hrtime];
    const before = look();
    const drawn: string[][] = [[], []];
    const clusters = drawn.map((own) => {
      const cluster = createCluster({ controllers: [], seed: 3 });
      cluster.guest('one', async () => {
        for (let round = 0; round < 20; round++) {
          own.push(`${Date.now()} ${Math.random()} ${process.hrtime().join('.')}`);
          await pause(100);
        }
      });
      return cluster;
    });
    await Promise.all(clusters.map((cluster, index) => cluster.guests.advance(seconds(1 + index))));
    expect(look()).toEqual(before);
    await Promise.all(clusters.map((cluster, index) => cluster.guests.advance(seconds(2 - index))));
    expect(look()).toEqual(before);
    expect(drawn[0]).toHaveLength(20);
    expect(drawn[1]).toEqual(drawn[0]);
    expect(clusters[0]?.digest).toMatch(/^[0-9a-f]{16}$/);
  });

  it('leave them as they were when one of them fails amid the other', async () => {
    const before = [Date, setTimeout];
    const good = createCluster({ controllers: [] });
    good.guest('long', () => pause(5_000));
    const bad = createCluster({ controllers: [] });
    bad.guest('bad', async () => {
      await pause(5);
      throw new Error('out of ideas');
    });
    const ends = await Promise.allSettled([good.guests.advance(seconds(9)), bad.guests.advance(seconds(9))]);
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect([Date, setTimeout]).toEqual(before);
  });
});

describe('two guests with skewed clocks', () => {
  // A thousand seeds are for `sim/cli/digests`.
  it('give one digest in 30 runs', async () => {
    const digests = new Set<string>();
    for (let run = 0; run < 30; run++) digests.add(await digestOfTwoGuests(5));
    expect(digests.size).toBe(1);
  });

  it('give it in fresh processes, other time zones and locales', async () => {
    const here = await digestOfTwoGuests(5);
    const entry = fileURLToPath(new URL('two-guests.fixture.ts', import.meta.url));
    const script = `const {digestOfTwoGuests}=await import(${JSON.stringify(entry)});process.stdout.write(await digestOfTwoGuests(5));`;
    for (const env of [{}, { TZ: 'Asia/Kolkata', LC_ALL: 'tr_TR.UTF-8' }]) {
      const { stdout } = spawnSync(
        process.execPath,
        ['--import', 'tsx', '--input-type=module', '-e', script],
        {
          env: { ...process.env, ...env },
          encoding: 'utf8',
        },
      );
      expect(stdout).toBe(here);
    }
  });
});
