/**
 * Nodes that are not ready and wait for their NoExecute taint. Each zone gives up its nodes one after the other at its
 * rate; this says when at the latest a node's turn has come, whatever the order of the line. Pure bookkeeping.
 */
import type { Node } from '../../sim/api/types/core-v1.ts';
import { SECOND } from './observation.ts';
import { zoneOf, Zones } from './zones.ts';

/** Turns are counted in rates, which are for 100 s, times microseconds: so much is one turn. */
const TURN = 100 * SECOND;

interface Waiting {
  readonly zone: string;
  /** Turns that the zone had had when the wait began. */
  from: number;
  since: number;
}

/** The line of one zone. */
interface Line {
  /** Since the beginning. */
  turns: number;
  length: number;
  /** As many as ever waited together since it was last empty. */
  longest: number;
}

export class WaitingLine {
  readonly #zones = new Zones();
  readonly #waiting = new Map<string, Waiting>();
  readonly #lines = new Map<string, Line>();
  #at = 0;
  #notBefore = 0;

  /** Lets turns pass until `at`, at the rates that there are. */
  advance(at: number): void {
    const from = Math.max(this.#at, this.#notBefore);
    if (at > from)
      for (const [zone, line] of this.#lines) line.turns += this.#zones.rateOf(zone) * (at - from);
    this.#at = at;
  }

  /** A node has changed. A change of a rate begins all waits of its zone anew. */
  replace(before: Node | undefined, after: Node | undefined): void {
    const zones = [before, after].flatMap((node) => (node ? [zoneOf(node)] : []));
    const rates = zones.map((zone) => this.#zones.rateOf(zone));
    const wasAllLost = this.#zones.isAllLost;
    this.#zones.replace(before, after);
    const isOther = this.#zones.isAllLost !== wasAllLost;
    const changed = zones.filter((zone, index) => this.#zones.rateOf(zone) !== rates[index]);
    if (isOther || changed.length > 0)
      for (const waiting of this.#waiting.values())
        if (isOther || changed.includes(waiting.zone)) this.#restart(waiting);
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
    const line = this.#lineOf(zone);
    line.length += 1;
    line.longest = Math.max(line.longest, line.length);
    const waiting = { zone, from: 0, since: 0 };
    this.#restart(waiting);
    this.#waiting.set(name, waiting);
  }

  leave(name: string): void {
    const waiting = this.#waiting.get(name);
    if (!waiting) return;
    this.#waiting.delete(name);
    const line = this.#lineOf(waiting.zone);
    line.length -= 1;
    if (line.length === 0) line.longest = 0;
  }

  /** Whether a node must have had its turn, and `slack` more. */
  isOverdue(name: string, slack: number): boolean {
    const waiting = this.#waiting.get(name);
    if (!waiting) return false;
    const { turns, longest } = this.#lineOf(waiting.zone);
    return turns - waiting.from > longest * TURN && this.#at - waiting.since > slack;
  }

  #restart(waiting: Waiting): void {
    waiting.from = this.#lineOf(waiting.zone).turns;
    waiting.since = Math.max(this.#at, this.#notBefore);
  }

  #lineOf(zone: string): Line {
    const known = this.#lines.get(zone);
    if (known) return known;
    const line = { turns: 0, length: 0, longest: 0 };
    this.#lines.set(zone, line);
    return line;
  }
}
