/**
 * Runs a slice of a drive: events and turns one after the other, all within one task of the platform, so that nothing else
 * gets in between. Promises are settled on the spot. A turn without an end (a loop, promises that always have a next one)
 * is broken off, and what nobody catches is told to whose turn it is.
 */
import { url as debuggerUrl } from 'node:inspector';
import { Script } from 'node:vm';
import { leaveGuest } from './guest-globals.ts';
import { platform } from './platform.ts';

export interface SliceOptions<T = unknown> {
  /**
   * What comes first and has an end for sure: it is not guarded, as a guard costs more than most slices. Undefined: the
   * slice goes on.
   */
  readonly ahead: () => T | undefined;
  /** Real milliseconds after which the slice is broken off; undefined: never. */
  readonly limitMs: number;
  /** Hears what is thrown where nobody catches it. */
  readonly uncaught: (error: unknown) => void;
}

/** `broken`: somebody was told why, and everything else may go on. */
export type SliceEnd<T> =
  | { readonly kind: 'over'; readonly value: T }
  | { readonly kind: 'stuck'; readonly processorMs: number }
  | { readonly kind: 'broken' };

const { setImmediate: nextTask } = globalThis;
const WORK = Symbol.for('kubesim.dev/slice');
const guarded = new Script(`globalThis[Symbol.for('kubesim.dev/slice')]()`);

/** Something was thrown amid what is being settled: the slice cannot go on. */
class Broken extends Error {
  override readonly name = 'Broken';
}

const settleAll: () => void = Reflect.get(process, '_tickCallback') as () => void;

/**
 * Settles promises, and whatever follows from that, before it returns. Within a slice only: what is thrown meanwhile is told,
 * and ends the slice.
 */
export function drain(uncaught: (error: unknown) => void): void {
  try {
    settleAll();
  } catch (error) {
    if (isTimeout(error)) throw error;
    uncaught(error);
    throw new Broken();
  }
}

export function inSlice<T>(work: () => T, options: SliceOptions<T>): Promise<SliceEnd<T>> {
  return new Promise((resolve, reject) => {
    nextTask(() => {
      const release = hear(options.uncaught);
      const before = process.cpuUsage();
      let value: T | undefined;
      try {
        value = options.ahead();
        if (value === undefined) underGuard(() => (value = work()), options.limitMs);
      } catch (error) {
        release();
        const end = endOf(error, before);
        if (end === undefined) return reject(error);
        endTicks();
        // Thrown once more and caught by the platform, which then forgets what was being done.
        return breakOff(error, () => resolve(end));
      }
      release();
      resolve({ kind: 'over', value: value as T });
    });
  });
}

function endOf(error: unknown, before: NodeJS.CpuUsage): SliceEnd<never> | undefined {
  if (error instanceof Broken) return { kind: 'broken' };
  if (!isTimeout(error)) return undefined;
  const { user, system } = process.cpuUsage(before);
  return { kind: 'stuck', processorMs: (user + system) / 1_000 };
}

export const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  Reflect.get(error, 'code') === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

function underGuard(work: () => void, limitMs: number): void {
  // Whoever looks at a guest in a debugger takes their time.
  if (debuggerUrl() !== undefined) return work();
  const outer = Reflect.get(platform, WORK) as unknown;
  Reflect.set(platform, WORK, work);
  try {
    guarded.runInThisContext({ timeout: limitMs });
  } finally {
    Reflect.set(platform, WORK, outer);
  }
}

/** What follows from one tick without an end dies with one break: of such chains a guest may have many. */
const MOST_CHAINS = 500;
const CHAIN_MS = 20;

/**
 * Ticks that are still to come when a slice is broken off would be the platform's to run, which breaks nothing off: one
 * that always has a next one would be the end of everything.
 */
function endTicks(): void {
  for (let chain = 0; chain < MOST_CHAINS; chain++)
    try {
      return underGuard(settleAll, CHAIN_MS);
    } catch {
      // Broken off, or thrown by code that has had its verdict: there may be more of them.
    }
}

function breakOff(error: unknown, then: () => void): never {
  if (process.hasUncaughtExceptionCaptureCallback()) process.setUncaughtExceptionCaptureCallback(null);
  process.setUncaughtExceptionCaptureCallback(() => {
    process.setUncaughtExceptionCaptureCallback(null);
    leaveGuest();
    then();
  });
  throw error;
}

/** Errors that nobody catches are this slice's; whoever hears of them otherwise does so again afterwards. */
function hear(uncaught: (error: unknown) => void): () => void {
  const isFree = !process.hasUncaughtExceptionCaptureCallback();
  const caught = (error: unknown): void => {
    uncaught(error);
    leaveGuest();
  };
  if (isFree) process.setUncaughtExceptionCaptureCallback(caught);
  const others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', uncaught);
  return () => {
    if (isFree) process.setUncaughtExceptionCaptureCallback(null);
    process.removeAllListeners('unhandledRejection');
    for (const other of others) process.on('unhandledRejection', other);
  };
}
