/**
 * Node's own modules as guests see them. They ask who is running, as the globals do: a guest gets sockets, timers and
 * chance of the simulation, and what the simulation has none of (processes, threads, ports of the machine) is told by name;
 * everybody else gets what there was before. Installed once, with the first guest that is driven, and left there.
 */
import childProcess from 'node:child_process';
import nodeCrypto from 'node:crypto';
import dgram from 'node:dgram';
import fs from 'node:fs';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import tls from 'node:tls';
import workerThreads from 'node:worker_threads';
import type { Ambience } from './ambience.ts';
import { guestFetch } from './guest-fetch.ts';
import { guestFileOf } from './guest-files.ts';
import { exitOf } from './guest-globals.ts';
import type { SocketAddress } from './guest-socket.ts';
import { promisedTimers } from './promised-timers.ts';

/** As a process that a signal ended. */
const ABORTED = 134;

type Present = () => Ambience | undefined;
type Callable = (...args: never[]) => unknown;
type Call = (this: unknown, ...args: unknown[]) => unknown;

let isInstalled = false;

/** `present` says who is running. */
export function installGuestBuiltins(present: Present): void {
  if (isInstalled) return;
  isInstalled = true;
  for (const install of [timing, chance, sockets, machine, files]) install(present);
  syncBuiltinESMExports();
}

/** Guests get `guest(them, …)`, everybody else what there was. */
function divert(
  owner: object,
  member: string,
  present: Present,
  guest: (this: unknown, guest: Ambience, ...args: unknown[]) => unknown,
): void {
  const real = Reflect.get(owner, member) as Call | undefined;
  if (typeof real !== 'function') return;
  const call = function (this: unknown, ...args: unknown[]): unknown {
    const who = present();
    return who ? guest.call(this, who, ...args) : Reflect.apply(real, this, args);
  };
  Object.defineProperties(call, Object.getOwnPropertyDescriptors(real));
  Reflect.set(owner, member, call);
}

function timing(present: Present): void {
  for (const name of [
    'setTimeout',
    'clearTimeout',
    'setInterval',
    'clearInterval',
    'setImmediate',
    'clearImmediate',
  ] as const)
    divert(timers, name, present, (_guest, ...args) =>
      Reflect.apply(globalThis[name] as Callable, undefined, args),
    );
  const promised = promisedTimers();
  for (const name of ['setTimeout', 'setImmediate', 'setInterval'] as const)
    divert(timersPromises, name, present, (_guest, ...args) =>
      Reflect.apply(promised[name] as Callable, undefined, args),
    );
  const scheduler = Object.getPrototypeOf(timersPromises.scheduler) as object;
  divert(scheduler, 'wait', present, (_guest, ...args) =>
    promised.setTimeout(Number(args[0]), undefined, args[1] as object | undefined),
  );
  divert(scheduler, 'yield', present, () => promised.setImmediate(undefined));
  divert(globalThis, 'fetch', present, (_guest, ...args) =>
    guestFetch(...(args as Parameters<typeof guestFetch>)),
  );
  divert(AbortSignal, 'timeout', present, (_guest, ms) => promised.abortAfter(Number(ms)));
}

function chance(present: Present): void {
  const bytes = (guest: Ambience, size: number): Buffer => {
    guest.checkTurn('random bytes');
    const drawn = Buffer.alloc(size);
    guest.fillRandomly(drawn);
    return drawn;
  };
  for (const name of ['randomBytes', 'pseudoRandomBytes', 'rng', 'prng'])
    divert(nodeCrypto, name, present, (guest, size, callback) =>
      handed(bytes(guest, Number(size)), callback),
    );
  const fill = (guest: Ambience, view: unknown, offset = 0, size?: number): unknown => {
    const whole = bytesOfView(view);
    const part = whole.subarray(offset, size === undefined ? undefined : offset + size);
    part.set(bytes(guest, part.length));
    return view;
  };
  divert(nodeCrypto, 'randomFillSync', present, (guest, view, offset, size) =>
    fill(guest, view, offset as number, size as number | undefined),
  );
  divert(nodeCrypto, 'randomFill', present, (guest, view, ...rest) => {
    const [offset, size] = rest.slice(0, -1);
    return handed(fill(guest, view, offset as number, size as number | undefined), rest.at(-1));
  });
  divert(nodeCrypto, 'randomInt', present, (guest, ...args) => {
    const numbers = args.filter((each) => typeof each === 'number');
    const [low = 0, high = 0] = numbers.length > 1 ? numbers : [0, ...numbers];
    guest.checkTurn('a random number');
    return handed(low + Math.floor(guest.random() * (high - low)), args.at(-1));
  });
  divert(nodeCrypto, 'randomUUID', present, (guest) => {
    guest.checkTurn('a uuid');
    return guest.uuid();
  });
  divert(nodeCrypto, 'getRandomValues', present, (guest, view) => fill(guest, view));
}

const bytesOfView = (view: unknown): Uint8Array =>
  view instanceof ArrayBuffer
    ? new Uint8Array(view)
    : new Uint8Array(
        (view as Uint8Array).buffer,
        (view as Uint8Array).byteOffset,
        (view as Uint8Array).byteLength,
      );

/** As Node's calls with an optional callback. */
function handed(value: unknown, callback: unknown): unknown {
  if (typeof callback !== 'function') return value;
  process.nextTick(callback, null, value);
  return undefined;
}

