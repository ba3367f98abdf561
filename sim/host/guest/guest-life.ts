/**
 * One life of a guest, from its start to its crash. It runs only in its turns: then a promise is settled or a timer goes
 * off, and everything that follows from that happens before the simulation goes on. A turn is a capability: outside of one
 * its code can neither call nor draw nor set a timer.
 */
import type { Agent } from 'node:http';
import type { Duplex } from 'node:stream';
import { serveHttp } from '../../client/http-port.ts';
import type { Context } from '../../engine/context.ts';
import { InvariantViolation } from '../../engine/invariant.ts';
import type { Process } from '../../engine/process.ts';
import type { Micros } from '../../engine/time.ts';
import { GuestClock } from './guest-clock.ts';
import type { Ambience } from './ambience.ts';
import type { AskedRequest, Heard } from './exchange.ts';
import { asGuest } from './guest-globals.ts';
import { GuestAnswers } from './guest-answers.ts';
import type { GuestHandler } from './guest-program.ts';
import type { GuestMachine } from './guest-machine.ts';
import type { SocketAddress } from './guest-socket.ts';
import { Holdings, letGoWith } from './holdings.ts';
import { Shadow } from './shadow.ts';
import { drain, isTimeout } from './slice.ts';
import { GuestVerdict, messageOf, OutsideTurn } from './verdicts.ts';

export type GuestState = 'running' | 'done' | 'failed';

export interface LifeOptions {
  readonly context: Context;
  readonly token: string;
  readonly wantTurn: () => void;
  readonly machine: (life: GuestLife) => GuestMachine;
}

/** Timers that wait at one time; whoever has more sets them and forgets them. */
const MOST_TIMERS = 10_000;
let lives = 0;

export class GuestLife implements Ambience {
  state: GuestState = 'running';
  error: unknown;
  /**
   * Its modules are being loaded, in real time: it has its turn until they are, or one of them waits for the simulation.
   * Settled then.
   */
  loading: Promise<void> | undefined;
  #touches: (() => void) | undefined;
  readonly token: string;
  readonly key = String(++lives);
  readonly holdings = new Holdings(this.key);
  readonly timeOrigin: number;
  readonly #context: Context;
  readonly #clock: GuestClock;
  readonly #machine: GuestMachine;
  readonly #wantTurn: () => void;
  /** What is to be done in its next turn, in order. */
  #agenda: (() => void)[] = [];
  #hasTurn = false;
  readonly #shadow: Shadow;
  /** As after the end of a process: nothing of it goes on. */
  #isOver = false;
  /** Nobody asks for it any more. */
  #isEnded = false;
  readonly #rearmed;
  readonly #chance;

  constructor({ context, token, wantTurn, machine }: LifeOptions) {
    this.#context = context;
    this.token = token;
    this.#wantTurn = wantTurn;
    this.#clock = new GuestClock(this.#instant);
    this.timeOrigin = context.wallMs();
    this.#rearmed = context.signal();
    this.#chance = context.site('chance');
    this.#machine = machine(this);
    this.#shadow = new Shadow(this);
    letGoWith(this, this.holdings);
  }

  get name(): string {
    return this.#context.name;
  }

  get timers() {
    return this.#clock.timers;
  }

  get pendingTimers(): number {
    return this.#clock.pending;
  }

  get elapsedMs(): number {
    return this.#clock.elapsedMs;
  }

  /** Whether its process has ended itself, or was ended. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** From 1; each restart adds one. */
  get number(): number {
    return this.#context.incarnation;
  }

  /** Whether its actor has not crashed since. */
  get isAlive(): boolean {
    return this.#context.isAlive;
  }

  usesAgent(agent: Agent): void {
    this.holdings.addAgent(agent);
  }

