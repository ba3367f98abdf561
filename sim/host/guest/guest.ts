/**
 * A guest: an ordinary async function inside the simulation, as an actor `guest/<name>`. Its calls go over the simulated
 * network, its timers and dates are its actor's, its chance comes from the seed. It runs only in its turns, between two
 * events: then a promise is settled or a timer goes off, and everything that follows from that happens before the
 * simulation goes on. A turn is a capability: what awaited something real (a file, a socket, another thread) and goes on
 * outside of one can neither call nor draw nor set a timer, and the guest has failed. A crash leaves its function where it
 * is, for ever; a restart begins it anew. With a restart policy it is begun anew when it ends itself, as the only
 * container of a pod is.
 */
import { ApiClient } from '../../client/api-client.ts';
import type { Identity } from '../../client/protocol.ts';
import type { Actor } from '../../engine/actor.ts';
import type { ClockSettings } from '../../engine/clock.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import type { Simulation } from '../../engine/simulation.ts';
import type { Micros } from '../../engine/time.ts';
import { Supervisor } from '../../engine/supervisor.ts';
import { freshModule, isModule, loaderOf, mainOf } from './fresh-module.ts';
import { COPIED, type Copies, GuestCopies, isCopied } from './guest-copies.ts';
import type { GuestEnvironment, GuestFunction, GuestHandler, GuestProgram } from './guest-program.ts';
import { kubeconfigOf } from './guest-files.ts';
import { GuestLife, type GuestState } from './guest-life.ts';
import type { GuestMachine, MachineOptions } from './guest-machine.ts';
import { guestTools } from './guest-tools.ts';
import { promiseClient } from './promise-client.ts';
import { GuestVerdict, verdictOf, type VerdictKind } from './verdicts.ts';

export interface GuestOptions {
  /** How its clock differs from true time. */
  readonly clock?: ClockSettings;
  /** Default: an administrator. */
  readonly user?: Identity;
  /** Real milliseconds that one turn of it may take; default 5000. */
  readonly patienceMs?: number;
  /**
   * What becomes of it when its process ends itself or throws where nobody catches it. `Never` (default): it has failed.
   * `OnFailure` (unless the exit code is 0) and `Always`: it is begun anew, at first soon, then after 10 s to 5 min, as
   * containers are.
   */
  readonly restartPolicy?: RestartPolicy;
}

export type RestartPolicy = 'Never' | 'OnFailure' | 'Always';

export interface GuestWorld {
  readonly simulation: Simulation;
  readonly servers: readonly string[];
  /** There is one as soon as the cluster is driven. */
  machine(options: MachineOptions): GuestMachine;
  /** The guest wants a turn before the next event. */
  wantTurn(guest: Guest): void;
}

const PATIENCE_MS = 5_000;

/** What is no end of a process but the simulator's own verdict stays one. */
const ENDS: ReadonlySet<VerdictKind> = new Set(['exited', 'uncaught', 'threw']);

const isEnd = (error: unknown, { restartPolicy }: GuestOptions): boolean => {
  const isFailure = !(error instanceof GuestVerdict && error.exitCode === 0);
  return ENDS.has(verdictOf(error)) && (isFailure || restartPolicy === 'Always');
};

export class Guest {
  readonly actor: Actor;
  /** Who begins it anew; undefined: nobody. */
  readonly supervisor: Supervisor | undefined;
  readonly #world: GuestWorld;
  readonly #options: GuestOptions;
  readonly #program: GuestProgram;
  readonly #copies: GuestCopies;
  #life: GuestLife | undefined;

  /** `copies` are of the same guest in the cluster that this one was forked from. */
  constructor(
    world: GuestWorld,
    name: string,
    program: GuestProgram,
    { copies, ...options }: GuestOptions & { readonly copies?: Copies | undefined } = {},
  ) {
    this.#copies = new GuestCopies(copies);
    this.#world = world;
    this.#options = options;
    this.#program = program;
    const { clock, restartPolicy = 'Never' } = options;
    this.actor = world.simulation.actor(`guest/${name}`, {
      start: (context) => this.#live(context, name),
      ...(clock && { clock }),
    });
    if (restartPolicy !== 'Never') this.supervisor = new Supervisor(world.simulation, this.actor);
  }

  /** Of its present life. */
  get state(): GuestState {
    return this.#isBegunAnew ? 'running' : (this.#life?.state ?? 'running');
  }

  /** What its function threw. */
  get error(): unknown {
    return this.#isBegunAnew ? undefined : this.#life?.error;
  }