function sockets(present: Present): void {
  const dial = (isEncrypted: boolean) =>
    function (guest: Ambience, ...args: unknown[]): unknown {
      const { address, callback } = dialled(args, isEncrypted);
      const socket = guest.connect(address);
      if (callback) socket.once(isEncrypted ? 'secureConnect' : 'connect', callback);
      return socket;
    };
  for (const name of ['connect', 'createConnection']) divert(net, name, present, dial(false));
  divert(http.Agent.prototype, 'createConnection', present, dial(false));
  divert(tls, 'connect', present, dial(true));
  divert(net.Socket.prototype, 'connect', present, (guest, ...args) => {
    throw guest.escapes(`opened a socket of its own (${textOf(dialled(args, false).address)})`);
  });
  divert(net.Server.prototype, 'listen', present, (guest) => {
    throw guest.escapes(
      'listened on a port of the machine: `serve` of its environment is one of the simulation',
    );
  });
  divert(dgram, 'createSocket', present, (guest) => {
    throw guest.escapes('opened a datagram socket');
  });
  // Sockets that are kept open belong to one life of one guest.
  const { getName } = http.Agent.prototype as unknown as { getName: Call };
  Reflect.set(http.Agent.prototype, 'getName', function (this: unknown, ...args: unknown[]): string {
    const name = String(Reflect.apply(getName, this, args));
    const guest = present();
    guest?.usesAgent(this as http.Agent);
    return guest ? `${name}:${guest.key}` : name;
  });
}

interface DialOptions {
  readonly host?: string;
  readonly hostname?: string;
  readonly port?: unknown;
}

/** The forms of `net.connect`: options, a port and a host, a path; and a callback at the end. */
function dialled(
  args: readonly unknown[],
  isEncrypted: boolean,
): { readonly address: SocketAddress; readonly callback: (() => void) | undefined } {
  const last = args.findLast((each) => typeof each === 'function') as (() => void) | undefined;
  const options = (args.find((each) => typeof each === 'object' && each !== null) ?? {}) as DialOptions;
  const [first, second] = args;
  const isPort = typeof first === 'number' || (typeof first === 'string' && /^\d+$/.test(first));
  const host = typeof second === 'string' && isPort ? second : (options.host ?? options.hostname);
  const port = isPort ? first : options.port;
  const path = typeof first === 'string' && !isPort ? first : undefined;
  return {
    address: {
      host: path ?? host ?? 'localhost',
      port: Number(port ?? (isEncrypted ? 443 : 80)),
      isEncrypted,
    },
    callback: last,
  };
}

const textOf = ({ host, port }: SocketAddress): string => `${host}:${port}`;

/** A process that is about to exit runs no ticks any more. */
function staysAlive(): void {
  Reflect.set(process, '_exiting', false);
  process.exitCode = undefined;
}

function machine(present: Present): void {
  for (const name of ['spawn', 'exec', 'execFile', 'fork', 'spawnSync', 'execSync', 'execFileSync'])
    divert(childProcess, name, present, (guest, command) => {
      throw guest.escapes(`started a process (${String(command)})`);
    });
  const { Worker } = workerThreads;
  const Guarded = new Proxy(Worker, {
    construct(target, args, newTarget) {
      const guest = present();
      if (guest) throw guest.escapes('started a thread');
      return Reflect.construct(target, args, newTarget) as object;
    },
  });
  Reflect.set(workerThreads, 'Worker', Guarded);
  divert(process, 'reallyExit', present, (guest, code) => {
    // Whoever took `process.exit` before there was a guest has begun the end of the whole process with it.
    if (Reflect.get(process, '_exiting') === true) staysAlive();
    throw exitOf(guest, code);
  });
  divert(process, 'abort', present, (guest) => {
    throw guest.exits('process.abort()', ABORTED);
  });
  divert(process, 'kill', present, (guest) => {
    throw guest.escapes('sent a signal to a process');
  });
  divert(process, 'uptime', present, (guest) => guest.elapsedMs / 1000);
  divert(os, 'hostname', present, (guest) => guest.name.replace(/^.*\//, ''));
  divert(os, 'uptime', present, (guest) => guest.elapsedMs / 1000);
  const { timeOrigin } = performance;
  Object.defineProperty(Object.getPrototypeOf(performance), 'timeOrigin', {
    configurable: true,
    enumerable: true,
    get: () => present()?.timeOrigin ?? timeOrigin,
  });
}

/** What a pod finds of its service account. */
function files(present: Present): void {
  const found = (
    member: string,
    answer: (text: string, encoding: unknown, path: string) => unknown,
  ): void => {
    const real = Reflect.get(fs, member) as Call;
    const call = function (this: unknown, ...args: unknown[]): unknown {
      const guest = present();
      const text = guest && guestFileOf(args[0], guest);
      return text === undefined ? Reflect.apply(real, this, args) : answer(text, args[1], String(args[0]));
    };
    Object.defineProperties(call, Object.getOwnPropertyDescriptors(real));
    Reflect.set(fs, member, call);
  };
  found('existsSync', () => true);
  found('accessSync', () => undefined);
  found('readFileSync', (text, encoding) => (encoding === undefined ? Buffer.from(text) : text));
  found('statSync', (text) => statOf(text));
  const read = fs.promises.readFile as unknown as Call;
  Reflect.set(fs.promises, 'readFile', function (this: unknown, ...args: unknown[]): unknown {
    const guest = present();
    const text = guest && guestFileOf(args[0], guest);
    if (text === undefined) return Reflect.apply(read, this, args);
    return Promise.resolve(args[1] === undefined ? Buffer.from(text) : text);
  });
}

const statOf = (text: string): object => ({
  size: text.length,
  mtimeMs: 0,
  mtime: new Date(0),
  isFile: () => true,
  isDirectory: () => false,
  isSymbolicLink: () => false,
});
