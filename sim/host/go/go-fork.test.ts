/** A fork of a cluster with Go programs: they go on from copies of their memory, and are what they would have been. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CustomResourceDefinition } from '../../api/types/apiextensions-k8s-io-v1.ts';
import {
  createCluster,
  goProgram,
  type GoProgramOptions,
  microseconds,
  minutes,
  seconds,
} from '../../index.ts';
import { GoInstance } from './go-instance.ts';
import { GoPlayer } from './go-player.ts';
import { GoTape, TapeDiffers } from './go-tape.ts';
import { wasm } from './web-assembly.ts';

const EXAMPLES = join(import.meta.dirname, '../../../scenarios/examples/go');
const unpacked = (path: string): Uint8Array => brotliDecompressSync(readFileSync(path));
const operator = unpacked(join(EXAMPLES, 'standard-library/operator.wasm.br'));
const probe = unpacked(join(import.meta.dirname, 'probe/probe.wasm.br'));
const definition = JSON.parse(
  readFileSync(join(EXAMPLES, 'website-definition.json'), 'utf8'),
) as CustomResourceDefinition;
const WEBSITES = {
  ...{ group: 'example.com', version: 'v1', resource: 'websites', kind: 'Website' },
  isNamespaced: true,
} as const;
const PATIENCE = { patienceMs: 60_000 };

/** An operator with watches, requests and timers under way, which has crashed once and lost answers. */
async function lived(seed = 1, options: Partial<GoProgramOptions> = {}) {
  const cluster = createCluster({ seed });
  const { client } = cluster.guests;
  await client.customResourceDefinitions.create(definition);
  await cluster.guests.advance(seconds(1));
  cluster.guest('operator', goProgram({ module: operator, ...options }), PATIENCE);
  cluster.faults.loseAnswers({ actor: 'guest/operator', percent: 20, resets: true });
  const websites = client.resource(WEBSITES);
  for (const name of ['a', 'b', 'c'])
    await websites.create({
      apiVersion: 'example.com/v1',
      kind: 'Website',
      metadata: { name, namespace: 'default' },
      spec: { page: 'hello' },
    });
  await cluster.guests.advance(seconds(2));
  cluster.faults.crash('guest/operator');
  cluster.faults.restart('guest/operator');
  await cluster.guests.advance(microseconds(1_500_123));
  return cluster;
}
type Housed = Awaited<ReturnType<typeof lived>>;

async function future({ guests, faults }: Housed): Promise<void> {
  faults.allowRequests({ actor: 'guest/operator' });
  await guests.client.resource(WEBSITES).patch('b', { type: 'merge', body: { spec: { page: 'welcome' } } });
  await guests.advance(minutes(1));
  const page = await guests.client.configMaps.get('b');
  expect(page.data).toEqual({ 'index.html': 'welcome' });
}

/** Instances that are made meanwhile. */
async function instancesIn(work: () => Promise<void>): Promise<number> {
  const made = vi.spyOn(wasm, 'Instance');
  await work();
  const { length } = made.mock.calls;
  made.mockRestore();
  return length;
}

afterEach(() => void vi.restoreAllMocks());

describe('a fork with an operator in Go', () => {
  it('runs nothing of it, and goes on as the unbroken run does, from any instant, and from a fork', async () => {
    const unbroken = await lived(7);
    await unbroken.guests.advance(seconds(4));
    await future(unbroken);
    let cluster: Housed = await lived(7);
    for (let hop = 0; hop < 4; hop++) {
      const before = cluster;
      const made = await instancesIn(async () => {
        cluster = await before.guests.fork({ seed: 7 });
      });
      expect([made, cluster.digest, [...cluster.guests.notCopied]]).toEqual([0, before.digest, []]);
      await cluster.guests.advance(seconds(1));
    }
    await future(cluster);
    expect(cluster.digest).toBe(unbroken.digest);
  });

  it('has the futures of its seeds, and none of its twins', async () => {
    const cluster = await lived();
    const forks = [];
    for (const seed of [5, 5, 6]) forks.push(await cluster.guests.fork({ seed }));
    const digests = [];
    for (const fork of forks) {
      await future(fork);
      digests.push(fork.digest);
    }
    expect(digests[0]).toBe(digests[1]);
    expect(digests[2]).not.toBe(digests[0]);
    await future(cluster);
  });

  it('says the lines of its past once more, and then its own', async () => {
    const lines: string[] = [];
    const cluster = await lived(1, { output: (line) => lines.push(line) });
    const said = lines.splice(0);
    expect(said.length).toBeGreaterThan(3);
    const fork = await cluster.guests.fork({ seed: 1 });
    expect(lines.splice(0)).toEqual(said);
    await fork.guests.advance(seconds(5));
    const own = lines.splice(0);
    await cluster.guests.advance(seconds(5));
    expect(lines).toEqual(own);
  });

  it('crashes and begins anew in a fork as anywhere', async () => {
    const cluster = await lived();
    const fork = await cluster.guests.fork({ seed: 1 });
    for (const each of [cluster, fork]) {
      each.faults.crash('guest/operator');
      each.faults.restart('guest/operator');
      await future(each);
    }
    expect(fork.digest).toBe(cluster.digest);
  });
});

