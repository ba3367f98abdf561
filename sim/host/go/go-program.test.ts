import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  createCluster,
  GoExit,
  goProgram,
  type GoProgramOptions,
  GuestFailure,
  seconds,
} from '../../index.ts';
import { wasm } from './web-assembly.ts';

const probe = new wasm.Module(
  brotliDecompressSync(readFileSync(join(import.meta.dirname, 'probe/probe.wasm.br'))),
);

/** What a program says in ten seconds, and how it ends. */
async function run(args: readonly string[], options: Partial<GoProgramOptions> = {}, seed = 1) {
  const lines: string[] = [];
  const cluster = createCluster({ seed, controllers: [] });
  const output = (line: string): void => void lines.push(line);
  const program = goProgram({ module: probe, args, output, ...options });
  const guest = cluster.guest('probe', program, { patienceMs: args[0] === 'spin' ? 500 : 20_000 });
  const failure = await cluster.guests.advance(seconds(10)).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { lines, failure, guest, cluster };
}

describe('a Go program in the simulation', () => {
  it('has time and timers of the simulation', async () => {
    const { lines, guest } = await run(['timers']);
    expect(lines).toEqual([
      'slept 1 1s',
      'tick 1.5s',
      'slept 2 2s',
      'tick 3s',
      'slept 3 3s',
      'tick 4.5s',
      'stopped true',
    ]);
    expect([guest.state, guest.pendingTimers]).toEqual(['done', 0]);
  });

  it('has chance of the seed: bytes, orders of maps, choices', async () => {
    const [first, again, other] = [
      await run(['chance']),
      await run(['chance']),
      await run(['chance'], {}, 2),
    ];
    expect(first.lines).toHaveLength(1);
    expect(first.lines[0]).toMatch(/ [xy]{20} 2025-01-01T00:00:00Z$/);
    expect(again.lines).toEqual(first.lines);
    expect(other.lines).not.toEqual(first.lines);
  });

  it('lives its past again in a fork, and then another future', async () => {
    const { cluster, lines } = await run(['timers']);
    const past = lines.length;
    const amid = await cluster.guests.fork({ at: seconds(2), seed: 5 });
    expect(lines.slice(past)).toEqual(['slept 1 1s', 'tick 1.5s', 'slept 2 2s']);
    await amid.guests.advance(seconds(8));
    expect(lines.slice(past)).toEqual(lines.slice(0, past));
    const fork = await cluster.guests.fork({ seed: 5 });
    expect([fork.digest, fork.now]).toEqual([cluster.digest, cluster.now]);
  });

  it('finds the files it was given and no other, and writes none', async () => {
    const options = { files: { '/config': 'abcde' }, env: { GREETING: 'hello' } };
    const { lines } = await run(['files', '/config'], options);
    expect(lines).toEqual([
      '"abcde" <nil>',
      'true open /etc/passwd: No such file or directory',
      'open /tmp/new: No such file or directory',
      'mkdir /tmp/folder: Read-only file system',
      'hello 10.96.0.1',
      'abc <nil>',
      'de <nil>',
      '5 false <nil>',
      'a line in pieces: ä',
    ]);
  });

  it('finds its service account as a pod does', async () => {
    const { lines } = await run(['files', '/var/run/secrets/kubernetes.io/serviceaccount/token']);
    expect(lines[0]).toBe('"guest:probe" <nil>');
  });

  it('calls JavaScript and is called back', async () => {
    const { lines, guest } = await run(['values']);
    expect(lines).toEqual([
      '5 1.5 zwei true true true',
      '8+8+8 true false',
      expect.stringMatching(/^caught: JavaScript error: Expected property name/),
      '0 number true',
      'true -Inf 1.099511627776e+12',
      '3 3',
      '2 [1 2]',
      'eins true kubesim',
    ]);
    expect(guest.state).toBe('done');
  });

  it('may grow', async () => {
    expect((await run(['grow'])).lines).toEqual(['4194304 true']);
  });
});

describe('a Go program that ends', () => {
  it('with 0 is done', async () => {
    const { failure, guest } = await run(['exit', '0']);
    expect([failure, guest.state]).toEqual([undefined, 'done']);
  });

  it.each([
    [['exit', '3'], 'the program ended with exit status 3'],
    [['panic'], 'the program ended with exit status 2\npanic: out of ideas'],
  ])('otherwise has failed: %j', async (args, text) => {
    const { failure, guest } = await run(args);
    expect(failure).toBeInstanceOf(GuestFailure);
    expect((failure as Error).message).toContain(`guest/probe: ${text}`);
    expect((failure as Error).message).toContain('(at 0.000000s of virtual time)');
    expect(guest.error).toBeInstanceOf(GoExit);
  });

  it('by waiting for what never comes waits on', async () => {
    const { failure, guest } = await run(['deadlock']);
    expect([failure, guest.state, guest.pendingTimers]).toEqual([undefined, 'running', 0]);
  });

  it('never is broken off, and begins anew', async () => {
    const { failure, guest, cluster } = await run(['spin']);
    expect(failure).toMatchObject({ kind: 'never-rests' });
    cluster.faults.restart('guest/probe');
    await expect(cluster.guests.advance(seconds(1))).rejects.toThrow('never rests');
    expect(guest.state).toBe('failed');
  });

  it('by a crash leaves nothing that goes on, and its next life begins at the beginning', async () => {
    const lines: string[] = [];
    const cluster = createCluster({ controllers: [] });
    const program = goProgram({ module: probe, args: ['timers'], output: (line) => lines.push(line) });
    const guest = cluster.guest('probe', program);
    await cluster.guests.advance(seconds(2));
    cluster.faults.crash('guest/probe');
    await cluster.guests.advance(seconds(20));
    expect(lines).toEqual(['slept 1 1s', 'tick 1.5s', 'slept 2 2s']);
    lines.length = 0;
    cluster.faults.restart('guest/probe');
    await cluster.guests.advance(seconds(20));
    expect(lines.at(-1)).toBe('stopped true');
    expect(guest.state).toBe('done');
  });
});

describe('what is no such program', () => {
  it('is told at once', () => {
    const empty = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
    expect(() => goProgram({ module: empty })).toThrow(
      'expected a Go program built with GOOS=js GOARCH=wasm, which imports gojs: it imports nothing',
    );
    expect(() => goProgram({ module: new Uint8Array([1, 2, 3]) })).toThrow('WebAssembly.Module()');
    expect(() => goProgram({ module: '/nonexistent/operator.wasm' })).toThrow('ENOENT');
  });

  it('and arguments that do not fit are too', async () => {
    const { failure } = await run(['exit', 'x'.repeat(9_000)]);
    expect((failure as Error).message).toContain('at most 8192 bytes together');
  });
});
