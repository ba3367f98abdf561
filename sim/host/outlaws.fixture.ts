/**
 * Guests that do not keep to the rules, one of each kind, and what is said of them. As a program of its own (`npx tsx
 * sim/host/outlaws.fixture.ts`) it prints what is said, for the test that Node alone says the same as a test runner.
 */
import { spawn } from 'node:child_process';
import { webcrypto } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { promises } from 'node:fs';
import { connect, createServer } from 'node:net';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { gzip } from 'node:zlib';
import { createCluster, GuestFailure, type GuestFunction, milliseconds, seconds } from '../index.ts';
import { StoodStill } from './guest-cluster.ts';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const never = (): Promise<void> => new Promise(() => undefined);
function fail(): never {
  throw new Error('out of ideas');
}

export const OUTLAWS: Readonly<Record<string, () => unknown>> = {
  'a busy loop': () => {
    for (;;);
  },
  'promises without an end': async () => {
    for (;;) await Promise.resolve();
  },
  'a socket': () => connect(80, '192.0.2.1'),
  'a page': () => fetch('https://example.com/'),
  'a port': () => createServer().listen(0),
  'a datagram': () => createSocket('udp4'),
  'a thread': () => new Worker('', { eval: true }),
  'a process': () => spawn('true'),
  'an exit': () => process.exit(3),
  'a throw in a timer': () => void setTimeout(fail, 1),
  'a rejection nobody hears of': () => void Promise.resolve().then(fail),
  'timers by the thousand': () => {
    for (let index = 0; index < 10_001; index++) setInterval(() => undefined, 60_000);
  },
  'a file, awaited': () => promises.readFile(import.meta.filename),
  'a folder, awaited': () => promises.readdir(import.meta.dirname),
  'packing on another thread': () => new Promise((resolve) => gzip('a', resolve)),
  'a digest on another thread': () => webcrypto.subtle.digest('SHA-256', new Uint8Array(1_000_000)),
};

export interface Said {
  readonly guest: string;
  readonly kind: string;
  readonly message: string;
}

/** Advances until a guest has its verdict; undefined: none has. */
export async function verdictWithin(
  cluster: ReturnType<typeof createCluster>,
  virtualSeconds: number,
): Promise<Said | undefined> {
  try {
    await cluster.guests.advance(seconds(virtualSeconds));
    return undefined;
  } catch (error) {
    if (!(error instanceof GuestFailure)) throw error;
    return { guest: error.guest, kind: error.kind, message: error.message };
  }
}

/** Does it after two seconds of each of its lives. */
export const outlaw =
  (act: () => unknown): GuestFunction =>
  async () => {
    await pause(2_000);
    await act();
    await never();
  };

/** Those that never rest are waited for in vain; others rest at once, where the machine lets them. */
const patienceWith = (act: () => unknown): { readonly patienceMs: number } => ({
  patienceMs: act === OUTLAWS['a busy loop'] || act === OUTLAWS['promises without an end'] ? 300 : 5_000,
});

const TRIES = 10;

/** What is said of two of a kind, of both again once they were begun anew, and of one when the world ends around it. */
export async function saidOf(act: () => unknown): Promise<readonly (Said | undefined)[]> {
  for (let tries = 1; ; tries++)
    try {
      return await saidOnce(act);
    } catch (error) {
      if (!(error instanceof StoodStill) || tries === TRIES) throw error;
    }
}

async function saidOnce(act: () => unknown): Promise<readonly (Said | undefined)[]> {
  const patience = patienceWith(act);
  const cluster = createCluster({ controllers: [], scheduler: false });
  const names = ['one', 'other'];
  for (const name of names) cluster.guest(name, outlaw(act), patience);
  const said = [await verdictWithin(cluster, 5), await verdictWithin(cluster, 5)];
  for (const name of names) cluster.faults.crash(`guest/${name}`);
  for (const name of names) cluster.faults.restart(`guest/${name}`);
  said.push(
    await verdictWithin(cluster, 5),
    await verdictWithin(cluster, 5),
    await verdictWithin(cluster, 5),
  );
  await endedAround(act);
  return said;
}

/** It does so once more, and its cluster is closed at that moment: nothing is said, and nothing goes on. */
async function endedAround(act: () => unknown): Promise<void> {
  const cluster = createCluster({ controllers: [], scheduler: false });
  cluster.guest('last', outlaw(act), patienceWith(act));
  await cluster.guests.advance(milliseconds(1_990));
  const last = cluster.guests.advance(seconds(1)).catch(() => undefined);
  cluster.guests.close();
  await last;
}

const [, program = ''] = process.argv;
if (import.meta.url === pathToFileURL(program).href) {
  const said: Record<string, unknown> = {};
  for (const [name, act] of Object.entries(OUTLAWS)) said[name] = await saidOf(act);
  process.stdout.write(JSON.stringify(said));
}