  /** It is over, and what the platform would keep of it for good is let go. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#isOver = true;
    this.#agenda = [];
    this.holdings.letGo();
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

  connect(address: SocketAddress): Duplex {
    this.checkTurn('a socket');
    const socket = this.#machine.connect(address);
    if (!socket) throw this.escapes(`opened a socket to ${address.host}:${address.port}`);
    return socket;
  }

  ask(address: SocketAddress, request: AskedRequest, heard: Heard): () => void {
    this.checkTurn('a request');
    const giveUp = this.#machine.ask(address, request, heard);
    if (!giveUp) throw this.escapes(`opened a socket to ${address.host}:${address.port}`);
    return giveUp;
  }

  checkTurn(what: string): void {
    if (this.loading) this.#touches?.();
    else if (!this.#hasTurn || this.error instanceof OutsideTurn) throw this.#strayed(`used ${what}`);
  }

  continuedBy(work: string): void {
    if (!this.loading) this.#strayed(work);
  }

  kept(what: string): void {
    if (!this.loading) this.escapes(what);
  }

  escapes(what: string): Error {
    return this.#judged('escaped', `${this.name} left the simulation: it ${what}`);
  }

  holdsTimers(count: number): void {
    if (count > MOST_TIMERS)
      this.#judged('leaked-timers', `${this.name} leaks timers: ${count} of them wait`);
  }

  exits(how: string, exitCode: number): Error {
    this.#isOver = true;
    const verdict = new GuestVerdict('exited', `${this.name} ended itself: ${how}`);
    verdict.exitCode = exitCode;
    this.#fail(verdict);
    return verdict;
  }

  neverRests(realMs: number): void {
    this.#isOver = true;
    this.#judged(
      'never-rests',
      `${this.name} never rests: a turn of it went on for more than ${realMs} ms of real time, in a loop or through promises that always have a next one`,
    );
  }

  uncaught(error: unknown): void {
    if (this.#isOver || error === this.error) return;
    this.#isOver = true;
    this.#judged('uncaught', `${this.name} threw where nobody catches it: ${messageOf(error)}`, error);
  }

  /** Its modules are loaded, and then `run` is called with what came of that. */
  beginLoading<T>(load: () => Promise<T>, run: (loaded: T) => Promise<void>): void {
    this.#plan(() => {
      const touched = new Promise<void>((resolve) => {
        this.#touches = resolve;
      });
      const loaded = load().then(
        (module) => this.begin(() => run(module)),
        (error: unknown) => this.#fail(error),
      );
      this.loading = Promise.race([loaded, touched]);
    });
  }

  /** What is not loaded by now waits for the simulation. */
  endLoading(): void {
    this.loading = undefined;
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
      `${this.name} went on outside its turn: it awaited something real (${how})`,
    );
    this.#fail(error);
    return error;
  }

  #judged(...verdict: ConstructorParameters<typeof GuestVerdict>): GuestVerdict {
    const error = new GuestVerdict(...verdict);
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
    const answers = new GuestAnswers(this.#context, handler, (act) => this.#plan(act));
    serveHttp(this.#context, port, (call, peer) => answers.of(call, peer));
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

  /** Within a slice. */
  takeTurn(): void {
    if (!this.#goesOn) return;
    this.#hasTurn = true;
    try {
      this.#act();
    } finally {
      this.#hasTurn = false;
    }
    this.holdsTimers(this.#clock.pending);
    this.#rearmed.fire();
  }

  get #goesOn(): boolean {
    return this.isAlive && !this.#isOver;
  }

  #act(): void {
    const { elapsedMs } = this.#instant;
    for (
      let due = this.#clock.nextDueMs;
      due !== undefined && due <= elapsedMs && this.#goesOn;
      due = this.#clock.nextDueMs
    )
      this.#settled(() => this.#clock.fireNext());
    if (!this.#goesOn) return;
    this.#settled(() => this.#clock.moveTo(this.#instant));
    const agenda = this.#agenda;
    this.#agenda = [];
    for (const act of agenda) {
      if (!this.#goesOn) return;
      this.#settled(act);
    }
  }

  /** With all that follows from it. */
  #settled(act: () => void): void {
    try {
      asGuest(this.#shadow, act);
    } catch (error) {
      // The end of a turn that has none is for who gave it.
      if (isTimeout(error)) throw error;
      this.uncaught(error);
    }
    drain((error) => this.uncaught(error));
  }

  get #instant(): { readonly wallMs: number; readonly elapsedMs: number } {
    return { wallMs: this.#context.wallMs(), elapsedMs: Math.floor(this.#context.now() / 1000) };
  }

  /** For its tools: something happens in a turn. */
  readonly plan = (act: () => void): void => this.#plan(act);

  #plan(act: () => void): void {
    if (this.#isOver) return;
    this.#agenda.push(act);
    this.#wantTurn();
  }
}
