import { describe, expect, test } from 'vitest';
import { newTally, type Tally } from './finding.ts';
import { fuzz, type FuzzOptions } from './fuzz.ts';
import { attackMemory, attackSilently, attackWatches } from './memory.ts';
import { mutated } from './mutate.ts';
import { Random } from './random.ts';
import { recordedCalls } from './recorded-calls.ts';
import { attackSockets } from './sockets.ts';
import { attackSteering } from './steering.ts';
import { attackWire } from './wire.ts';

const options = (requests: number): FuzzOptions => ({
  seed: 20,
  isOver: (tally) => tally.requests >= requests,
  onProgress: () => undefined,
});
/** `npm run attack` goes on for as long as one likes. */
const withoutHarm = ({ defects, findings }: Tally): void => {
  expect(findings.map(({ what, command }) => `${what}: ${command}`)).toEqual([]);
  expect(defects).toBe(0);
};

describe('a server bears', () => {
  test('hostile forms of the recorded requests', () => {
    const tally = newTally();
    fuzz(options(6_000), tally);
    withoutHarm(tally);
  });

  test('the same over HTTP/1.1, TLS and HTTP/2', async () => {
    const tally = newTally();
    await attackWire(options(300), tally);
    withoutHarm(tally);
  }, 60_000);

  test('whatever it is told of faults, clocks, clusters and nodes', async () => {
    const tally = newTally();
    await attackSteering(options(200), tally);
    withoutHarm(tally);
  }, 120_000);

  test('objects that come and go, idle watches, and readers that never read, in bounded memory', async () => {
    for (const [attack, count] of [
      [attackMemory, 300],
      [attackWatches, 100],
      [attackSilently, 300],
    ] as const) {
      const tally = newTally();
      await attack(options(count), tally);
      withoutHarm(tally);
      expect(tally.figures['beforeMb']).toBeGreaterThan(0);
    }
  }, 120_000);

  test('clients that keep no rules', async () => {
    const tally = newTally();
    await attackSockets(options(64), tally);
    withoutHarm(tally);
  }, 60_000);
});

test('equal seeds are equal attacks', () => {
  const calls = recordedCalls();
  const attack = (seed: number): readonly string[] => {
    const random = new Random(seed);
    return calls.slice(0, 500).map((call) => {
      const { method, path, body = [] } = mutated(call, random);
      return `${method} ${path} ${Buffer.from(body).toString('base64')}`;
    });
  };
  expect(attack(7)).toEqual(attack(7));
  expect(attack(7)).not.toEqual(attack(8));
});
