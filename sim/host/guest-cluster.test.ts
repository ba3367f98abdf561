import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createCluster, GuestFailure, isNotFound, milliseconds, minutes, seconds } from '../index.ts';
import { digestOfTwoGuests } from './two-guests.ts';

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

describe('two guests with skewed clocks', () => {
  it('give one digest in 200 runs', async () => {
    const digests = new Set<string>();
    for (let run = 0; run < 200; run++) digests.add(await digestOfTwoGuests(5));
    expect(digests.size).toBe(1);
  });

  it('give it in fresh processes, other time zones and locales', async () => {
    const here = await digestOfTwoGuests(5);
    const entry = fileURLToPath(new URL('two-guests.ts', import.meta.url));
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
