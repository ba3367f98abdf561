/**
 * Faults as verbs in opposite pairs, on actors by name: `apiserver/0`, `node/worker-1` or just `worker-1`,
 * `controller/node-lifecycle`. A fault without its second party is between the actor and everybody else.
 */
import type { Actor, CrashOptions } from '../engine/actor.ts';
import { invariant } from '../engine/invariant.ts';
import type { Latency } from '../engine/link.ts';
import type { Way } from '../engine/network.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { Micros } from '../engine/time.ts';

export interface LinkFault {
  /** Absent: everybody else. */
  readonly from?: string;
  /** `both` (default), or only what the actor sends (`forth`), or only what it would receive (`back`). */
  readonly way?: Way | 'back';
}

export class Faults {
  readonly #simulation: Simulation;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  /** Nothing passes between the actor and the other until `heal`; who waits for an answer times out. */
  partition(actor: string, fault: LinkFault = {}): void {
    this.#links(actor, fault, (a, b, way) => this.#simulation.network.partition(a, b, way));
  }

  /** Ends partitions; what was on the way arrives now. */
  heal(actor: string, fault: LinkFault = {}): void {
    this.#links(actor, fault, (a, b, way) => this.#simulation.network.heal(a, b, way));
  }

  /** Messages wait for `release`. */
  hold(actor: string, fault: LinkFault = {}): void {
    this.#links(actor, fault, (a, b, way) => this.#simulation.network.hold(a, b, way));
  }

  release(actor: string, fault: LinkFault = {}): void {
    this.#links(actor, fault, (a, b, way) => this.#simulation.network.release(a, b, way));
  }

  /** How long messages take from now on. */
  setLatency(actor: string, latency: Latency, fault: LinkFault = {}): void {
    this.#links(actor, fault, (a, b, way) => this.#simulation.network.setLatency(a, b, latency, way));
  }

  /** Breaks the connections that exist now. */
  resetConnections(actor: string, { from }: Pick<LinkFault, 'from'> = {}): void {
    this.#links(actor, { ...(from !== undefined && { from }) }, (a, b) => this.#simulation.network.reset(a, b));
  }

  /** The actor ends at this instant: its processes, timers, connections. `isSilent`: as without power. */
  crash(actor: string, options: CrashOptions = {}): void {
    this.actor(actor).crash(options);
  }

  /** A crashed actor starts anew; what it keeps on disk is still there. */
  restart(actor: string): void {
    this.actor(actor).restart();
  }

  /** The actor stalls: nothing happens in it until `resume`, and its clock runs on. */
  pause(actor: string): void {
    this.actor(actor).pause();
  }

  resume(actor: string): void {
    this.actor(actor).resume();
  }

  /** The actor's wall clock jumps (back, when negative); jump back by the same to undo it. */
  jumpClock(actor: string, by: Micros): void {
    this.actor(actor).jumpClock(by);
  }

  /** The actor's clock gains so many microseconds in a second; 0 undoes it. */
  driftClock(actor: string, ppm: number): void {
    this.actor(actor).driftClock(ppm);
  }

  /** An actor by its name, or a node agent by its node's. */
  actor(name: string): Actor {
    const found = this.#simulation.findActor(name) ?? this.#simulation.findActor(`node/${name}`);
    if (found) return found;
    const names = this.#simulation.actors.map((actor) => actor.name).join(', ');
    throw new RangeError(`there is no actor ${JSON.stringify(name)}; there are ${names}`);
  }

  #links(name: string, { from, way = 'both' }: LinkFault, act: (a: string, b: string, way: Way) => void): void {
    const { name: a } = this.actor(name);
    const others = from === undefined ? this.#simulation.actors.map((actor) => actor.name) : [this.actor(from).name];
    for (const b of others) {
      if (b === a) continue;
      invariant(b !== '', 'actors have names');
      if (way === 'back') act(b, a, 'forth');
      else act(a, b, way);
    }
  }
}
