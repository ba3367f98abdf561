/** Clusters whose guests have a past are forked as others are: the past is lived again. */
import { describe, expect, it } from 'vitest';
import { createCluster, type GuestFunction, microseconds, seconds } from '../index.ts';
import { Irreproducible } from '../cluster/journal.ts';

/** Counts for ever, at times that chance chooses, and says how far it has come. */
const counting: GuestFunction = async ({ client }) => {
  await client.configMaps
    .create({ metadata: { name: 'count' }, data: { value: '0' } })
    .catch(() => undefined);
  for (let value = 1; ; value++) {
    await new Promise((resolve) => setTimeout(resolve, 500 + Math.random() * 1_000));
    await client.configMaps
      .patch('count', { type: 'merge', body: { data: { value: `${value}` } } })
      .catch(() => undefined);
  }
};

async function lived(seed = 1) {
  const cluster = createCluster({ nodes: 1, seed });
  cluster.guest('counter', counting);
  await cluster.guests.advance(seconds(5));
  await cluster.guests.client.configMaps.create({ metadata: { name: 'mine' } });
  await expect(cluster.guests.client.configMaps.create({ metadata: { name: 'mine' } })).rejects.toThrow();
  cluster.faults.crash('guest/counter');
  await cluster.guests.advance(seconds(1));
  cluster.faults.restart('guest/counter');
  await cluster.guests.advance(seconds(10));
  return cluster;
}
type Housed = Awaited<ReturnType<typeof lived>>;

async function future(cluster: Housed): Promise<string> {
  await cluster.guests.advance(seconds(20));
  return cluster.digest;
}
const countIn = async (cluster: Housed): Promise<string | undefined> =>
  (await cluster.guests.client.configMaps.get('count')).data?.['value'];

describe('a fork of a cluster with guests', () => {
  it('has the same past, and the same future with equal seeds only', async () => {
    const cluster = await lived();
    const forks = [];
    for (const seed of [5, 5, 6]) forks.push(await cluster.guests.fork({ seed }));
    for (const fork of forks) expect([fork.digest, fork.now]).toEqual([cluster.digest, cluster.now]);
    const futures = [];
    for (const fork of forks) futures.push(await future(fork));
    expect(futures[0]).toBe(futures[1]);
    expect(futures[2]).not.toBe(futures[0]);
  });

  it('with the seed of the past goes on as the original does, which knows nothing of it', async () => {
    const [cluster, untouched] = [await lived(7), await lived(7)];
    const fork = await cluster.guests.fork({ seed: 7 });
    expect(await future(fork)).toBe(await future(untouched));
    expect(await future(cluster)).toBe(untouched.digest);
  });

  it('begins amid a span that went by, or a call that was under way', async () => {
    const cluster = await lived();
    const amid = microseconds(3_000_000);
    const [one, other] = [
      await cluster.guests.fork({ at: amid, seed: 2 }),
      await cluster.guests.fork({ at: amid, seed: 2 }),
    ];
    expect([one.now, other.now]).toEqual([amid, amid]);
    expect(one.digest).toBe(other.digest);
    await expect(one.guests.client.configMaps.get('mine')).rejects.toThrow();
    expect(Number(await countIn(one))).toBeGreaterThan(0);
    // A call of the test takes about a millisecond.
    const inCall = await cluster.guests.fork({ at: microseconds(5_000_200), seed: 2 });
    await inCall.guests.advance(seconds(1));
    expect((await inCall.guests.client.configMaps.get('mine')).metadata.name).toBe('mine');
  });

  it('is forked again, and both pasts are its own', async () => {
    const cluster = await lived();
    const child = await cluster.guests.fork({ at: seconds(8), seed: 3 });
    await child.guests.advance(seconds(4));
    const again = await child.guests.fork({ seed: 4 });
    expect([again.digest, again.now]).toEqual([child.digest, child.now]);
    expect(await countIn(again)).toBe(await countIn(child));
  });

  it('is refused where something was done that cannot be done again', async () => {
    const cluster = await lived();
    const watch = await cluster.guests.client.configMaps.watch();
    await watch.next();
    await expect(cluster.guests.fork({ seed: 1 })).rejects.toThrow(Irreproducible);
    expect((await cluster.guests.fork({ at: seconds(5), seed: 1 })).now).toBe(seconds(5));
    expect(() => cluster.fork({ seed: 1 })).toThrow('this cluster has guests');
  });
});
