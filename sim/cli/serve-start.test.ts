/** How `kubesim serve` begins, and how it does not. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROGRAM } from './program.fixture.ts';
import { sortStrangers } from './apiserver-flags.ts';
import { whatRuns } from './what-runs.ts';

/** On a busy machine from sources. */
const STARTS_MS = 90_000;

let folder = '';
const taken = createServer();
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kubesim-start-'));
  writeFileSync(join(folder, 'nonsense'), 'no certificate, and no token');
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  taken.close();
  rmSync(folder, { recursive: true });
});

const portTaken = (): string => String(Reflect.get(Object(taken.address()), 'port'));

function serve(
  ...words: readonly string[]
): Promise<{ readonly code: number | null; readonly errors: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...PROGRAM, 'serve', '--api-server-only', ...words]);
    let errors = '';
    child.stderr.on('data', (piece: Buffer) => (errors += piece.toString()));
    child.on('close', (code) => resolve({ code, errors }));
  });
}

test.concurrent.each([
  ['a port in use', () => ['--http-port', portTaken()], /^error: port [0-9]+ of 127\.0\.0\.1: it is in use$/],
  ['a file that is not there', () => ['--token-auth-file', '/nowhere'], /there is no such file or folder/],
  [
    'a file of tokens that is none',
    () => ['--token-auth-file', join(folder, 'nonsense')],
    /nonsense: line 1:/,
  ],
  [
    'a bad certificate',
    () => ['--client-ca-file', join(folder, 'nonsense')],
    /it holds no certificate in PEM/,
  ],
  [
    'an option that would change much',
    () => ['--oidc-issuer-url=https://x'],
    /oidc-issuer-url .* is not modelled/,
  ],
] as const)(
  '%s is told in one line, with exit code 2',
  async (_what, words, message) => {
    const { code, errors } = await serve(...words());
    const [line = '', hint, ...more] = errors.trimEnd().split('\n');
    expect(line).toMatch(message);
    expect([hint, more]).toEqual(['(--help says more)', []]);
    expect(code).toBe(2);
  },
  STARTS_MS,
);

test('options with which real servers start are taken, and said to count for nothing', () => {
  const words = ['--profiling', '--etcd-servers', 'http://x:1', '--event-ttl=1h', '--v', '2'];
  const { notices, problem } = sortStrangers(words);
  expect(problem).toBeUndefined();
  expect(notices.map((notice) => notice.split(' ')[0])).toEqual([
    '--profiling',
    '--etcd-servers',
    '--event-ttl',
    '--v',
  ]);
  expect(sortStrangers(['--contention-profiling', 'stray']).problem).toBe("unexpected argument 'stray'");
  expect(sortStrangers(['--v=2', '--nonsense']).problem).toBe("unknown option '--nonsense'");
});

test('what runs and what does not is said at the start', () => {
  const whole = { version: 'v1', nodes: 2, hasScheduler: true, controllers: undefined };
  expect(whatRuns(whole)).toMatch(/^running: an API server v1, 2 nodes, a scheduler, [0-9]+ controllers\n/);
  expect(whatRuns(whole)).not.toContain('scheduler (pods');
  const alone = whatRuns({ ...whole, nodes: 0, hasScheduler: false, controllers: [] });
  expect(alone).toMatch(
    /^running: an API server v1\nnot running: nodes \(nothing runs pods\); scheduler \(pods need spec\.nodeName\); controllers/,
  );
  const some = whatRuns({ ...whole, controllers: ['ttl-controller'] });
  expect(some).toContain('node-lifecycle-controller');
});
