/**
 * Guests in a cluster: `cluster.guest(name, fn)` lets an ordinary async function live in the simulation, and
 * `cluster.guests` drives it: between any two events every guest that something has happened to comes to rest.
 */
import type { Cluster, EventuallyOptions, ForkOptions } from '../cluster/cluster.ts';
import { checkPatience, checkSpan } from '../cluster/check-span.ts';
import { notInTime } from '../cluster/cluster.ts';
import { PastEnds } from '../cluster/journal.ts';
import { invariant, InvariantViolation } from '../engine/invariant.ts';
import type { Process } from '../engine/process.ts';
import { after, formatMicros, microseconds, milliseconds, minutes, type Micros } from '../engine/time.ts';
import { forked, performed, performedOnce } from './guest-past.ts';
import { Guest, type GuestOptions } from './guest/guest.ts';
import { type Copies, NoCopy } from './guest/guest-copies.ts';
import { checkProgram, type GuestProgram } from './guest/guest-program.ts';
import {
  hasRealWork,
  openGuestGlobals,
  present,
  quiescence,
  realMs,
  realWorkShown,
} from './guest/guest-globals.ts';
import type { GuestMachine, MachineOptions } from './guest/guest-machine.ts';
import { promiseClient, type PromiseClient } from './guest/promise-client.ts';
import { inSlice } from './guest/slice.ts';
import { messageOf, verdictOf, type VerdictKind } from './guest/verdicts.ts';

/** A guest's function threw, its promise was rejected, it went on outside its turn or left the simulation. */
export class GuestFailure extends Error {
  override readonly name = 'GuestFailure';
  /** Name of its actor. */
  readonly guest: string;
  /** Virtual time at which it was found. */
  readonly at: Micros;
  readonly kind: VerdictKind;

  constructor(guest: string, at: Micros, cause: unknown) {
    super(`${guest}: ${messageOf(cause)} (at ${formatMicros(at)} of virtual time)`, { cause });
    this.guest = guest;
    this.at = at;
    this.kind = verdictOf(cause);
  }
}

/** Real time went by with hardly any processor time: the run is broken off, and can be made again. */
export class StoodStill extends Error {
  override readonly name = 'StoodStill';

  /** @param guest whose turn it was */
  constructor(guest: string | undefined, limitMs: number, processorMs: number) {
    const why = guest === undefined ? '' : `, or ${guest} waits without end within a turn`;
    super(
      `the machine stood still${why}: of ${limitMs} ms of real time there were ${Math.round(processorMs)} ms of processor time`,
    );
  }
}

