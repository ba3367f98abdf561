/** Nodes that wait for their NoExecute taint: one queue for each zone, emptied at the zone's rate. Pure bookkeeping. */
import { seconds, type Micros } from '../../engine/time.ts';
import { NORMAL_PER_SECOND } from './zone-disruption.ts';

interface Queue {
  readonly names: Set<string>;
  /** When the next may go. */
  nextAt: number;
  /** Per second; 0: none. */
  rate: number;
}

export class TaintPace {
  readonly #queues = new Map<string, Queue>();

  add(node: string, zone: string): void {
    this.#queueOf(zone).names.add(node);
  }

  drop(node: string): void {
    for (const { names } of this.#queues.values()) names.delete(node);
  }

  /** Whoever had to wait for a turn under the old rate waits for a whole one under the new. */
  setRates(rates: ReadonlyMap<string, number>, now: Micros): void {
    for (const [zone, rate] of rates) {
      const queue = this.#queueOf(zone);
      if (queue.rate === rate) continue;
      const mustWait = queue.rate === 0 || now < queue.nextAt;
      queue.nextAt = mustWait && rate > 0 ? now + seconds(1 / rate) : now;
      queue.rate = rate;
    }
  }

  /** When somebody's turn comes; Infinity: nobody's. */
  get nextDueAt(): number {
    let next = Infinity;
    for (const { names, rate, nextAt } of this.#queues.values())
      if (names.size > 0 && rate > 0) next = Math.min(next, nextAt);
    return next;
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
    const queue: Queue = { names: new Set(), nextAt: 0, rate: NORMAL_PER_SECOND };
    this.#queues.set(zone, queue);
    return queue;
  }
}
