/**
 * Guests in a cluster: `cluster.guest(name, fn)` lets an ordinary async function live in the simulation, and
 * `cluster.guests` drives it: between any two events every guest that something has happened to comes to rest.
 */
import type { Cluster, EventuallyOptions } from '../cluster/cluster.ts';
import { notInTime } from '../cluster/cluster.ts';
import { driveUntil } from '../engine/drive.ts';
import { InvariantViolation } from '../engine/invariant.ts';
import type { Process } from '../engine/process.ts';
import { after, microseconds, milliseconds, minutes, type Micros } from '../engine/time.ts';
import { Guest, type GuestFunction, type GuestOptions } from './guest/guest.ts';
import { openGuestGlobals, realWorkShown } from './guest/guest-globals.ts';
import { promiseClient, type PromiseClient } from './guest/promise-client.ts';

/** A guest's function threw, its promise was rejected, or it went on outside its turn. */
export class GuestFailure extends Error {
  override readonly name = 'GuestFailure';
}

/** Drives a cluster whose guests need their turns. */
export class Guests {
  /** As the cluster's own `client`, with promises: awaiting a call drives the simulation. */
  readonly client: PromiseClient;
  readonly #cluster: Cluster;
  readonly #all: Guest[] = [];
  #wanting: Guest[] = [];
  readonly #told = new Set<Guest>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.client = promiseClient(cluster.userClient, (call) => this.finish(call));
  }

  /** Starts a guest with the next event. */
  add(name: string, run: GuestFunction, options?: GuestOptions): Guest {
    this.#cluster.driveBy('await cluster.guests.advance(…), eventually(…) or client');
    const world = {
      simulation: this.#cluster.simulation,
      servers: this.#cluster.apiServers.map((server) => server.name),
      wantTurn: (guest: Guest) => void this.#wanting.push(guest),
    };
    const guest = new Guest(world, name, run, options);
    this.#all.push(guest);
    return guest;
  }

  /** Lets so much virtual time go by. @throws GuestFailure */
  async advance(span: Micros): Promise<void> {
    const { simulation } = this.#cluster;
    await this.#driven(async () => {
      this.#runInjected();
      await driveUntil(simulation, microseconds(simulation.now + span), () => this.#turns());
      await this.#turns();
    });
  }

  /** Runs a process in the user's actor to its end. @throws GuestFailure */
  async finish<T>(process: Process<T>): Promise<T> {
    const task = this.#cluster.user.spawn('call', () => process, { failure: 'kept' });
    await this.#driven(async () => {
      this.#runInjected();
      await this.#turns();
      while (task.state === 'active' && this.#cluster.simulation.step()) await this.#turns();
    });
    return task.result();
  }

  async #driven(drive: () => Promise<void>): Promise<void> {
    const close = openGuestGlobals();
    try {
      await drive();
      await realWorkShown();
    } finally {
      close();
    }
    this.#checkFailures();
  }

  /** As the cluster's `eventually`; the check may be asynchronous. @throws NotInTime */
  async eventually<T>(
    check: () => T | Promise<T>,
    { within = minutes(5), every = milliseconds(100) }: EventuallyOptions = {},
  ): Promise<Exclude<T, false | undefined>> {
    const deadline = after(this.#cluster.now, within);
    for (;;) {
      let why: unknown;
      let last: unknown;
      try {
        const value = await check();
        last = value;
        if (value !== false && value !== undefined) return value as Exclude<T, false | undefined>;
      } catch (error) {
        if (error instanceof InvariantViolation || error instanceof GuestFailure) throw error;
        why = error;
      }
      if (this.#cluster.now >= deadline) throw notInTime(within, { value: last, error: why });
      await this.advance(microseconds(Math.min(every, deadline - this.#cluster.now)));
    }
  }

  /** Not an async function: most events concern no guest, and then nothing is waited for. */
  #turns(): Promise<void> {
    return this.#wanting.length === 0 ? AT_REST : this.#giveTurns();
  }

  async #giveTurns(): Promise<void> {
    for (let guest = this.#wanting.shift(); guest; guest = this.#wanting.shift()) {
      await guest.takeTurn();
      this.#runInjected();
    }
  }

  /** What guests and callers have started goes as far as it gets at this instant; that may give a guest a turn at once. */
  #runInjected(): void {
    while (this.#cluster.simulation.step(BEFORE_EVERYTHING));
  }

  #checkFailures(): void {
    for (const guest of this.#all) {
      if (guest.state !== 'failed' || this.#told.has(guest)) continue;
      this.#told.add(guest);
      const { error } = guest;
      throw new GuestFailure(
        `${guest.actor.name}: ${error instanceof Error ? error.message : String(error)}`,
        { cause: error },
      );
    }
  }
}

const AT_REST = Promise.resolve();
/** No event is due by then. */
const BEFORE_EVERYTHING = microseconds(-1);

export interface GuestVerbs {
  /** Lets an async function live in the cluster from now on; `guests` drives the cluster then. */
  guest(name: string, run: GuestFunction, options?: GuestOptions): Guest;
  readonly guests: Guests;
}

/** Gives a cluster its guests. */
export function withGuests(cluster: Cluster): Cluster & GuestVerbs {
  const guests = new Guests(cluster);
  return Object.assign(cluster, {
    guests,
    guest: (name: string, run: GuestFunction, options?: GuestOptions) => guests.add(name, run, options),
  });
}
