/** Crashes of guests at any instant of their lives, again and again, and ends of their worlds at any time. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { CustomResourceDefinition } from '../api/types/apiextensions-k8s-io-v1.ts';
import { createCluster, goProgram, type GuestProgram, microseconds, seconds } from '../index.ts';

const EXAMPLES = join(import.meta.dirname, '../../scenarios/examples/go');
const definition = JSON.parse(
  readFileSync(join(EXAMPLES, 'website-definition.json'), 'utf8'),
) as CustomResourceDefinition;
const inGo = goProgram({
  module: brotliDecompressSync(readFileSync(join(EXAMPLES, 'standard-library/operator.wasm.br'))),
});
const WEBSITES = {
  ...{ group: 'example.com', version: 'v1', resource: 'websites', kind: 'Website' },
  isNamespaced: true,
} as const;
const NAMES = ['a', 'b', 'c'];

type Cluster = ReturnType<typeof createCluster>;

interface Operator {
  readonly program: GuestProgram;
  readonly prepare: (cluster: Cluster) => Promise<void>;
  /** Names of what it has made. */
  readonly made: (cluster: Cluster) => Promise<readonly string[]>;
}

const OPERATORS: Readonly<Record<string, Operator>> = {
  'the JavaScript client': {
    program: () => import('./five-objects.fixture.ts'),
    prepare: () => Promise.resolve(),
    made: async ({ guests }) =>
      (await guests.client.secrets.list({ namespace: 'default' })).items.map(
        ({ metadata }) => metadata.name ?? '',
      ),
  },
  Go: {
    program: inGo,
    prepare: async ({ guests }) => {
      await guests.client.customResourceDefinitions.create(definition);
      await guests.advance(seconds(1));
      for (const name of NAMES)
        await guests.client.resource(WEBSITES).create({
          apiVersion: 'example.com/v1',
          kind: 'Website',
          metadata: { name, namespace: 'default' },
          spec: { page: 'hello' },
        });
    },
    made: async ({ guests }) =>
      (await guests.client.configMaps.list({ namespace: 'default' })).items
        .map(({ metadata }) => metadata.name ?? '')
        .filter((name) => NAMES.includes(name)),
  },
};

const PATIENCE = { patienceMs: 60_000 };

/** Crashes it as often, each time a little later in its life, at times twice before it has begun anew. */
async function crashed({ program, prepare }: Operator, stepMicros: number): Promise<Cluster> {
  const cluster = createCluster({ seed: 5 });
  await prepare(cluster);
  cluster.guest('operator', program, PATIENCE);
  for (let life = 0; life < 12; life++) {
    await cluster.guests.advance(microseconds(life * stepMicros + 1));
    cluster.faults.crash('guest/operator');
    if (life % 3 === 0) {
      cluster.faults.restart('guest/operator');
      cluster.faults.crash('guest/operator');
    }
    cluster.faults.restart('guest/operator');
  }
  await cluster.guests.advance(seconds(20));
  return cluster;
}

describe.each(Object.entries(OPERATORS))('an operator on %s', (_name, operator) => {
  it.each([13, 211, 1_900])(
    'that crashes amid whatever it does comes to its end, and does so again: steps of %i us',
    async (stepMicros) => {
      const [cluster, again] = [await crashed(operator, stepMicros), await crashed(operator, stepMicros)];
      expect((await operator.made(cluster)).length).toBeGreaterThanOrEqual(NAMES.length);
      await operator.made(again);
      expect(again.digest).toBe(cluster.digest);
    },
  );

  it('crashes while what it should hear is held, and its next life hears everything', async () => {
    const { program, prepare, made } = operator;
    const cluster = createCluster({ seed: 5 });
    await prepare(cluster);
    cluster.guest('operator', program, PATIENCE);
    await cluster.guests.advance(microseconds(2_500));
    for (let turn = 0; turn < 2; turn++) {
      cluster.faults.hold('guest/operator');
      await cluster.guests.advance(seconds(1));
      cluster.faults.crash('guest/operator');
      cluster.faults.restart('guest/operator');
      await cluster.guests.advance(seconds(1));
      cluster.faults.release('guest/operator');
      await cluster.guests.advance(microseconds(1_500));
    }
    await cluster.guests.advance(seconds(30));
    expect((await made(cluster)).length).toBeGreaterThanOrEqual(NAMES.length);
  });

  it('may have its world closed before its first turn, as its modules are loaded, amid a request, and twice', async () => {
    const { program, prepare } = operator;
    for (const span of [0, 1, 700, 2_500, 1_000_000]) {
      const cluster = createCluster({ seed: 5 });
      await prepare(cluster);
      cluster.guest('operator', program, PATIENCE);
      if (span > 0) await cluster.guests.advance(microseconds(span));
      const { digest } = cluster;
      cluster.guests.close();
      cluster.guests.close();
      await expect(cluster.guests.advance(seconds(1))).rejects.toThrow('were closed');
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(cluster.digest).toBe(digest);
    }
  });
});

it('a guest cannot close the world that it lives in', async () => {
  const cluster = createCluster({ controllers: [] });
  const guest = cluster.guest('operator', () => {
    cluster.guests.close();
    return Promise.resolve();
  });
  await expect(cluster.guests.advance(seconds(1))).rejects.toThrow(
    'a guest cannot end the cluster that it lives in',
  );
  expect(guest.state).toBe('failed');
});
