import { describe, expect, it } from 'vitest';
import { createCluster, type GuestFunction, runTwice, seconds } from '../index.ts';
import { digestOfFiveObjects } from './five-objects-run.fixture.ts';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
let ofTheProcess = 0;

const writing =
  (value: () => unknown): GuestFunction =>
  async ({ client }) => {
    for (let index = 0; index < 3; index++) {
      await client.configMaps.create({ metadata: { name: `n${index}` }, data: { v: String(value()) } });
      await pause(500);
    }
  };

const verdictOn = (value: () => unknown) =>
  runTwice(async (trace) => {
    const cluster = createCluster({ controllers: [], seed: 3, trace });
    cluster.guest('writer', writing(value));
    await cluster.guests.advance(seconds(5));
  });

describe('a run with guests, run twice', () => {
  it('is the same whatever it draws of its seed and its clock', async () => {
    expect(await verdictOn(() => `${Math.random()} ${Date.now()} ${crypto.randomUUID()}`)).toMatchObject({
      kind: 'same',
    });
  });

  it('is named by the first record that differs when it takes something from elsewhere', async () => {
    const verdict = await verdictOn(() => ofTheProcess++);
    expect(verdict).toMatchObject({ kind: 'different' });
    expect(verdict).toHaveProperty(
      'message',
      expect.stringContaining('/api/v1/namespaces/default/configmaps'),
    );
  });
});

describe('an operator on the JavaScript client, loaded anew for each life, through lost answers and a crash', () => {
  it('gives one digest for each seed, whatever ran before it', async () => {
    const seeds = [1, 2, 3, 4, 5];
    const digests = async (order: readonly number[]): Promise<ReadonlyMap<number, string>> => {
      const found = new Map<number, string>();
      for (const seed of order) found.set(seed, await digestOfFiveObjects(seed));
      return found;
    };
    const [first, second] = [await digests(seeds), await digests(seeds.toReversed())];
    expect([...second].toReversed()).toEqual([...first]);
    expect(new Set(first.values()).size).toBe(seeds.length);
  });
});
