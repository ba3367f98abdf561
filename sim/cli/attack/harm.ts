/** Whether a request harms a server in this process: an error that nobody expected, or everybody else held up. */
import type { Call } from '../../../model/golden/replay/server-under-test.ts';
import { VirtualServer } from '../golden/virtual-server.ts';
import { headline } from './finding.ts';

/** Longest that a request may hold everybody else up, in milliseconds of this process. */
export const LONGEST_MS = 250;
const MICROS_PER_MS = 1_000;

/** What a request did to a server; undefined: nothing but an answer. */
export type Harm = { readonly kind: 'defect' | 'hang'; readonly text: string } | undefined;

export class Target {
  #defect: unknown;
  readonly #server = new VirtualServer({ onDefect: (error) => (this.#defect = error) });

  send(call: Call): Harm {
    this.#defect = undefined;
    const startedAt = performance.now();
    const cpu = process.cpuUsage();
    try {
      this.#server.stream(call).stream?.close();
    } catch (error) {
      this.#defect = error;
    }
    if (this.#defect !== undefined) return { kind: 'defect', text: headline(this.#defect) };
    if (performance.now() - startedAt < LONGEST_MS) return undefined;
    // Whether it was this process or another one that took the time.
    const { user, system } = process.cpuUsage(cpu);
    const ms = Math.round((user + system) / MICROS_PER_MS);
    return ms < LONGEST_MS ? undefined : { kind: 'hang', text: `${ms} ms` };
  }
}

/**
 * What the last of some requests does, after the others. Several times, as compiling and collecting garbage take their
 * time as well.
 */
export function harmOf(calls: readonly Call[]): Harm {
  let last: Harm;
  for (let round = 0; round < 3; round++) {
    const harm = harmOnce(calls);
    if (harm?.kind !== 'hang') return harm;
    last = harm;
  }
  return last;
}

function harmOnce(calls: readonly Call[]): Harm {
  const target = new Target();
  let last: Harm;
  for (const call of calls) last = target.send(call);
  return last;
}