  /** Timers that wait at present. */
  get pendingTimers(): number {
    return this.#life?.pendingTimers ?? 0;
  }

  get patienceMs(): number {
    return this.#options.patienceMs ?? PATIENCE_MS;
  }

  /** For the host: settled once its modules are loaded; undefined: they are. */
  get loading(): Promise<void> | undefined {
    return this.#life?.loading;
  }

  /** For the host. */
  endLoading(): void {
    this.#life?.endLoading();
  }

  /** For the host, between two events. */
  takeTurn(): void {
    try {
      this.#life?.takeTurn();
    } finally {
      this.#bury();
    }
  }

  /** For the host: its turn was broken off. */
  neverRests(): void {
    this.#life?.neverRests(this.patienceMs);
    this.#bury();
  }

  /** For the host: its code threw where nobody catches it. */
  uncaught(error: unknown): void {
    this.#life?.uncaught(error);
    if (this.#isBegunAnew) this.#bury();
  }

  /** For the host: its life is let go if it is over, be it by a crash, or if nothing happens in its cluster any more. */
  letGo(isClosed: boolean): void {
    if (isClosed || this.#life?.isAlive === false) this.#life?.end();
  }

  /** A process that has ended is none. */
  #bury(): void {
    const isAnew = this.#isBegunAnew;
    if (this.#life?.isOver !== true && !isAnew) return;
    if (this.actor.state === 'crashed') return;
    if (isAnew) this.supervisor?.exit();
    else this.actor.crash();
  }

  get #isBegunAnew(): boolean {
    const { state, error } = this.#life ?? {};
    return state === 'failed' && this.supervisor !== undefined && isEnd(error, this.#options);
  }

  *#live(context: Context, name: string): Process<void> {
    const { user = { name: `guest:${name}`, groups: ['system:masters', 'system:authenticated'] } } =
      this.#options;
    const { simulation } = this.#world;
    const servers = turned(this.#world.servers, context.incarnation - FIRST_LIFE);
    const client = new ApiClient({ context, servers, user, userAgent: name });
    const token = `guest:${name}`;
    const hasActor = (actor: string): boolean => simulation.findActor(actor) !== undefined;
    const life = new GuestLife({
      context,
      token,
      wantTurn: () => this.#world.wantTurn(this),
      machine: ({ plan, holdings }) =>
        this.#world.machine({ context, servers, user, token, hasActor, plan, holdings }),
    });
    this.#life?.end();
    this.#life = life;
    const calls = promiseClient({
      call: (_, make) => life.promise(make(client)),
      goOn: (call) => life.promise(call),
      checkTurn: () => life.checkTurn('its client'),
    });
    const serve = (port: number, handler: GuestHandler): void => life.serve(port, handler);
    const tools = guestTools({
      client,
      run: (call) => life.promise(call),
      plan: (act) => life.plan(act),
      checkTurn: () => life.checkTurn('its tools'),
    });
    this.#begin(life, { name, client: calls, serve, kubeconfig: kubeconfigOf(name, token), ...tools });
    yield* life.waitForTimers();
  }

  #begin(life: GuestLife, environment: GuestEnvironment): void {
    const loader = loaderOf(this.#program);
    if (loader)
      life.beginLoading(
        () => freshModule(loader, life.name),
        async (module) => void (await this.#called(mainOf(module), environment, life.number)),
      );
    else
      life.begin(async () => {
        const given = await this.#called(this.#program as GuestFunction, environment, life.number);
        // Only a module that was loaded as such is loaded anew.
        if (isModule(given)) await this.#called(mainOf(given), environment, life.number);
      });
  }

  async #called(
    main: GuestFunction | undefined,
    environment: GuestEnvironment,
    life: number,
  ): Promise<unknown> {
    if (!main) return undefined;
    if (!isCopied(main)) return await main(environment);
    await main[COPIED](environment, this.#copies.begin(life, this.#world.simulation.now));
    // Such a program is a process of its own, which has come to its end.
    if (this.#options.restartPolicy === 'Always')
      throw new GuestVerdict('exited', `${this.actor.name} ended itself: it has come to its end`);
    return undefined;
  }

  /** Of its lives, for a fork that begins at an instant. @throws NoCopy */
  copiesAt(instant: Micros): Copies {
    return this.#copies.at(instant, this.#world.simulation.now);
  }
}

const FIRST_LIFE = 1;

/** Whoever comes back is sent to another server, if there is one: it may know less than the one before. */
const turned = (servers: readonly string[], by: number): readonly string[] => {
  const first = by % Math.max(1, servers.length);
  return [...servers.slice(first), ...servers.slice(0, first)];
};
