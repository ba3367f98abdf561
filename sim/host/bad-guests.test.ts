import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect, createServer } from 'node:net';
import { Worker } from 'node:worker_threads';
import { gzip } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import {
  createCluster,
  GuestFailure,
  type GuestFunction,
  isNotFound,
  milliseconds,
  minutes,
  seconds,
  StoodStill,
} from '../index.ts';

const { setTimeout: setTimeoutBefore } = globalThis;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const never = (): Promise<void> => new Promise(() => undefined);

/** What is said of a guest that does this after two seconds, beside one that is well. */
async function saidOf(
  act: () => unknown,
): Promise<{ readonly failure: GuestFailure; readonly beats: number }> {
  const cluster = createCluster({ controllers: [] });
  let beats = 0;
  cluster.guest('good', async () => {
    for (; ; beats++) await pause(1_000);
  });
  const bad: GuestFunction = async () => {
    await pause(2_000);
    await act();
    await never();
  };
  const guest = cluster.guest('bad', bad, { patienceMs: 800 });
  const failure = await cluster.guests.advance(seconds(60)).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(failure instanceof GuestFailure)) throw new Error(`expected a verdict: ${String(failure)}`);
  expect(guest.state).toBe('failed');
  expect(failure).toMatchObject({ guest: 'guest/bad' });
  // The world goes on without it, and its name is free for another life.
  await cluster.guests.advance(seconds(10));
  await cluster.guests.client.configMaps.get('none').catch((error: unknown) => isNotFound(error));
  return { failure, beats };
}

const spinning = (): void => {
  for (;;);
};
const tooLate = (ms = 0): void => void setTimeout(() => fail('in a timer'), ms);
function fail(how: string): never {
  throw new Error(`out of ideas ${how}`);
}

/** Nothing is compiled or swept in the background of this process any more. */
async function atRest(): Promise<void> {
  const deadline = performance.now() + 10_000;
  for (let usedMs = Infinity; usedMs > 5 && performance.now() < deadline;) {
    const before = process.cpuUsage();
    await pause(100);
    const { user, system } = process.cpuUsage(before);
    usedMs = (user + system) / 1_000;
  }
}

test('a machine that stands still is no fault of whose turn it is', async () => {
  const cluster = createCluster({ controllers: [] });
  await cluster.guests.advance(seconds(1));
  await atRest();
  const still = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  cluster.guest('unlucky', async () => void Atomics.wait(still, 0, 0, 3_000), { patienceMs: 1_900 });
  const broken = cluster.guests.advance(seconds(1));
  await expect(broken).rejects.toThrow(StoodStill);
  await expect(broken).rejects.toThrow(/guest\/unlucky .*of 2000 ms of real time there were \d+ ms/);
});

