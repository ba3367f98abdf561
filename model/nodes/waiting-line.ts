/**
 * Nodes that are not ready and wait for their NoExecute taint. Each zone gives up its nodes one after the other at its
 * rate; this says when at the latest a node's turn has come, whatever the order of the line. Pure bookkeeping.
 */
import type { Node } from '../../sim/api/types/core-v1.ts';
import { SECOND } from './observation.ts';
import { ratesOf, zoneOf } from './zones.ts';

/** Turns are counted in hundred-second-rates times microseconds: so much is one turn. */
const TURN = 100 * SECOND;

interface Waiting {
  readonly zone: string;
  /** Turns that its zone has had since. */
  had: number;
  /** As many as there were ever waiting beside it, itself among them. */
  length: number;
  since: number;
}

export class WaitingLine {
  readonly #waiting = new Map<string, Waiting>();
  #rates: ReadonlyMap<string, number> = new Map();
  #at = 0;
  #notBefore = 0;

  /** Lets turns pass until `at`, at the rates that there were. */
  advance(at: number): void {
    for (const waiting of this.#waiting.values()) {
      const from = Math.max(this.#at, waiting.since);
      if (at > from) waiting.had += (this.#rates.get(waiting.zone) ?? 0) * (at - from);
    }
    this.#at = at;
  }

  /** What the nodes say now. A change of a rate begins all waits of its zone anew. */
  setRates(nodes: Iterable<Node>): void {
    const rates = ratesOf(nodes);
    for (const waiting of this.#waiting.values())
      if (rates.get(waiting.zone) !== this.#rates.get(waiting.zone)) this.#restart(waiting);
    this.#rates = rates;
  }

  /** All waits begin anew, at `at`, which may be to come. */
  restartAt(at: number): void {
    this.#notBefore = at;
    for (const waiting of this.#waiting.values()) this.#restart(waiting);
  }

  enter(node: Node): void {
    const name = node.metadata.name ?? '';
    if (this.#waiting.has(name)) return;
    const zone = zoneOf(node);
    this.#waiting.set(name, { zone, had: 0, length: 1, since: Math.max(this.#at, this.#notBefore) });
    const line = [...this.#waiting.values()].filter((waiting) => waiting.zone === zone);
    for (const waiting of line) waiting.length = Math.max(waiting.length, line.length);
  }

  leave(name: string): void {
    this.#waiting.delete(name);
  }

  /** Whether a node must have had its turn, `slack` after everybody in line before it. */
  isOverdue(name: string, slack: number): boolean {
    const waiting = this.#waiting.get(name);
    if (!waiting) return false;
    return waiting.had > waiting.length * TURN && this.#at - waiting.since > slack;
  }

  #restart(waiting: Waiting): void {
    waiting.had = 0;
    waiting.since = Math.max(this.#at, this.#notBefore);
  }
}
