/**
 * An actor: a named machine or program with a clock of its own and a life that can crash, restart, pause and
 * resume. What must survive a crash lives outside of its processes (a disk is a value that `start` closes over).
 */

import { ActorClock, type ClockSettings } from './clock.ts';
import { Context } from './context.ts';
import { label, type Label } from './digest.ts';
import type { QueuedEvent, Standing } from './queued-event.ts';
import { invariant } from './invariant.ts';
import type { Kernel } from './kernel.ts';
import { Life, type Living } from './life.ts';
import type { Eavesdropper } from './link.ts';
import type { Network } from './network.ts';
import type { Process } from './process.ts';
import type { SpawnOptions, Task } from './task.ts';
import type { Micros } from './time.ts';

export interface ActorOptions {
  /** Its main process (or what it does at first), begun when the actor is made and anew after each restart. */
  readonly start?: (context: Context) => Process<void> | void;
  readonly clock?: ClockSettings;
  /** Handles failures of processes that nobody joins. Without it, they are bugs of the simulator. */
  readonly onFailure?: (error: unknown, process: string) => void;
}

export interface CrashOptions {
  /**
   * A program that dies leaves a machine that resets its connections (default). A machine that loses power
   * does not: peers notice by their own timeouts, or by a reset once it is up again.
   */
  readonly isSilent?: boolean;
}

export type ActorState = 'running' | 'paused' | 'crashed';

const CRASH = label('crash');
const RESTART = label('restart');
const PAUSE = label('pause');
const RESUME = label('resume');
const CLOCK_JUMP = label('clock-jump');
const CLOCK_DRIFT = label('clock-drift');
const NOTHING = label('');

export class Actor implements Living {
  readonly label: Label;
  #eavesdropper: Eavesdropper | undefined;
  /** For the loop: packets come to an actor in any state, and the network decides what becomes of them. */
  readonly standing: Standing = 'running';
  readonly #clock: ActorClock;
  readonly #kernel: Kernel;
  readonly #network: Network;
  readonly #options: ActorOptions;
  /** What happened to it while it was paused, in order. */
  #backlog: QueuedEvent[] = [];
  #state: ActorState = 'running';
  #isSilent = false;
  #life: Life;
  #context: Context;

  /** Made by `Simulation.actor`. */
  constructor(name: string, kernel: Kernel, network: Network, options: ActorOptions) {
    this.label = label(name);
    this.#kernel = kernel;
    this.#network = network;
    this.#options = options;
    this.#clock = new ActorClock(options.clock);
    this.#life = new Life(this, kernel, 1);
    this.#context = new Context(this.#life, this.#clock, network);
  }

  /** For the network. */
  get eavesdropper(): Eavesdropper | undefined {
    return this.#eavesdropper;
  }

  /** From now on somebody hears what it says and is told, after those who do already. For checkers. */
  overhear(eavesdropper: Eavesdropper): void {
    const first = this.#eavesdropper;
    this.#eavesdropper = first ? both(first, eavesdropper) : eavesdropper;
  }

  get name(): string {
    return this.label.text;
  }

  get state(): ActorState {
    return this.#state;
  }

  /** Of its present life (or its last one). */
  get context(): Context {
    return this.#context;
  }

  /** For the network: what packets to it reach; undefined while it is crashed. */
  get life(): Life | undefined {
    return this.#state === 'crashed' ? undefined : this.#life;
  }

  /** For the network: crashed so that nobody answers in its place. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** For the network. */
  get isPaused(): boolean {
    return this.#state === 'paused';
  }

  /** Begins its main process. For `Simulation.actor`. */
  begin(): void {
    const { start } = this.#options;
    if (start) this.spawn('main', (context) => main(context, start));
  }

  /**
   * Starts a process in the actor; from the outside it begins with the next step of the simulation.
   * On a crashed actor it is cancelled at once.
   */
  spawn<T>(name: string, process: (context: Context) => Process<T>, options?: SpawnOptions): Task<T> {
    return this.#context.spawn(name, process(this.#context), options);
  }

  /** Ends its processes, timers and connections at this instant; no `finally` runs. Without effect when crashed. */
  crash({ isSilent = false }: CrashOptions = {}): void {
    if (this.#state === 'crashed') return;
    this.#kernel.note(this.label, CRASH, NOTHING);
    this.#state = 'crashed';
    this.#isSilent = isSilent;
    this.#life.end(isSilent);
    this.#releaseBacklog();
  }

  /** A new life, with a fresh context. The actor must be crashed. */
  restart(): void {
    invariant(this.#state === 'crashed', 'only a crashed actor restarts', { actor: this.name });
    this.#kernel.note(this.label, RESTART, NOTHING);
    this.#state = 'running';
    this.#isSilent = false;
    this.#life = new Life(this, this.#kernel, this.#life.incarnation + 1);
    this.#context = new Context(this.#life, this.#clock, this.#network);
    this.begin();
  }

  /** Nothing happens in it from now on; messages and timers queue up. Its clock runs on. */
  pause(): void {
    if (this.#state !== 'running') return;
    this.#kernel.note(this.label, PAUSE, NOTHING);
    this.#state = 'paused';
    this.#life.standing = 'paused';
    // An earlier resume may have let go what has not happened yet.
    this.#backlog = this.#kernel.recall((event) => event.owner === this || event.owner === this.#life);
  }

  /** What queued up happens now, in order, before anything new. */
  resume(): void {
    if (this.#state !== 'paused') return;
    this.#kernel.note(this.label, RESUME, NOTHING);
    this.#state = 'running';
    this.#life.standing = 'running';
    this.#releaseBacklog();
  }

  /** Its wall time jumps forward, or backward. */
  jumpClock(by: Micros): void {
    this.#kernel.note(this.label, CLOCK_JUMP, NOTHING, { by });
    this.#clock.jump(by);
  }

  /** From now on its clock gains so many microseconds in a true second. */
  driftClock(ppm: number): void {
    this.#kernel.note(this.label, CLOCK_DRIFT, NOTHING, { ppm });
    this.#clock.setDrift(ppm, this.#kernel.now);
  }

  defer(event: QueuedEvent): void {
    this.#backlog.push(event);
  }

  handleFailure(error: unknown, process: string): boolean {
    this.#options.onFailure?.(error, process);
    return this.#options.onFailure !== undefined;
  }

  #releaseBacklog(): void {
    const backlog = this.#backlog;
    this.#backlog = [];
    for (const event of backlog) this.#kernel.release(event);
  }
}

function* main(context: Context, start: NonNullable<ActorOptions['start']>): Process<void> {
  const process = start(context);
  if (process) yield* process;
}

const both = (first: Eavesdropper, second: Eavesdropper): Eavesdropper => ({
  sent: (message, end) => {
    first.sent?.(message, end);
    second.sent?.(message, end);
  },
  received: (message, end) => {
    first.received?.(message, end);
    second.received?.(message, end);
  },
  withheld: (message, end) => {
    first.withheld?.(message, end);
    second.withheld?.(message, end);
  },
});
