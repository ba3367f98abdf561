/** What is said of Go programs that do not keep to the rules: with their name and the virtual time. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createCluster, goProgram, GuestFailure, type GuestOptions, minutes, seconds } from '../../index.ts';
import { withExportedGlobals } from './exported-globals.ts';
import { SHOWN } from './go-instance.ts';
import { wasm } from './web-assembly.ts';

const module = new wasm.Module(
  withExportedGlobals(
    brotliDecompressSync(readFileSync(join(import.meta.dirname, 'outlaw/outlaw.wasm.br'))),
    SHOWN,
  ),
);

function begun(how: string, options: GuestOptions = {}) {
  const lines: string[] = [];
  const cluster = createCluster({ seed: 1, controllers: [] });
  const program = goProgram({ module, args: [how], output: (line) => void lines.push(line) });
  const guest = cluster.guest('outlaw', program, { patienceMs: 3_000, ...options });
  return { cluster, guest, lines };
}

async function failureOf({ cluster }: ReturnType<typeof begun>): Promise<GuestFailure> {
  const failure = await cluster.guests.advance(seconds(30)).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(failure instanceof GuestFailure)) throw new Error(`expected a verdict: ${String(failure)}`);
  return failure;
}

describe('a Go program that does not keep to the rules gets a verdict with its name and the virtual time', () => {
  it.each<[string, GuestFailure['kind'], string, number]>([
    ['socket', 'escaped', 'it opened a socket to 192.0.2.1:80', 2],
    ['bound-socket', 'escaped', 'it opened a socket to 192.0.2.1:80', 2],
    ['name', 'escaped', 'it opened a socket to example.com:443', 2],
    ['datagram', 'escaped', 'it opened a socket to 192.0.2.1:53', 2],
    ['page', 'escaped', 'it opened a socket to example.com:80', 2],
    ['process', 'escaped', 'it started a process (true)', 2],
    ['panic', 'threw', 'panic: out of ideas in a goroutine', 2],
    ['timer', 'threw', 'panic: out of ideas in a timer', 3],
    ['exit', 'threw', 'the program ended with exit status 4', 2],
    ['leak', 'leaked-timers', 'leaks timers: 10011 of them wait', 12],
    ['yield', 'never-rests', 'never rests', 2],
  ])('%s', async (how, kind, text, atSeconds) => {
    const life = begun(how);
    const failure = await failureOf(life);
    expect([failure.guest, failure.kind]).toEqual(['guest/outlaw', kind]);
    expect(failure.message).toContain(text);
    expect(failure.message).toMatch(/^guest\/outlaw: /);
    expect(failure.message).toMatch(new RegExp(`\\(at ${atSeconds}\\.\\d{6}s of virtual time\\)$`));
    expect(life.guest.state).toBe('failed');
    // The world goes on, and has the verdict in a fork too.
    await life.cluster.guests.advance(seconds(5));
    if (kind === 'never-rests') return;
    const fork = await life.cluster.guests.fork({ seed: 1 });
    expect(fork.digest).toBe(life.cluster.digest);
  });

  it('keeps to them where it asks another guest, which may be away', async () => {
    const { cluster, guest, lines } = begun('page');
    cluster.guest('example.com', ({ serve }) => {
      serve(80, ({ headers = {} }) => ({ status: 418, headers: { 'x-host': headers['host'] ?? '' } }));
      return Promise.resolve();
    });
    await cluster.guests.advance(seconds(5));
    expect(lines[1]).toContain('&{418 I');
    expect(lines[1]).toContain('X-Host:[example.com]');
    expect(guest.state).toBe('running');
    const alone = begun('page');
    alone.cluster.guest('example.com', () => Promise.resolve());
    await alone.cluster.guests.advance(seconds(5));
    expect(alone.lines[1]).toContain('connect ECONNREFUSED example.com:80');
    expect(alone.guest.state).toBe('running');
  });

  it('keeps to them with sockets of its own network', async () => {
    const { cluster, guest, lines } = begun('local');
    await cluster.guests.advance(seconds(5));
    expect(lines.slice(0, 3)).toEqual(['<nil>', '<nil>', 'hello <nil>']);
    expect(lines[3]).toContain('Connection refused');
    expect([guest.state, guest.error]).toEqual(['done', undefined]);
  });
});

describe('two Go programs that do not keep to the rules, the second time', () => {
  it.each<[string, GuestFailure['kind']]>([
    ['socket', 'escaped'],
    ['process', 'escaped'],
    ['timer', 'threw'],
    ['leak', 'leaked-timers'],
    ['yield', 'never-rests'],
  ])('have a verdict each, in each life, and none once their world is closed: %s', async (how, kind) => {
    const life = begun(how);
    const { cluster } = life;
    cluster.guest('other', goProgram({ module, args: [how], output: () => undefined }), {
      patienceMs: 3_000,
    });
    const told: unknown[] = [];
    for (let round = 1; round <= 2; round++) {
      for (let count = 0; count < 2; count++) {
        const { guest, kind: said, message } = await failureOf(life);
        told.push([guest, said]);
        expect(message).toMatch(/\(at [0-9]+\.\d{6}s of virtual time\)$/);
      }
      for (const name of ['guest/outlaw', 'guest/other']) {
        cluster.faults.crash(name);
        cluster.faults.restart(name);
      }
    }
    const both = [
      ['guest/outlaw', kind],
      ['guest/other', kind],
    ];
    expect(told).toEqual([...both, ...both]);
    const last = cluster.guests.advance(seconds(1)).catch(() => undefined);
    cluster.guests.close();
    await last;
    await expect(cluster.guests.advance(seconds(30))).rejects.toThrow('were closed');
  });
});

describe('a Go program that comes to its end', () => {
  it.each([
    ['end', 'Always', 5],
    ['end', 'OnFailure', 1],
    ['end', 'Never', 1],
    ['exit', 'OnFailure', 5],
  ] as const)('is begun anew as a container would be: %s with %s', async (how, restartPolicy, lives) => {
    const { cluster, lines } = begun(how, { restartPolicy });
    await cluster.guests.advance(minutes(2));
    expect(lines.filter((line) => line === 'begun')).toHaveLength(lives);
  });
});
