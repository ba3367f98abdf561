/** Nodes that wait for their NoExecute taint: one queue for each zone, emptied at the zone's rate. Pure bookkeeping. */
import { seconds, type Micros } from '../../engine/time.ts';
import type { Zone } from './zone-disruption.ts';

interface Queue {
  readonly names: Set<string>;
  /** When the next may go. */
  nextAt: number;
  /** Per second; 0: none. */
  rate: number;
}

export class TaintPace {
  readonly #queues = new Map<string, Queue>();

  get isEmpty(): boolean {
    return [...this.#queues.values()].every(({ names }) => names.size === 0);
  }

  add(node: string, zone: string): void {
    this.#queueOf(zone).names.add(node);
  }

  drop(node: string): void {
    for (const { names } of this.#queues.values()) names.delete(node);
  }

  clear(): void {
    for (const { names } of this.#queues.values()) names.clear();
  }

  setRates(zones: ReadonlyMap<string, Zone>): void {
    for (const [zone, { rate }] of zones) this.#queueOf(zone).rate = rate;
  }

  /** Those whose turn it is: at the most one of each zone. */
  takeDue(now: Micros): readonly string[] {
    const due: string[] = [];
    for (const queue of this.#queues.values()) {
      if (queue.rate === 0 || now < queue.nextAt) continue;
      const [first] = queue.names;
      if (first === undefined) continue;
      queue.names.delete(first);
      queue.nextAt = now + seconds(1 / queue.rate);
      due.push(first);
    }
    return due;
  }

  #queueOf(zone: string): Queue {
    const known = this.#queues.get(zone);
    if (known) return known;
    const queue: Queue = { names: new Set(), nextAt: 0, rate: 0 };
    this.#queues.set(zone, queue);
    return queue;
  }
}
