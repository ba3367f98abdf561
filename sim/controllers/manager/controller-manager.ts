/**
 * A controller manager: one actor, `controller-manager/<n>`, whose controllers share one process, one connection to the
 * API, one informer for each kind, and one fate. With leader election it does nothing before it leads; when it loses
 * the leadership its process ends, and is started anew after a back-off, as whoever supervises it does.
 *
 * A controller can be paused, or hear late, by itself. Such a fault lasts until it is undone, through restarts.
 */
import { ApiClient } from '../../client/api-client.ts';
import { type AnyInformer, InformerFactory } from '../../client/informer/informer-factory.ts';
import { candidacy } from '../../client/leader-election/candidacy.ts';
import type { Actor } from '../../engine/actor.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import type { Simulation } from '../../engine/simulation.ts';
import { hours, type Micros } from '../../engine/time.ts';
import { type Controller, isCalled } from './controller.ts';
import type { ManagerCredentials } from './credentials.ts';
import { RunningController } from './running-controller.ts';
import { Supervisor } from '../../engine/supervisor.ts';

export const MANAGER_LEASE = { namespace: 'kube-system', name: 'kube-controller-manager' } as const;
const USER = { name: 'system:kube-controller-manager', groups: ['system:authenticated'] };
const USER_AGENT = 'kube-controller-manager';
/** Handlers are told anew of everything every 12 to 24 hours. */
const RESYNC = hours(12);

export interface ControllerManagerOptions {
  /** From 0. */
  readonly number: number;
  /** Names of the API servers. */
  readonly servers: readonly string[];
  /** In the order in which they start. */
  readonly controllers: readonly Controller[];
  readonly credentials: ManagerCredentials;
  /** Works only while it holds the lease `kube-system/kube-controller-manager`. */
  readonly electsLeader: boolean;
}

export class ControllerManager {
  readonly actor: Actor;
  /** Keeps the process going. */
  readonly supervisor: Supervisor;
  readonly #options: ControllerManagerOptions;
  readonly #paused = new Set<Controller>();
  readonly #lags = new Map<Controller, Micros>();
  #running: ReadonlyMap<Controller, RunningController> = new Map();
  #informers: InformerFactory | undefined;
  /** The life that they belong to. */
  #runningIn = 0;

  /** Starts with the next step of the simulation. */
  constructor(simulation: Simulation, options: ControllerManagerOptions) {
    this.#options = options;
    this.actor = simulation.actor(`controller-manager/${options.number}`, {
      start: (context) => this.#run(context),
    });
    this.supervisor = new Supervisor(simulation, this.actor);
  }

  get name(): string {
    return this.actor.name;
  }

  /** As it stands in the lease, before the underscore. */
  get hostName(): string {
    return `controller-manager-${this.#options.number}`;
  }

  get electsLeader(): boolean {
    return this.#options.electsLeader;
  }

  /** Its controllers are at work, or would be if nothing hindered them. */
  get isLeading(): boolean {
    return this.actor.state !== 'crashed' && this.#runningIn === this.actor.context.incarnation;
  }

  /** The copies that its controllers go by; none while it does not lead. For checkers. */
  get informers(): readonly AnyInformer[] {
    return this.isLeading ? (this.#informers?.all ?? []) : [];
  }

  /** Somebody has paused a controller of it, or made it hear later than `lag`. */
  isHinderedBeyond(lag: Micros): boolean {
    return this.#paused.size > 0 || [...this.#lags.values()].some((each) => each > lag);
  }

  /** Names of its controllers that are paused. */
  get pausedControllers(): readonly string[] {
    return [...this.#paused].map(({ name }) => name);
  }

  /** The controllers that are meant: by their name or a former one, or all that begin alike, `node-*`. */
  controllersCalled(text: string): readonly Controller[] {
    const { controllers } = this.#options;
    if (!text.endsWith('*')) return controllers.filter((controller) => isCalled(controller, text));
    return controllers.filter(({ name }) => name.startsWith(text.slice(0, -1)));
  }

  pause(controller: Controller): void {
    this.#paused.add(controller);
    this.#running.get(controller)?.pause();
  }

  resume(controller: Controller): void {
    this.#paused.delete(controller);
    this.#running.get(controller)?.resume();
  }

  /** From now on its handlers hear of everything so much later; 0 undoes it. */
  lag(controller: Controller, lag: Micros): void {
    if (lag > 0) this.#lags.set(controller, lag);
    else this.#lags.delete(controller);
    this.#running.get(controller)?.setLag(lag);
  }

  *#run(context: Context): Process<void> {
    const { servers, electsLeader } = this.#options;
    const client = new ApiClient({ context, servers, user: USER, userAgent: USER_AGENT });
    if (!electsLeader) {
      this.#startControllers(client);
      return;
    }
    const elector = candidacy({
      client,
      lease: MANAGER_LEASE,
      hostName: this.hostName,
      component: USER_AGENT,
    });
    yield* elector.acquire();
    this.#startControllers(client);
    yield* elector.hold();
    this.supervisor.exit();
  }

  #startControllers(client: ApiClient): void {
    const resync = client.context.site('resync period');
    const informers = new InformerFactory({
      client,
      resyncEvery: () => (RESYNC + resync.int(0, RESYNC)) as Micros,
    });
    this.#informers = informers;
    const running = new Map<Controller, RunningController>();
    this.#running = running;
    this.#runningIn = client.context.incarnation;
    for (const controller of this.#options.controllers) {
      const one = new RunningController(controller, {
        client,
        informers,
        credentials: this.#options.credentials,
      });
      running.set(controller, one);
      one.setLag(this.#lags.get(controller) ?? (0 as Micros));
      if (this.#paused.has(controller)) one.pause();
    }
  }
}
