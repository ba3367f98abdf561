/**
 * When a node is short of something: signals, their thresholds, and which of them are met. Pure.
 * Specification: "Pods on nodes" (not shown: Kubernetes 1.31, node-pressure eviction).
 */
import { approximateNumber, formatQuantity, parseQuantity, quantityOf } from '../../api/quantity.ts';
import type { Pressure } from '../machine/pressure.ts';

export type Signal = 'memory.available' | 'nodefs.available' | 'imagefs.available' | 'pid.available';

/** Amounts (`100Mi`) or parts of the capacity (`10%`), by signal. */
export type Amounts = Readonly<Partial<Record<Signal, string>>>;

export interface EvictionSettings {
  /** Below this a node is under pressure and gives up pods. Signals that are not named have none. */
  readonly hard?: Amounts;
  /** So much more has to be there before the node stops. */
  readonly minimumReclaim?: Amounts;
  /** How long a condition stays after the last pressure (300). */
  readonly pressureTransitionSeconds?: number;
}

/** Bytes, or processes. */
export interface Observation {
  readonly available: number;
  readonly capacity: number;
}

export type Observations = Readonly<Record<Signal, Observation>>;

/** Process identifiers are watched here, too: an agent that is not told to does not. */
export const DEFAULT_HARD: Amounts = {
  'memory.available': '100Mi',
  'nodefs.available': '10%',
  'imagefs.available': '15%',
  'pid.available': '10%',
};

/** In the order in which they are relieved. */
export const SIGNALS = [
  'memory.available',
  'nodefs.available',
  'imagefs.available',
  'pid.available',
] as const;

const PRESSURES: Readonly<Record<Signal, Pressure>> = {
  'memory.available': 'memory',
  'nodefs.available': 'disk',
  'imagefs.available': 'disk',
  'pid.available': 'pid',
};

const RESOURCES: Readonly<Record<Pressure, string>> = {
  memory: 'memory',
  disk: 'ephemeral-storage',
  pid: 'pids',
};

export const pressureOf = (signal: Signal): Pressure => PRESSURES[signal];

/** Name of the resource in messages. */
export const resourceOf = (signal: Signal): string => RESOURCES[pressureOf(signal)];

const AMOUNT = /^([0-9]+(\.[0-9]+)?%|[0-9]+(\.[0-9]+)?([KMGTPE]i?|k)?)$/;

/** @throws RangeError when a signal is unknown, or an amount none */
export function checkSettings({ hard = {}, minimumReclaim = {} }: EvictionSettings): void {
  for (const [signal, text] of [...Object.entries(hard), ...Object.entries(minimumReclaim)]) {
    if (!(signal in PRESSURES)) throw new RangeError(`eviction: unknown signal ${JSON.stringify(signal)}`);
    if (!AMOUNT.test(text))
      throw new RangeError(
        `eviction: ${signal}: expected an amount such as 100Mi or 10%, not ${JSON.stringify(text)}`,
      );
  }
}

/** Bytes, or processes, rounded down. */
export function amountOf(text: string, capacity: number): number {
  if (text.endsWith('%')) return Math.floor((capacity * Number(text.slice(0, -1))) / 100);
  return Math.floor(approximateNumber(parseQuantity(text)));
}

/** Signals whose threshold is met, in order. Those `met` before stay until the minimum is reclaimed. */
export function metSignals(
  { hard = DEFAULT_HARD, minimumReclaim = {} }: EvictionSettings,
  observations: Observations,
  met: ReadonlySet<Signal>,
): readonly Signal[] {
  return SIGNALS.filter((signal) => {
    const threshold = hard[signal];
    if (threshold === undefined) return false;
    const { available, capacity } = observations[signal];
    const reclaim = met.has(signal) ? amountOf(minimumReclaim[signal] ?? '0', capacity) : 0;
    return available < amountOf(threshold, capacity) + reclaim;
  });
}

/** `1536Mi`, as messages print bytes; processes are plain numbers. */
export const amountText = (amount: number, signal: Signal): string =>
  pressureOf(signal) === 'pid' ? String(amount) : bytesText(amount);

export const bytesText = (bytes: number): string => formatQuantity(quantityOf(BigInt(bytes), 'BinarySI'));

/** The threshold as messages print it. */
export const thresholdText = (text: string, capacity: number, signal: Signal): string =>
  text.endsWith('%') ? amountText(amountOf(text, capacity), signal) : text;