describe('a guest that does not keep to the rules gets a verdict with its name and the virtual time', () => {
  it.each<[string, GuestFailure['kind'], string, () => unknown]>([
    ['a busy loop', 'never-rests', 'never rests', spinning],
    ['a busy loop later', 'never-rests', 'never rests', () => void Promise.resolve().then(spinning)],
    [
      'promises without an end',
      'never-rests',
      'never rests',
      async () => {
        for (;;) await Promise.resolve();
      },
    ],
    [
      'ticks without an end',
      'never-rests',
      'never rests',
      () => {
        const next = (): void => process.nextTick(next);
        next();
      },
    ],
    [
      'ticks without an end, many of them',
      'never-rests',
      'never rests',
      () => {
        const next = (): void => process.nextTick(next);
        for (let chain = 0; chain < 20; chain++) next();
      },
    ],
    [
      'a throw beside ticks without an end',
      'uncaught',
      'out of ideas in a tick',
      () => {
        const next = (): void => process.nextTick(next);
        process.nextTick(fail, 'in a tick');
        next();
      },
    ],
    ['a socket', 'escaped', 'opened a socket to 192.0.2.1:80', () => connect(80, '192.0.2.1')],
    ['a page', 'escaped', 'opened a socket to example.com:443', () => fetch('https://example.com/')],
    ['a port', 'escaped', 'listened on a port', () => createServer().listen(0)],
    ['a datagram', 'escaped', 'datagram', () => createSocket('udp4')],
    ['a thread', 'escaped', 'started a thread', () => new Worker('', { eval: true })],
    ['a process', 'escaped', 'started a process (true)', () => spawn('true')],
    ['an exit', 'exited', 'process.exit(3)', () => process.exit(3)],
    [
      'an exit by the function that a test runner has put in its place',
      'exited',
      'process.exit(3)',
      () => {
        // What Node's own does before it ends the process.
        Object.assign(process, { exitCode: 3, _exiting: true });
        Reflect.apply(Reflect.get(process, 'reallyExit') as () => void, process, [3]);
      },
    ],
    ['a throw in a timer', 'uncaught', 'out of ideas in a timer', () => tooLate()],
    ['a throw in a tick', 'uncaught', 'out of ideas in a tick', () => process.nextTick(fail, 'in a tick')],
    [
      'a throw in a microtask',
      'uncaught',
      'out of ideas in a microtask',
      () => queueMicrotask(() => fail('in a microtask')),
    ],
    [
      'a rejection nobody hears of',
      'uncaught',
      'out of ideas anywhere',
      () => void Promise.resolve().then(() => fail('anywhere')),
    ],
    [
      'timers by the thousand',
      'leaked-timers',
      'leaks timers',
      () => {
        for (let index = 0; index < 10_001; index++) setInterval(() => undefined, 60_000);
      },
    ],
    [
      'packing on another thread',
      'outside-turn',
      'awaited something real',
      () => new Promise((resolve) => gzip('a', resolve)),
    ],
  ])('%s', async (_name, kind, text, act) => {
    const { failure, beats } = await saidOf(act);
    expect(failure.kind).toBe(kind);
    expect(failure.message).toContain(text);
    expect(failure.message).toMatch(/^guest\/bad: .*\(at 2\.\d{6}s of virtual time\)$/);
    expect(beats).toBeGreaterThanOrEqual(11);
    expect(process.exitCode).toBeUndefined();
    // A process that thinks it is about to exit runs no ticks any more.
    await new Promise<void>((resolve) => process.nextTick(resolve));
  });

  it.each<[string, string, () => unknown]>([
    ['a timer', 'set a timer of Node itself', () => void setTimeoutBefore(() => undefined, 1)],
    ['a key', 'drew from the chance of the machine', () => generateKeyPairSync('ed25519')],
  ])('%s of Node itself, for which the simulation has nothing to give', async (_name, text, act) => {
    const { failure } = await saidOf(act);
    expect(failure.message).toContain(`guest/bad left the simulation: it ${text}`);
  });
});

