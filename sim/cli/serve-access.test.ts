/** Who is let in without a token, by where a server listens and what it was told. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROGRAM } from './program.fixture.ts';

/** On a busy machine from sources. */
const STARTS_MS = 60_000;

interface Told {
  readonly said: string;
  readonly token: string | undefined;
  /** Statuses of `/api` and of the control path, without and with that token. */
  readonly unknown: readonly number[];
  readonly known: readonly number[];
}

async function served(...words: readonly string[]): Promise<Told> {
  const all = ['serve', '--api-server-only', '--http-port', '0', ...words];
  const child = spawn(process.execPath, [...PROGRAM, ...all]);
  try {
    const said = await new Promise<string>((resolve, reject) => {
      let output = '';
      child.stdout.on('data', (piece: Buffer) => {
        output += piece.toString();
        if (/serving on \S+\n/.test(output)) resolve(output);
      });
      child.once('close', () => reject(new Error(output)));
    });
    const port = /serving on \S+:([0-9]+)/.exec(said)?.[1] ?? '';
    const token = /token of .*: ([0-9a-f]+)/.exec(said)?.[1];
    const statuses = (headers: Record<string, string>): Promise<readonly number[]> =>
      Promise.all(
        ['/api', '/kubesim/v1/state'].map(
          async (path) => (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).status,
        ),
      );
    return {
      said,
      token,
      unknown: await statuses({}),
      known: await statuses({ authorization: `Bearer ${token}` }),
    };
  } finally {
    child.kill();
  }
}

test.concurrent(
  'on the loopback everybody',
  async () => {
    expect(await served()).toMatchObject({ token: undefined, unknown: [200, 200] });
  },
  STARTS_MS,
);

test.concurrent(
  'anywhere else nobody: a token is made and said',
  async () => {
    const told = await served('--bind-address', '0.0.0.0');
    expect(told.token).toMatch(/^[0-9a-f]{32}$/);
    expect(told).toMatchObject({ unknown: [401, 401], known: [200, 200] });
  },
  STARTS_MS,
);

test.concurrent(
  'whoever it is told to',
  async () => {
    expect(await served('--anonymous-auth=false')).toMatchObject({ unknown: [401, 401], known: [200, 200] });
    const open = await served('--bind-address', '0.0.0.0', '--anonymous-auth=true');
    expect(open).toMatchObject({ token: undefined, unknown: [200, 200] });
  },
  STARTS_MS,
);

test.concurrent(
  'whoever has a kubeconfig for plain HTTP is told that it lets no client in Go in',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kubesim-'));
    try {
      const written = ['--kubeconfig-out', join(folder, 'kubeconfig')];
      expect((await served(...written)).said).not.toContain('no token over plain HTTP');
      const asking = await served(...written, '--authorization-mode', 'RBAC');
      expect(asking.said).toContain('no token over plain HTTP');
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  STARTS_MS,
);
