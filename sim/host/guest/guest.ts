/**
 * A guest: an ordinary async function inside the simulation, as an actor `guest/<name>`. Its calls go over the simulated
 * network, its timers and dates are its actor's, its chance comes from the seed. It runs only in its turns, between two
 * events: then a promise is settled or a timer goes off, and everything that follows from that happens before the
 * simulation goes on. A turn is a capability: what awaited something real (a file, a socket, another thread) and goes on
 * outside of one can neither call nor draw nor set a timer, and the guest has failed. A crash leaves its function where it
 * is, for ever; a restart begins it anew.
 */
import type { HttpAnswer, HttpCall } from '../../api/http-call.ts';
import { ApiClient } from '../../client/api-client.ts';
import { serveHttp } from '../../client/http-port.ts';
import type { Identity } from '../../client/protocol.ts';
import type { Actor } from '../../engine/actor.ts';
import type { ClockSettings } from '../../engine/clock.ts';
import type { Context } from '../../engine/context.ts';
import { InvariantViolation } from '../../engine/invariant.ts';
import type { Process } from '../../engine/process.ts';
import type { Simulation } from '../../engine/simulation.ts';
import type { Micros } from '../../engine/time.ts';
import { GuestClock } from './guest-clock.ts';
import { type Ambience, asGuest, quiescence } from './guest-globals.ts';
import { type GuestTools, guestTools } from './guest-tools.ts';
import { promiseClient, type PromiseClient } from './promise-client.ts';

/** What a guest's function is given. */
export interface GuestEnvironment extends GuestTools {
  readonly name: string;
  readonly client: PromiseClient;
  /**
   * Answers HTTP calls to this port of the guest's actor from now on: as a webhook, or for other guests. A handler that
   * throws answers 500 with its message.
   */
  serve(port: number, handler: GuestHandler): void;
}

/** Each call is a turn of the guest. `peer` is the actor that calls. */
export type GuestHandler = (call: HttpCall, peer: string) => HttpAnswer | Promise<HttpAnswer>;

export type GuestFunction = (guest: GuestEnvironment) => Promise<void>;

export interface GuestOptions {
  /** How its clock differs from true time. */
  readonly clock?: ClockSettings;
  /** Default: an administrator. */
  readonly user?: Identity;
}

export interface GuestWorld {
  readonly simulation: Simulation;
  readonly servers: readonly string[];
  /** The guest wants a turn before the next event. */
  wantTurn(guest: Guest): void;
}

export type GuestState = 'running' | 'done' | 'failed';

/** A guest's code ran when it was not its turn: what it does then would differ from run to run. */
export class OutsideTurn extends Error {
  override readonly name = 'OutsideTurn';
}

export class Guest {
  readonly actor: Actor;
  readonly #world: GuestWorld;
  readonly #options: GuestOptions;
  readonly #run: GuestFunction;
  #life: GuestLife | undefined;

  constructor(world: GuestWorld, name: string, run: GuestFunction, options: GuestOptions = {}) {
    this.#world = world;
    this.#options = options;
    this.#run = run;
    const { clock } = options;
    this.actor = world.simulation.actor(`guest/${name}`, {
      start: (context) => this.#live(context, name),
      ...(clock && { clock }),
    });
  }

  /** Of its present life. */
  get state(): GuestState {
    return this.#life?.state ?? 'running';
  }

  /** What its function threw. */
  get error(): unknown {
    return this.#life?.error;
  }

  /** For the host, between two events. */
  async takeTurn(): Promise<void> {
    await this.#life?.takeTurn();
  }

