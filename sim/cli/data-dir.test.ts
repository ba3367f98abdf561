/** A server with a data directory is killed in the middle of writes, as often as it takes to be believed. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROGRAM } from './program.fixture.ts';

const WRITERS = 8;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

let directory = '';
let running: ChildProcess | undefined;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubesim-'));
});
afterAll(async () => {
  running?.kill('SIGKILL');
  await rm(directory, { recursive: true });
});

interface Server {
  readonly url: string;
  /** Ends it without a word. */
  kill(): Promise<void>;
}

function start(): Promise<Server> {
  const words = ['serve', '--api-server-only', '--http-port', '0', '--data-dir', directory];
  const child = spawn(process.execPath, [...PROGRAM, ...words]);
  running = child;
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const kill = (): Promise<void> => {
    child.kill('SIGKILL');
    return ended;
  };
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (piece: Buffer) => {
      said += piece.toString();
      const url = /serving on (\S+)/.exec(said)?.[1];
      if (url !== undefined) resolve({ url, kill });
    });
    child.once('close', (code) => reject(new Error(`the server ended with ${code}: ${said}`)));
  });
}

/** Writes until the server is gone; the names whose creation was acknowledged. */
async function writeUntilItEnds(url: string, writer: number, acknowledged: Set<string>): Promise<void> {
  for (let index = 0; ; index += 1) {
    const name = `round-${acknowledged.size}-${writer}-${index}`;
    const body = JSON.stringify({ metadata: { name }, data: { text: 'x'.repeat(2_000) } });
    try {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${url}${CONFIG_MAPS}`, { method: 'POST', headers, body });
      if (answer.status !== 201) throw new Error(await answer.text());
      acknowledged.add(name);
    } catch (error) {
      if (error instanceof TypeError) return;
      throw error;
    }
  }
}

async function namesIn(url: string): Promise<Set<string>> {
  const answer = await fetch(`${url}${CONFIG_MAPS}`);
  const { items } = (await answer.json()) as { items: { metadata: { name: string } }[] };
  return new Set(items.map(({ metadata }) => metadata.name));
}

test('nothing acknowledged is lost when the server is killed', async () => {
  const acknowledged = new Set<string>();
  for (const enough of [150, 400]) {
    const server = await start();
    const present = await namesIn(server.url);
    expect([...acknowledged].filter((name) => !present.has(name))).toEqual([]);
    const writers = Array.from({ length: WRITERS }, (_, writer) =>
      writeUntilItEnds(server.url, writer, acknowledged),
    );
    while (acknowledged.size < enough) await new Promise((resolve) => setTimeout(resolve, 1));
    await server.kill();
    await Promise.all(writers);
  }
  const last = await start();
  const present = await namesIn(last.url);
  expect([...acknowledged].filter((name) => !present.has(name))).toEqual([]);
  await last.kill();
}, 60_000);
