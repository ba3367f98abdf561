/** Nothing of Node keeps a cluster that nobody knows any more, whatever its guests have open. */
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { brotliDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createCluster, goProgram, type GuestFunction, seconds } from '../index.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));

async function isForgotten(known: WeakRef<object>): Promise<boolean> {
  for (let round = 0; round < 20 && known.deref(); round++) {
    await rest();
    collect();
  }
  return known.deref() === undefined;
}

const OPERATOR = join(import.meta.dirname, '../../scenarios/examples/go/standard-library/operator.wasm.br');

type Cluster = ReturnType<typeof createCluster>;

/** In a function of its own: the engine keeps what a running one has named. */
async function lived(work: (cluster: Cluster) => Promise<void>): Promise<WeakRef<object>> {
  const cluster = createCluster({ seed: 1 });
  await work(cluster);
  return new WeakRef(cluster);
}

const agent = new http.Agent({ keepAlive: true });

/** Leaves a watch open, and a socket with an agent that outlives it. */
async function watching({ kubeconfig }: { readonly kubeconfig: string }): Promise<void> {
  const watched = await fetch('https://kubernetes/api/v1/configmaps?watch=1');
  const reader = watched.body?.getReader();
  await new Promise<void>((resolve) =>
    http.get({ host: 'kubernetes', port: 80, path: '/version', agent }, (answer) =>
      answer.resume().on('end', resolve),
    ),
  );
  await reader?.read();
  expect(kubeconfig).toContain('kubernetes');
}

describe('a cluster that nobody knows any more', () => {
  it('is forgotten with an informer of the JavaScript client that watches', async () => {
    const known = await lived(async (cluster) => {
      cluster.guest('operator', () => import('./five-objects.fixture.ts'));
      await cluster.guests.advance(seconds(5));
    });
    expect(await isForgotten(known)).toBe(true);
  });

  it('is forgotten with a watch and with a socket that is kept for further requests, and so is a life that crashed', async () => {
    const known = await lived(async (cluster) => {
      cluster.guest('watcher', watching);
      await cluster.guests.advance(seconds(5));
      cluster.faults.crash('guest/watcher');
      cluster.faults.restart('guest/watcher');
      await cluster.guests.advance(seconds(5));
    });
    expect(await isForgotten(known)).toBe(true);
    const kept = (): readonly string[] => {
      collect();
      return Object.keys(agent.freeSockets);
    };
    await expect.poll(kept, { timeout: 5_000 }).toEqual([]);
  });

  it('is forgotten with an operator in Go that watches', async () => {
    const module = brotliDecompressSync(readFileSync(OPERATOR));
    const known = await lived(async (cluster) => {
      cluster.guest('operator', goProgram({ module }), { patienceMs: 60_000 });
      await cluster.guests.advance(seconds(5));
    });
    expect(await isForgotten(known)).toBe(true);
  });

  it('is forgotten once its guests are closed, though their code holds on to it', async () => {
    let refusal: unknown;
    const known = await lived(async (cluster) => {
      const holding: GuestFunction = async () => {
        const watched = await fetch('https://kubernetes/api/v1/configmaps?watch=1');
        for (const reader = watched.body?.getReader(); cluster.now >= 0;) await reader?.read();
      };
      cluster.guest('holding', holding);
      await cluster.guests.advance(seconds(5));
      cluster.guests.close();
      refusal = await cluster.guests.advance(seconds(1)).catch(String);
    });
    expect(refusal).toContain('were closed');
    expect(await isForgotten(known)).toBe(true);
  });
});