  *#live(context: Context, name: string): Process<void> {
    const { user = { name: `guest:${name}`, groups: ['system:masters', 'system:authenticated'] } } =
      this.#options;
    const client = new ApiClient({ context, servers: this.#world.servers, user, userAgent: name });
    const life = new GuestLife(context, () => this.#world.wantTurn(this));
    this.#life = life;
    const calls = promiseClient(
      client,
      (call) => life.promise(call),
      () => life.checkTurn('its client'),
    );
    const serve = (port: number, handler: GuestHandler): void => life.serve(port, handler);
    const tools = guestTools({
      client,
      run: (call) => life.promise(call),
      plan: (act) => life.plan(act),
      checkTurn: () => life.checkTurn('its tools'),
    });
    life.begin(() => this.#run({ name, client: calls, serve, ...tools }));
    yield* life.waitForTimers();
  }
}

/** One life of a guest, from its start to its crash. */
class GuestLife implements Ambience {
  state: GuestState = 'running';
  error: unknown;
  readonly #context: Context;
  readonly #clock: GuestClock;
  readonly #wantTurn: () => void;
  /** What is to be done in its next turn, in order. */
  #agenda: (() => void)[] = [];
  #hasTurn = false;
  readonly #rearmed;
  readonly #chance;

  constructor(context: Context, wantTurn: () => void) {
    this.#context = context;
    this.#wantTurn = wantTurn;
    this.#clock = new GuestClock(this.#instant);
    this.#rearmed = context.signal();
    this.#chance = context.site('chance');
  }

  get timers() {
    return this.#clock.timers;
  }

  get elapsedMs(): number {
    return this.#clock.elapsedMs;
  }

  random(): number {
    return this.#chance.uint32() / 0x1_0000_0000;
  }

  uuid(): string {
    return this.#chance.uuid();
  }

  fillRandomly(bytes: Uint8Array): void {
    bytes.set(this.#chance.bytes(bytes.length));
  }

  checkTurn(what: string): void {
    if (!this.#hasTurn || this.error instanceof OutsideTurn) throw this.#strayed(`used ${what}`);
  }

  continuedBy(work: string): void {
    this.#strayed(work);
  }

  begin(run: () => Promise<void>): void {
    this.#plan(() => {
      run().then(
        () => {
          if (this.state === 'running') this.state = 'done';
        },
        (error: unknown) => this.#fail(error),
      );
    });
  }

  /** It stays failed even if its code catches the error. */
  #strayed(how: string): OutsideTurn {
    const error = new OutsideTurn(
      `${this.#context.name} went on outside its turn: it awaited something real (${how})`,
    );
    this.#fail(error);
    return error;
  }

  /** The first error counts. */
  #fail(error: unknown): void {
    if (this.state === 'failed') return;
    this.state = 'failed';
    this.error = error;
  }

  /** A process of the simulation as a promise of the guest; it begins with the next event. */
  promise(call: Process<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.checkTurn('its client');
      this.#context.spawn('call', this.#settle(call, resolve, reject));
    });
  }

  *#settle(
    call: Process<unknown>,
    resolve: (value: unknown) => void,
    reject: (error: unknown) => void,
  ): Process<void> {
    try {
      const value = yield* call;
      this.#plan(() => resolve(value));
    } catch (error) {
      if (error instanceof InvariantViolation) throw error;
      this.#plan(() => reject(error));
    }
  }

  serve(port: number, handler: GuestHandler): void {
    this.checkTurn('a port');
    const context = this.#context;
    const plan = (act: () => void): void => this.#plan(act);
    serveHttp(context, port, function* (call, peer) {
      const answered = context.deferred<HttpAnswer>();
      plan(() => {
        void answerOf(handler, call, peer).then((answer) => answered.resolve(answer));
      });
      return yield* answered.wait();
    });
  }

  /** Asks for a turn whenever a timer is due, without end. */
  *waitForTimers(): Process<void> {
    for (;;) {
      const due = this.#clock.nextDueMs;
      if (due === undefined) yield* this.#rearmed.wait();
      else {
        const wait = Math.max(0, due * 1000 - this.#context.now()) as Micros;
        const first = yield* this.#context.race([this.#context.sleep(wait), this.#rearmed.wait()]);
        if (first.index === 0) {
          this.#wantTurn();
          yield* this.#rearmed.wait();
        }
      }
    }
  }

  async takeTurn(): Promise<void> {
    this.#hasTurn = true;
    try {
      await this.#act();
    } finally {
      this.#hasTurn = false;
    }
    this.#rearmed.fire();
  }

  async #act(): Promise<void> {
    const { elapsedMs } = this.#instant;
    for (
      let due = this.#clock.nextDueMs;
      due !== undefined && due <= elapsedMs && this.#context.isAlive;
      due = this.#clock.nextDueMs
    ) {
      asGuest(this, () => this.#clock.fireNext());
      await quiescence();
    }
    asGuest(this, () => this.#clock.moveTo(this.#instant));
    const agenda = this.#agenda;
    this.#agenda = [];
    for (const act of agenda) {
      if (!this.#context.isAlive) return;
      asGuest(this, act);
      await quiescence();
    }
  }

  get #instant(): { readonly wallMs: number; readonly elapsedMs: number } {
    return { wallMs: this.#context.wallMs(), elapsedMs: Math.floor(this.#context.now() / 1000) };
  }

  /** For its tools: something happens in a turn. */
  plan(act: () => void): void {
    this.#plan(act);
  }

  #plan(act: () => void): void {
    this.#agenda.push(act);
    this.#wantTurn();
  }
}

async function answerOf(handler: GuestHandler, call: HttpCall, peer: string): Promise<HttpAnswer> {
  try {
    return await handler(call, peer);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const body = { kind: 'bytes', bytes: new TextEncoder().encode(text) } as const;
    return { status: 500, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
  }
}