/** Drives a cluster whose guests need their turns. */
export class Guests {
  /** As the cluster's own `client`, with promises: awaiting a call drives the simulation. */
  readonly client: PromiseClient;
  readonly #cluster: Cluster;
  readonly #all: Guest[] = [];
  #wanting: Guest[] = [];
  /** Whose failure was told, and which. */
  readonly #told = new Map<Guest, unknown>();
  #atTurn: Guest | undefined;
  #isClosed = false;
  /** By guest, of the cluster that this one was forked from. */
  #inherited: ReadonlyMap<string, Copies> = new Map();
  #notCopied: ReadonlyMap<string, string> = new Map();
  #platform: Platform | undefined;
  /** Real milliseconds that a turn of the present slice may take. */
  #patienceMs = PATIENCE_MS;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.client = promiseClient({
      call: (what, make) =>
        performed(cluster, what, (other) => guestsOf(other).#finish(make(other.userClient))),
      goOn: (call) => this.finish(call),
    });
  }

  /** Starts a guest with the next event. */
  add(name: string, program: GuestProgram, options?: GuestOptions): Guest {
    this.#cluster.driveBy('await cluster.guests.advance(…), eventually(…) or client');
    const world = {
      simulation: this.#cluster.simulation,
      servers: this.#cluster.apiServers.map((server) => server.name),
      wantTurn: (guest: Guest) => void this.#wanting.push(guest),
      machine: (options: MachineOptions) => {
        invariant(this.#platform !== undefined, 'guests live in a cluster that is driven');
        return new this.#platform.GuestMachine(options);
      },
    };
    const copies = this.#inherited.get(`guest/${name}`);
    const guest = new Guest(world, name, program, { ...options, copies });
    if (guest.supervisor) this.#cluster.supervise(guest.actor.name, guest.supervisor);
    this.#all.push(guest);
    return guest;
  }

  /** Lets so much virtual time go by; a guest's failure ends that at once. @throws GuestFailure, StoodStill */
  async advance(span: Micros): Promise<void> {
    checkSpan('advance', span);
    await performed(this.#cluster, 'advance', (cluster) => guestsOf(cluster).#advance(span));
  }

  async #advance(span: Micros): Promise<void> {
    const { simulation, pastEnd } = this.#cluster;
    const deadline = microseconds(simulation.now + span);
    const limit = microseconds(Math.min(deadline, pastEnd));
    await this.#drive(() => simulation.step(limit));
    simulation.runUntil(limit);
    if (deadline > pastEnd) throw new PastEnds();
  }

  /** Runs a process in the user's actor to its end; a fork cannot do the same. @throws GuestFailure */
  async finish<T>(process: Process<T>): Promise<T> {
    return await performedOnce(this.#cluster, 'a process given to `finish`', () => this.#finish(process));
  }

  async #finish<T>(process: Process<T>): Promise<T> {
    const { simulation, pastEnd, user } = this.#cluster;
    const task = user.spawn('call', () => process, { failure: 'kept' });
    const limit = microseconds(Math.min(pastEnd, Number.MAX_SAFE_INTEGER));
    await this.#drive(() => task.state === 'active' && simulation.step(limit));
    if (task.state === 'active' && pastEnd < Infinity) throw new PastEnds();
    return task.result();
  }

  /** Guests of a fork that have lived their past again although their programs can be copied, and why. */
  get notCopied(): ReadonlyMap<string, string> {
    return this.#notCopied;
  }

  /**
   * Another cluster with the same past up to an instant, guests and all, and another future: see `Cluster.fork`. Every guest
   * lives its past again; of a program in Go only what it did to others is done again, and it goes on from a copy of its
   * memory where the fork begins now. What they share with the test that made them, such as lists that both write to, is shared with the
   * fork too; watches and processes of the test itself are not remade. @throws Irreproducible
   */
  async fork(options: ForkOptions): Promise<Cluster & GuestVerbs> {
    const { copies, not } = this.#copiesAt(options.at ?? this.#cluster.now);
    if (copies.size === 0) return await this.#forked(options, copies, not);
    try {
      return await this.#forked(options, copies, not);
    } catch (error) {
      const why = `it did not do the same again: ${messageOf(error)}`;
      const reasons = new Map([...not, ...[...copies.keys()].map((guest) => [guest, why] as const)]);
      return await this.#forked(options, new Map(), reasons);
    }
  }

  async #forked(
    options: ForkOptions,
    copies: ReadonlyMap<string, Copies>,
    not: ReadonlyMap<string, string>,
  ): Promise<Cluster & GuestVerbs> {
    const house = (fork: Cluster): void => {
      const { guests } = withGuests(fork);
      guests.#inherited = copies;
      guests.#notCopied = not;
    };
    return (await forked(this.#cluster, options, house)) as Cluster & GuestVerbs;
  }

  #copiesAt(instant: Micros): {
    readonly copies: ReadonlyMap<string, Copies>;
    readonly not: ReadonlyMap<string, string>;
  } {
    const copies = new Map<string, Copies>();
    const not = new Map<string, string>();
    for (const guest of this.#all)
      try {
        const ofGuest = guest.copiesAt(instant);
        if (ofGuest.size > 0) copies.set(guest.actor.name, ofGuest);
      } catch (error) {
        if (!(error instanceof NoCopy)) throw error;
        not.set(guest.actor.name, error.message);
      }
    return { copies, not };
  }

  /**
   * The end of the world for its guests: nothing happens in the cluster any more, which may still be looked at. Whatever
   * they keep open, such as watches, is let go, and with it the cluster once nobody else knows it.
   */
  close(): void {
    if (present()) throw new Error('a guest cannot end the cluster that it lives in');
    this.#isClosed = true;
    for (const guest of this.#all) guest.letGo(true);
  }

  /** `step` lets one thing happen; false: nothing is left to do. */
  async #drive(step: () => boolean): Promise<void> {
    if (this.#isClosed)
      throw new Error('the guests of this cluster were closed: nothing happens in it any more');
    this.#platform ??= await platformOfGuests();
    const close = openGuestGlobals();
    try {
      for (let isOver = false; !isOver;) {
        isOver = await this.#driveOn(step);
        this.#checkFailures();
      }
    } finally {
      close();
      for (const guest of this.#all) guest.letGo(false);
    }
  }

  /** For a while. True: it is over. */
  async #driveOn(step: () => boolean): Promise<boolean> {
    const [next] = this.#wanting;
    const least = Math.min(...this.#all.map(({ patienceMs }) => patienceMs), Infinity);
    this.#patienceMs = next?.patienceMs ?? (least < Infinity ? least : PATIENCE_MS);
    const limitMs = SLICE_MS + this.#patienceMs;
    const uncaught = (error: unknown): void => {
      if (!this.#atTurn) throw error;
      this.#atTurn.uncaught(error);
    };
    const ahead = (): Sliced | undefined => this.#untilTurn(step);
    const slice = await inSlice(() => this.#slice(step), { limitMs, uncaught, ahead });
    const guest = this.#atTurn;
    this.#atTurn = undefined;
    if (slice.kind === 'broken') return false;
    if (slice.kind === 'stuck') {
      if (slice.processorMs < limitMs * LEAST_SHARE)
        throw new StoodStill(guest?.actor.name, limitMs, slice.processorMs);
      invariant(guest !== undefined, 'only a guest takes that long', { limitMs });
      guest.neverRests();
      return false;
    }
    if (slice.value === 'wait') {
      for (const guest of this.#all) await loaded(guest);
      if (hasRealWork()) await realWorkShown();
    }
    return slice.value === 'over';
  }

  /** What needs no guard, as no guest has a turn in it. Undefined: somebody wants one. */
  #untilTurn(step: () => boolean): Sliced | undefined {
    const until = realMs() + SLICE_MS;
    do {
      this.#runInjected();
      if (this.#wanting.length > 0) return undefined;
      const end = this.#goOn(step);
      if (end) return end;
    } while (realMs() < until);
    return 'more';
  }

  #slice(step: () => boolean): Sliced {
    const until = realMs() + SLICE_MS;
    do {
      this.#runInjected();
      this.#giveTurns();
      if (this.#wanting.length > 0) return 'more';
      const end = this.#goOn(step);
      if (end) return end;
    } while (realMs() < until);
    return 'more';
  }

  #goOn(step: () => boolean): Sliced | undefined {
    if (this.#hasNews) return 'more';
    if (hasRealWork() || this.#all.some(({ loading }) => loading)) return 'wait';
    return step() ? undefined : 'over';
  }

  /** As the cluster's `eventually`; the check may be asynchronous. @throws NotInTime */
  async eventually<T>(
    check: () => T | Promise<T>,
    { within = minutes(5), every = milliseconds(100) }: EventuallyOptions = {},
  ): Promise<Exclude<T, false | undefined>> {
    checkPatience(within, every);
    const deadline = after(this.#cluster.now, within);
    for (;;) {
      let why: unknown;
      let last: unknown;
      try {
        const value = await check();
        last = value;
        if (value !== false && value !== undefined) return value as Exclude<T, false | undefined>;
      } catch (error) {
        if (isFinal(error)) throw error;
        why = error;
      }
      if (this.#cluster.now >= deadline) throw notInTime(within, { value: last, error: why });
      await this.advance(microseconds(Math.min(every, deadline - this.#cluster.now)));
    }
  }

  /** Whoever may take longer than this slice has its turn in the next one. */
  #giveTurns(): void {
    for (
      let [guest] = this.#wanting;
      guest && guest.patienceMs <= this.#patienceMs;
      [guest] = this.#wanting
    ) {
      this.#wanting.shift();
      this.#atTurn = guest;
      guest.takeTurn();
      this.#atTurn = undefined;
      this.#runInjected();
    }
  }

  /** What guests and callers have started goes as far as it gets at this instant; that may give a guest a turn at once. */
  #runInjected(): void {
    while (this.#cluster.simulation.step(BEFORE_EVERYTHING));
  }

  /** A guest has failed, and nobody was told. */
  get #hasNews(): boolean {
    return this.#all.some((guest) => guest.state === 'failed' && this.#told.get(guest) !== guest.error);
  }

  #checkFailures(): void {
    for (const guest of this.#all) {
      const { state, error, actor } = guest;
      if (state !== 'failed' || this.#told.get(guest) === error) continue;
      this.#told.set(guest, error);
      throw new GuestFailure(actor.name, this.#cluster.now, error);
    }
  }
}

const isFinal = (error: unknown): boolean =>
  error instanceof InvariantViolation || error instanceof GuestFailure || error instanceof StoodStill;

/** Modules beside one that waits for the simulation already are given a moment. */
const LOADING_ROUNDS = 10;

async function loaded(guest: Guest): Promise<void> {
  if (!guest.loading) return;
  await guest.loading;
  for (let round = 0; round < LOADING_ROUNDS; round++) await quiescence();
  guest.endLoading();
}

/** How a slice has ended. */
type Sliced = 'over' | 'more' | 'wait';

/** Real time after which the platform gets its turn too, in milliseconds. */
const SLICE_MS = 100;
const PATIENCE_MS = 5_000;
/** Of the processor, for a turn that goes on and on. */
const LEAST_SHARE = 0.1;

interface Platform {
  readonly GuestMachine: new (options: MachineOptions) => GuestMachine;
}

let platform: Promise<Platform> | undefined;

/** What guests need of Node is loaded with the first that is driven. */
const platformOfGuests = (): Promise<Platform> => (platform ??= loadPlatform());

async function loadPlatform(): Promise<Platform> {
  const [machine, { installGuestBuiltins }] = await Promise.all([
    import('./guest/guest-machine.ts'),
    import('./guest/guest-builtins.ts'),
  ]);
  installGuestBuiltins(present);
  return machine;
}

/** No event is due by then. */
const BEFORE_EVERYTHING = microseconds(-1);

export interface GuestVerbs {
  /** Lets an async function live in the cluster from now on; `guests` drives the cluster then. */
  guest(name: string, program: GuestProgram, options?: GuestOptions): Guest;
  readonly guests: Guests;
}

// Its own member: what a WeakMap knows of a young cluster keeps it until the whole heap is collected.
function guestsOf(cluster: Cluster & Partial<GuestVerbs>): Guests {
  const { guests } = cluster;
  invariant(guests !== undefined, 'only clusters with guests are driven by them');
  return guests;
}

/** Gives a cluster its guests. */
export function withGuests(cluster: Cluster): Cluster & GuestVerbs {
  const guests = new Guests(cluster);
  return Object.assign(cluster, {
    guests,
    guest: (name: string, program: GuestProgram, options?: GuestOptions) => {
      checkProgram(name, program);
      return cluster.perform(`guest ${name}`, (other) => guestsOf(other).add(name, program, options));
    },
  });
}