describe('a guest that was ended', () => {
  it('is gone as a crashed process is, and may be started again', async () => {
    const cluster = createCluster({ controllers: [] });
    let lives = 0;
    const guest = cluster.guest('bad', async () => {
      if (lives++ === 0) process.exit(1);
      await pause(1_000);
    });
    await expect(cluster.guests.advance(seconds(5))).rejects.toThrow('process.exit(1)');
    expect(guest.actor.state).toBe('crashed');
    cluster.faults.restart('guest/bad');
    await cluster.guests.advance(seconds(5));
    expect(guest.state).toBe('done');
  });

  it.each<[string, 'OnFailure' | 'Always', () => unknown]>([
    ['exits', 'OnFailure', () => process.exit(1)],
    ['exits without an error', 'Always', () => process.exit(0)],
    ['throws', 'OnFailure', () => fail('at last')],
    ['throws in a timer', 'Always', () => setTimeout(() => fail('in a timer'), 1)],
    ['rejects what nobody hears of', 'Always', () => void Promise.reject(new Error('unheard'))],
  ])('is begun anew with the back-off of containers: %s', async (_name, restartPolicy, end) => {
    const cluster = createCluster({ controllers: [] });
    const starts: number[] = [];
    const program = async (): Promise<void> => {
      starts.push(Math.round(cluster.now / 1_000_000));
      await pause(1_000);
      if (starts.length < 5) end();
      await pause(1e9);
    };
    const guest = cluster.guest('bad', program, { restartPolicy });
    await cluster.guests.advance(minutes(5));
    expect(starts).toEqual([0, 2, 13, 34, 75]);
    expect([guest.state, guest.error, guest.actor.state]).toEqual(['running', undefined, 'running']);
  });

  it('is not begun anew against its policy, nor by a verdict of the simulation or a fault', async () => {
    const failing = async (end: () => unknown, restartPolicy: 'OnFailure' | 'Always'): Promise<unknown> => {
      const cluster = createCluster({ controllers: [] });
      cluster.guest('bad', async () => void end(), { restartPolicy });
      return cluster.guests.advance(seconds(5)).catch((error: unknown) => error);
    };
    expect(await failing(() => process.exit(0), 'OnFailure')).toMatchObject({ kind: 'exited' });
    expect(await failing(() => connect(80, '192.0.2.1'), 'Always')).toMatchObject({ kind: 'escaped' });

    const cluster = createCluster({ controllers: [] });
    let lives = 0;
    const program = (): Promise<void> => (lives++, pause(1e9));
    const guest = cluster.guest('bad', program, { restartPolicy: 'Always' });
    await cluster.guests.advance(seconds(1));
    cluster.faults.crash('guest/bad');
    await cluster.guests.advance(minutes(10));
    expect([lives, guest.actor.state]).toEqual([1, 'crashed']);
  });

  it('is left to faults that end it or start it while it waits, and everybody hears of its lives', async () => {
    const cluster = createCluster({ controllers: [] });
    const heard: string[] = [];
    let lives = 0;
    const program = async (): Promise<void> => {
      lives++;
      await pause(1_000);
      process.exit(1);
    };
    const { actor } = cluster.guest('bad', program, { restartPolicy: 'Always' });
    cluster.faults.listen(({ verb, actors }) => void heard.push(`${verb} ${actors.join()} ${actor.state}`));
    await cluster.guests.advance(seconds(4));
    expect(heard).toEqual(['life guest/bad crashed', 'life guest/bad running', 'life guest/bad crashed']);
    cluster.faults.crash('guest/bad');
    await cluster.guests.advance(minutes(10));
    expect([lives, actor.state]).toEqual([2, 'crashed']);
    cluster.faults.restart('guest/bad');
    await cluster.guests.advance(milliseconds(1_500));
    cluster.faults.restart('guest/bad');
    await cluster.guests.advance(milliseconds(500));
    expect([lives, actor.state]).toEqual([4, 'running']);
    await cluster.guests.advance(seconds(60));
    expect(lives).toBe(5);
  });

  it('says how many timers of it wait', async () => {
    const cluster = createCluster({ controllers: [] });
    const guest = cluster.guest('leaky', async () => {
      setInterval(() => undefined, 1_000);
    });
    await cluster.guests.advance(seconds(5));
    expect([guest.state, guest.pendingTimers]).toEqual(['done', 1]);
  });
});

it('a guest has its own patience, whoever lives beside it', async () => {
  const cluster = createCluster({ controllers: [] });
  const realNow = performance.now.bind(performance);
  const busyFor = (ms: number): void => {
    const begun = realNow();
    while (realNow() - begun < ms);
  };
  const hasty = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  };
  cluster.guest('hasty', hasty, { patienceMs: 50 });
  const slow = cluster.guest('slow', async () => busyFor(600), { patienceMs: 20_000 });
  await cluster.guests.advance(seconds(2));
  expect(slow.state).toBe('done');
});

test('a guest without a program, or without a name, is refused at once', () => {
  const cluster = createCluster({ controllers: [] });
  const guest = cluster.guest as (name: unknown, program?: unknown) => unknown;
  expect(() => guest('z')).toThrow(new RangeError('guest "z" is a function or { load }, not undefined'));
  expect(() => guest('z', {})).toThrow(new RangeError('guest "z" is a function or { load }, not {}'));
  expect(() => guest('', never)).toThrow(new RangeError('a guest has a name, not ""'));
});