describe('a Go program lives its past again in a fork, which says why', () => {
  const why = ({ guests }: Housed) => Object.fromEntries(guests.notCopied);

  it('where the fork begins in the past; lives that were over by then are not', async () => {
    const cluster = await lived();
    const fork = await cluster.guests.fork({ at: microseconds(cluster.now - 500_000), seed: 1 });
    expect(why(fork)).toEqual({ 'guest/operator': 'its state at an instant that is past was not kept' });
    cluster.faults.crash('guest/operator');
    cluster.faults.restart('guest/operator');
    await cluster.guests.advance(seconds(1));
    const between = await cluster.guests.fork({ seed: 1 });
    expect(why(between)).toEqual({});
  });

  it('where its module does not show its state', async () => {
    const cluster = await lived(1, { module: new wasm.Module(operator) });
    const fork = await cluster.guests.fork({ seed: 1 });
    expect(why(fork)).toEqual({
      'guest/operator': 'its module was compiled elsewhere, and does not show its state',
    });
    expect(fork.digest).toBe(cluster.digest);
  });

  it('where it has done too much', async () => {
    const cluster = await lived();
    vi.spyOn(GoTape.prototype, 'isGivenUp', 'get').mockReturnValue(true);
    const fork = await cluster.guests.fork({ seed: 1 });
    expect(why(fork)).toEqual({ 'guest/operator': 'it has done more than is noted' });
  });

  it('where what happens is not what has happened', async () => {
    const cluster = await lived();
    const differs = vi.spyOn(GoPlayer.prototype, 'play').mockImplementation(() => {
      throw new TapeDiffers('nothing is as it was');
    });
    const fork = await cluster.guests.fork({ seed: 1 });
    expect(differs).toHaveBeenCalled();
    expect(why(fork)['guest/operator']).toContain('it did not do the same again');
    await future(fork);
  });
});

describe('what a program asks of JavaScript', () => {
  it.each([['values'], ['timers'], ['chance'], ['grow'], ['files', '/config']])(
    'is done again from its tape: %s',
    async (...args) => {
      const lines: string[] = [];
      const module = probe;
      const options = { module, args, files: { '/config': 'abcde' } };
      const cluster = createCluster({ seed: 3, controllers: [] });
      cluster.guest('probe', goProgram({ ...options, output: (line) => lines.push(line) }), PATIENCE);
      await cluster.guests.advance(seconds(2));
      const said = lines.splice(0);
      const fork = await cluster.guests.fork({ seed: 3 });
      expect([lines.splice(0), [...fork.guests.notCopied]]).toEqual([said, []]);
      await fork.guests.advance(seconds(10));
      const rest = lines.splice(0);
      await cluster.guests.advance(seconds(10));
      expect([rest, fork.digest]).toEqual([lines, cluster.digest]);
    },
  );

  it('is held against the time at which it was asked', () => {
    const life = (elapsedMs: number) => ({
      name: 'probe',
      args: ['born'],
      output: () => undefined,
      exited: () => undefined,
      serve: () => undefined,
      ambience: {
        wallMs: () => 0,
        elapsedMs: () => elapsedMs,
        fill: (bytes: Uint8Array) => void bytes.fill(1),
        ask: () => () => undefined,
        escapes: () => undefined,
        holdsTimers: () => undefined,
        after: () => () => undefined,
      },
    });
    const module = new wasm.Module(probe);
    const first = new GoInstance(module, life(1), { tape: new GoTape() });
    first.initialize();
    new GoInstance(module, life(1), first.past(true)).initialize();
    const late = new GoInstance(module, life(2), first.past(true));
    expect(() => late.initialize()).toThrow('the time of a turn was 1 in the past and is 2 now');
  });
});
