/** A suite's own start of a control plane, with the options and certificates that envtest gives it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROGRAM } from '../program.fixture.ts';
import { type Certificate, Authority } from '../../host/certificates.ts';
import { surroundingOptions } from './api-server-command.ts';

/** On a busy machine from sources. */
const STARTS_MS = 90_000;

let folder = '';
const children: ChildProcess[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubesim-envtest-'));
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

const SOURCES = { ...process.env, NODE_OPTIONS: '--import tsx' };

function started(program: string, words: readonly string[]): ChildProcess {
  const child = spawn(join(folder, 'assets', program), words, { env: SOURCES, stdio: 'inherit' });
  children.push(child);
  return child;
}

const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => void child.once('exit', resolve));

/** Nobody listens there at this moment. */
const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const port = Number(Reflect.get(Object(server.address()), 'port'));
      server.close(() => resolve(port));
    });
  });

interface Asked {
  readonly port: number;
  readonly ca: string;
  readonly path: string;
  readonly user?: Certificate;
}

const statusOf = ({ port, ca, path, user }: Asked): Promise<number> =>
  new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, ca, agent: false, ...user };
    request(options, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .once('error', reject)
      .end();
  });

async function untilWell(ask: () => Promise<number>): Promise<void> {
  const status = await ask().catch(() => 0);
  if (status === 200) return;
  await new Promise((resolve) => void setTimeout(resolve, 100));
  return untilWell(ask);
}

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

describe('the programs of the assets folder', () => {
  test(
    'start, serve and end as envtest wants them',
    async () => {
      const assets = join(folder, 'assets');
      const printed = execFileSync(process.execPath, [...PROGRAM, 'assets', '--dir', assets]);
      expect(printed.toString()).toBe(`${assets}\n`);
      expect(statSync(join(assets, 'etcd')).mode & 0o111).toBe(0o111);

      const authority = await Authority.create();
      const server = await authority.serverCertificate(['127.0.0.1']);
      const files = {
        'apiserver.crt': server.cert,
        'apiserver.key': server.key,
        'ca.crt': authority.certificate,
      };
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
      const [etcdPort, port] = await Promise.all([freePort(), freePort()]);
      const etcdUrl = `http://127.0.0.1:${etcdPort}`;
      const etcd = started('etcd', [
        `--advertise-client-urls=${etcdUrl}`,
        `--listen-client-urls=${etcdUrl}`,
        '--listen-peer-urls=http://127.0.0.1:1',
        `--data-dir=${folder}`,
        '--unsafe-no-fsync=true',
      ]);
      const apiServer = started('kube-apiserver', [
        '--allow-privileged=true',
        '--authorization-mode=RBAC',
        '--bind-address=127.0.0.1',
        `--cert-dir=${folder}`,
        `--client-ca-file=${join(folder, 'ca.crt')}`,
        '--disable-admission-plugins=ServiceAccount',
        `--etcd-servers=${etcdUrl}`,
        `--secure-port=${port}`,
        `--service-account-issuer=https://127.0.0.1:${port}/`,
        `--service-account-key-file=${join(folder, 'sa.key')}`,
        `--service-account-signing-key-file=${join(folder, 'sa.key')}`,
        '--service-cluster-ip-range=10.0.0.0/24',
      ]);
      await untilWell(async () => (await fetch(`${etcdUrl}/health`)).status);
      const ca = authority.certificate;
      await untilWell(() => statusOf({ port, ca, path: '/healthz' }));
      expect((await fetch(`${etcdUrl}/v3/kv/range`)).status).toBe(404);

      const administrator = await authority.userCertificate({ name: 'admin', groups: ['system:masters'] });
      const stranger = await authority.userCertificate({ name: 'bob', groups: [] });
      const asked = { port, ca, path: CONFIG_MAPS };
      expect(await statusOf({ ...asked, user: administrator })).toBe(200);
      expect(await statusOf({ ...asked, user: stranger })).toBe(403);
      expect(await statusOf(asked)).toBe(403);

      const ends = [ended(apiServer), ended(etcd)];
      apiServer.kill('SIGTERM');
      etcd.kill('SIGTERM');
      expect(await Promise.all(ends)).toEqual([0, 0]);
    },
    STARTS_MS,
  );

  test(
    'say what they take, and refuse the rest with exit code 2',
    async () => {
      execFileSync(process.execPath, [...PROGRAM, 'assets', '--dir', join(folder, 'assets')]);
      const helped = (program: string): string =>
        execFileSync(join(folder, 'assets', program), ['--help'], { env: SOURCES }).toString();
      expect(helped('etcd')).toMatch(/^\s*--unsafe-no-fsync\b/m);
      expect(helped('kube-apiserver')).toMatch(/^\s*--secure-port\b/m);
      expect(await ended(started('kube-apiserver', ['--nonsense']))).toBe(2);
      expect(await ended(started('etcd', ['--listen-client-urls', 'https://127.0.0.1:1']))).toBe(2);
    },
    STARTS_MS,
  );
});

describe('an API server of a suite', () => {
  test('is alone unless the environment asks for more', () => {
    expect(surroundingOptions({})).toEqual(['--api-server-only']);
    expect(surroundingOptions({ KUBESIM_CONTROLLERS: '*' })).toEqual([
      ...['--nodes', '0', '--controllers', '*', '--scheduler=false'],
    ]);
    expect(surroundingOptions({ KUBESIM_NODES: '3', KUBESIM_SEED: '7', KUBESIM_CLOCK: 'x10' })).toEqual([
      ...['--seed', '7', '--clock', 'x10', '--nodes', '3', '--scheduler=true'],
    ]);
  });
});
