/**
 * Faults as verbs in opposite pairs, on actors by name: `apiserver/0`, `node/worker-1` or just `worker-1`,
 * `controller-manager/0`; on all that begin alike, `node/*`, `node/gpu-*`; on all node agents of a zone,
 * `zone/zone-1`; on controllers, `controller/node-lifecycle` (`manager-names.ts`). A fault without its second
 * party is between the actor and everybody else, but who looks on from outside. Whoever checks a run may
 * listen to what is done.
 */
import type { NodeAgent } from '../node/node-agent.ts';
import type { Actor, CrashOptions } from '../engine/actor.ts';
import type { Latency } from '../engine/link.ts';
import type { Way } from '../engine/network.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { Supervisor } from '../engine/supervisor.ts';
import { after, type Micros } from '../engine/time.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import { checkSpan } from './check-span.ts';
import type { ManagedController, ManagerNames } from './manager-names.ts';
import {
  type FailedRequests,
  type FatalRequests,
  type LostAnswers,
  refusalOf,
  type RequestFaults,
  type RequestSelection,
  WRITE_VERBS,
  type WriteFault,
  type WriteSelection,
} from './request-faults.ts';
import type { FaultyServer, ServerSettings, WatchSelection } from './faulty-server.ts';
import type { StorageMembers } from './storage-members.ts';

export interface LinkFault {
  /** Absent: everybody else. */
  readonly from?: string;
  /** `both` (default), or only what the actor sends (`forth`), or only what it would receive (`back`). */
  readonly way?: Way | 'back';
}

/** A link that fails and recovers again and again. */
export interface Flapping {
  /** How long nothing passes. */
  readonly down: Micros;
  /** How long all is well. */
  readonly up: Micros;
}

/** What was done to whom, right after it was done. */
export interface FaultEvent {
  readonly verb: 'link' | 'life' | 'clock-jump' | 'clock-drift' | 'requests' | 'cache';
  /** Names of actors; of a link both ends. */
  readonly actors: readonly string[];
  /** Of a jump. */
  readonly by?: Micros;
  /** Of a drift. */
  readonly ppm?: number;
}

/** What faults must know of a cluster. */
export interface FaultTargets {
  /** Names of the actors of a zone's node agents; none for other names. */
  agentsOfZone(zone: string): readonly string[];
  /** Names of all zones that nodes are in. */
  readonly zones: readonly string[];
  readonly requestFaults: RequestFaults;
  readonly managers: ManagerNames;
  /** The server of that name; undefined: it is no API server. */
  serverCalled(name: string): FaultyServer | undefined;
  /** The agent of that name; undefined: it is no node. */
  agentCalled(name: string): Pick<NodeAgent, 'reconfigure'> | undefined;
  /** Undefined: the storage is one that does not fail. */
  readonly members: StorageMembers | undefined;
}

type LinkVerb = (a: string, b: string, way: Way) => void;

export class Faults {
  readonly #simulation: Simulation;
  readonly #targets: FaultTargets;
  readonly #listeners: ((event: FaultEvent) => void)[] = [];
  /** How to end each flapping, by what flaps. */
  readonly #flapping = new Map<string, () => void>();
  /** By the actor that they keep going. */
  readonly #supervisors = new Map<string, Supervisor>();

  constructor(simulation: Simulation, targets: FaultTargets) {
    this.#simulation = simulation;
    this.#targets = targets;
  }

  /** Hears of all that is done from now on. */
  listen(listener: (event: FaultEvent) => void): void {
    this.#listeners.push(listener);
  }

  /** Nothing passes between the actor and the other until `heal`; who waits for an answer times out. */
  partition(actor: string, fault: LinkFault = {}): void {
    this.#links(actor, fault, (a, b, way) => this.#simulation.network.partition(a, b, way), true);
  }

  /** Ends partitions; what was on the way arrives now. */
  heal(actor: string, fault: LinkFault = {}): void {
    this.#links(actor, fault, (a, b, way) => this.#simulation.network.heal(a, b, way));
  }

  /** Partitions and heals in turn until `steady`; the partition comes first. */
  flap(actor: string, { down, up }: Flapping, fault: LinkFault = {}): void {
    checkSpan('`down` of flap', down, 1);
    checkSpan('`up` of flap', up, 1);
    this.#endFlapping(flappingKey(actor, fault));
    const turn = (isDown: boolean): void => {
      if (isDown) this.partition(actor, fault);
      else this.heal(actor, fault);
      const next = after(this.#simulation.now, isDown ? down : up);
      const { cancel } = this.#simulation.at(next, `flap ${actor}`, () => turn(!isDown));
      this.#flapping.set(flappingKey(actor, fault), cancel);
    };
    turn(true);
  }

  /** Ends the flapping of the same actor and link, and heals it. */
  steady(actor: string, fault: LinkFault = {}): void {
    this.#endFlapping(flappingKey(actor, fault));
    this.heal(actor, fault);
  }

  /** Messages wait for `release`. */
  hold(actor: string, fault: LinkFault = {}): void {
    this.#links(actor, fault, (a, b, way) => this.#simulation.network.hold(a, b, way), true);
  }

  release(actor: string, fault: LinkFault = {}): void {
    this.#links(actor, fault, (a, b, way) => this.#simulation.network.release(a, b, way));
  }

  /** How long messages take from now on. */
  setLatency(actor: string, latency: Latency, fault: LinkFault = {}): void {
    this.#links(actor, fault, (a, b, way) => this.#simulation.network.setLatency(a, b, latency, way), true);
  }

  /** Messages take as long as they do between others. */
  resetLatency(actor: string, fault: LinkFault = {}): void {
    this.#links(actor, fault, (a, b, way) => this.#simulation.network.resetLatency(a, b, way));
  }

  /** Breaks the connections that exist now. */
  resetConnections(actor: string, { from }: Pick<LinkFault, 'from'> = {}): void {
    this.#links(
      actor,
      { ...(from !== undefined && { from }) },
      (a, b) => this.#simulation.network.reset(a, b),
      true,
    );
  }

  /** The actor ends at this instant: its processes, timers, connections. `isSilent`: as without power. */
  crash(actor: string, options: CrashOptions = {}): void {
    this.#lives(actor, (each) => {
      this.#supervisors.get(each.name)?.takeOver();
      each.crash(options);
    });
  }

  /**
   * A crashed actor starts anew; what it keeps on disk is still there. Of several, those that are crashed. API servers
   * may come back with other settings. @throws RangeError if it has not crashed
   */
  restart(actor: string, settings?: ServerSettings): void {
    const isOne = this.actors(actor).length === 1;
    this.#lives(actor, (each) => {
      if (!isOne && each.state !== 'crashed') return;
      if (each.state !== 'crashed')
        throw new RangeError(`${each.name} is ${each.state}: only what has crashed restarts`);
      if (settings) this.#reconfigure(each.name, settings);
      this.#supervisors.get(each.name)?.takeOver();
      each.restart();
    });
  }

  /**
   * The actor stalls: nothing happens in it until `resume`, and its clock runs on. A controller stalls while its manager
   * and the others go on.
   */
  pause(actor: string): void {
    if (!this.#controllers(actor, ({ manager, controller }) => manager.pause(controller)))
      this.#lives(actor, (each) => each.pause());
  }

  resume(actor: string): void {
    if (!this.#controllers(actor, ({ manager, controller }) => manager.resume(controller)))
      this.#lives(actor, (each) => each.resume());
  }

  /** A controller hears of everything so much later than its manager, or a scheduler, until 0 undoes it. @throws RangeError */
  lag(controller: string, by: Micros): void {
    const isDone =
      this.#schedulers(controller, (each) => each.lag(by)) ||
      this.#controllers(controller, (each) => each.manager.lag(each.controller, by));
    if (!isDone) throw new RangeError(`there is no controller ${JSON.stringify(controller)}`);
  }

  /** The actor's wall clock jumps (back, when negative); jump back by the same to undo it. */
  jumpClock(actor: string, by: Micros): void {
    const actors = this.actors(actor);
    for (const each of actors) each.jumpClock(by);
    this.#tell({ verb: 'clock-jump', actors: actors.map(({ name }) => name), by });
  }

  /** The actor's clock gains so many microseconds in a second; 0 undoes it. */
  driftClock(actor: string, ppm: number): void {
    const actors = this.actors(actor);
    for (const each of actors) each.driftClock(ppm);
    this.#tell({ verb: 'clock-drift', actors: actors.map(({ name }) => name), ppm });
  }

  /** API servers refuse such writes until `allowWrites`. */
  failWrites(fault: WriteFault): void {
    const answer = refusalOf(fault);
    this.#begin('fail-writes', { kind: 'fail', answer }, { ...fault, verb: WRITE_VERBS });
  }

  /** Ends what `failWrites` began with the same selection; false: nothing did. */
  allowWrites(selection: WriteSelection): boolean {
    return this.#end(['fail-writes'], { ...selection, verb: WRITE_VERBS });
  }

  /**
   * API servers refuse such requests, reads too, and do nothing, until `allowRequests` or until `count` were refused:
   * `failRequests({ verb: 'update', nth: 3, status: 500 })`.
   */
  failRequests(fault: FailedRequests = {}): void {
    this.#begin('fail', { kind: 'fail', answer: refusalOf(fault) }, fault);
  }

  /** Such requests are done, and nobody hears of it, until `allowRequests`. */
  loseAnswers(fault: LostAnswers = {}): void {
    this.#begin('lose', { kind: 'lose', resets: fault.resets ?? false }, fault);
  }

  /** Who makes such a request crashes just before it is done, so that it never is. */
  crashBefore(fault: FatalRequests): void {
    this.#begin(
      'crash-before',
      { kind: 'crash', when: 'before', victim: this.#victimOf(fault) },
      once(fault),
    );
  }

  /** Who makes such a request crashes once it is done and before it has the answer. */
  crashAfter(fault: FatalRequests): void {
    this.#begin('crash-after', { kind: 'crash', when: 'after', victim: this.#victimOf(fault) }, once(fault));
  }

  /** Ends what `failRequests`, `loseAnswers`, `crashBefore` and `crashAfter` began with the same selection; false: nothing did. */
  allowRequests(selection: RequestSelection = {}): boolean {
    return this.#end(['fail', 'lose', 'crash-before', 'crash-after'], selection);
  }

  /** API servers end such watches now; whoever watches opens them anew. `server` absent: all of them. */
  endWatches({ server, ...chosen }: WatchSelection & { readonly server?: string } = {}): void {
    const names = server === undefined ? 'apiserver/*' : server;
    for (const { name } of this.actors(names)) this.#serverCalled(name).endWatches(chosen);
    this.#tell({ verb: 'requests', actors: [] });
  }

  /** What a member of the storage (`etcd/1`) tells the caches of its API servers comes so late; 0 undoes it. */
  lagStorageMember(member: string, by: Micros): void {
    this.#members.lag(this.actor(member).name, by);
    this.#tell({ verb: 'cache', actors: [] });
  }

  /** The storage chooses another leader, and takes no writes meanwhile. */
  changeStorageLeader(takes?: Micros): void {
    this.#members.changeLeader(takes);
    this.#tell({ verb: 'requests', actors: [] });
  }

  #begin(...[kind, effect, fault]: Parameters<RequestFaults['begin']>): void {
    for (const name of [fault.actor, fault.server]) if (name !== undefined) this.actors(name);
    this.#targets.requestFaults.begin(kind, effect, fault);
    this.#tell({ verb: 'requests', actors: [] });
  }

  #end(...[kinds, selection]: Parameters<RequestFaults['end']>): boolean {
    const hasEnded = this.#targets.requestFaults.end(kinds, selection);
    this.#tell({ verb: 'requests', actors: [] });
    return hasEnded;
  }

  #victimOf({ crashes }: FatalRequests): string | undefined {
    return crashes === undefined ? undefined : this.actor(crashes).name;
  }

  /** An agent of a node can only be of another release. */
  #reconfigure(name: string, settings: ServerSettings): void {
    const { release } = settings;
    const agent = release && this.#targets.agentCalled(name);
    if (agent) agent.reconfigure({ release });
    else this.#serverCalled(name).reconfigure(settings);
  }

  #serverCalled(name: string): FaultyServer {
    const server = this.#targets.serverCalled(name);
    if (!server) throw new RangeError(`${name} is no API server`);
    return server;
  }

  get #members(): StorageMembers {
    const { members } = this.#targets;
    if (!members) throw new RangeError('the storage has no members: say how many with `storageMembers`');
    return members;
  }

  /** Whether requests of controllers fail, or one of them is paused, or hears later than by `lag`. */
  hindersControllers(lag: Micros): boolean {
    const { requestFaults, managers, members } = this.#targets;
    const losesLease = managers.electLeader && requestFaults.hinderElections;
    return (
      losesLease ||
      requestFaults.hinderControlPlane ||
      managers.isAnyHinderedBeyond(lag) ||
      members?.isWhole === false
    );
  }

  /** Says that faults of requests have ended by themselves. For the cluster. */
  requestsChanged(): void {
    this.#tell({ verb: 'requests', actors: [] });
  }

  /** Controllers that are paused by themselves. */
  get pausedControllers(): readonly string[] {
    return this.#targets.managers.pausedControllers;
  }

  /** Whoever keeps an actor going leaves it to faults once they have ended or started it, and says what it does itself. */
  supervise(actor: string, supervisor: Supervisor): void {
    this.#supervisors.set(actor, supervisor);
    const tell = (): void => this.#tell({ verb: 'life', actors: [actor] });
    supervisor.onChange = tell;
  }

  /** Says that the caches of API servers are late, or not any more. For the cluster. */
  cachesChanged(): void {
    this.#tell({ verb: 'cache', actors: [] });
  }

  /** An actor by its name, a node agent by its node's, or the first manager that runs a controller. */
  actor(name: string): Actor {
    const found = this.#known(name) ?? this.#targets.managers.actors(name)[0];
    if (found) return found;
    const names = this.#simulation.actors.map((actor) => actor.name);
    const whole = names.find((each) => each.endsWith(`/${name}`));
    const hint =
      whole === undefined ? `there are ${shortened(names)}` : `did you mean ${JSON.stringify(whole)}?`;
    throw new RangeError(`there is no actor ${JSON.stringify(name)}; ${hint}`);
  }

  /** Whether a name means controllers rather than actors. */
  isController(name: string): boolean {
    return !this.#known(name) && this.#targets.managers.controllers(name).length > 0;
  }

  /** Whether a name means somebody whom `lag` can make hear late: controllers, or schedulers. */
  canHearLate(name: string): boolean {
    if (this.isController(name)) return true;
    const isThere =
      name === 'scheduler/leader' || this.#simulation.actors.some((actor) => isMeant(name, actor.name));
    return name.startsWith('scheduler/') && isThere;
  }

  /** All that a name means: one actor, all of a kind, the node agents of a zone, or the managers of a controller. */
  actors(name: string): readonly Actor[] {
    if (name.endsWith('*')) {
      const prefix = name.slice(0, -1);
      const found = this.#simulation.actors.filter((actor) => actor.name.startsWith(prefix));
      if (found.length > 0) return found;
    }
    const supervised = this.#known(name) ? [] : this.#targets.managers.actors(name);
    if (supervised.length > 0) return supervised;
    if (!name.startsWith('zone/')) return [this.actor(name)];
    const names = this.#targets.agentsOfZone(name.slice('zone/'.length));
    if (names.length > 0) return names.map((each) => this.actor(each));
    const { zones } = this.#targets;
    const known = zones.length === 0 ? 'no node is in any' : `there are ${shortened(zones)}`;
    throw new RangeError(`there is no zone ${JSON.stringify(name.slice('zone/'.length))}; ${known}`);
  }

  #links(name: string, { from, way = 'both' }: LinkFault, act: LinkVerb, sparesUsers = false): void {
    const ones = this.actors(name).map((actor) => actor.name);
    const others = (from === undefined ? this.#simulation.actors : this.actors(from))
      .map((actor) => actor.name)
      // Whoever looks on from outside is no part of what is broken, unless it is named.
      .filter((other) => !(sparesUsers && from === undefined && other.startsWith('user/')));
    for (const a of ones) {
      for (const b of others) {
        // Those who share a fate with everybody else still reach each other.
        if (a === b || (from === undefined && ones.length > 1 && ones.includes(b))) continue;
        if (way === 'back') act(b, a, 'forth');
        else act(a, b, way);
        this.#tell({ verb: 'link', actors: [a, b] });
      }
    }
  }

  #lives(name: string, act: (actor: Actor) => void): void {
    for (const actor of this.actors(name)) {
      act(actor);
      this.#tell({ verb: 'life', actors: [actor.name] });
    }
  }

  /** False: the name does not mean controllers. */
  #controllers(name: string, act: (each: ManagedController) => void): boolean {
    if (!this.isController(name)) return false;
    for (const each of this.#targets.managers.controllers(name)) {
      act(each);
      this.#tell({ verb: 'life', actors: [each.manager.name] });
    }
    return true;
  }

  /** False: the name does not mean schedulers. */
  #schedulers(name: string, act: (each: Scheduler) => void): boolean {
    if (!name.startsWith('scheduler/')) return false;
    const schedulers = this.#targets.managers.schedulersAmong(this.actors(name));
    for (const each of schedulers) {
      act(each);
      this.#tell({ verb: 'life', actors: [each.name] });
    }
    return schedulers.length > 0;
  }

  #known(name: string): Actor | undefined {
    return this.#simulation.findActor(name) ?? this.#simulation.findActor(`node/${name}`);
  }

  #endFlapping(key: string): void {
    this.#flapping.get(key)?.();
    this.#flapping.delete(key);
  }

  #tell(event: FaultEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

/** A crash happens once, unless more are asked for. */
const once = (fault: FatalRequests): FatalRequests =>
  fault.nth === undefined && fault.count === undefined ? { ...fault, count: 1 } : fault;
/** By its name, or as one of all that begin alike. */
const isMeant = (name: string, actor: string): boolean =>
  name.endsWith('*') ? actor.startsWith(name.slice(0, -1)) : actor === name;

const flappingKey = (actor: string, { from = '', way = 'both' }: LinkFault): string =>
  `${actor} ${from} ${way}`;

const MOST_NAMES = 12;

const shortened = (names: readonly string[]): string =>
  `${names.slice(0, MOST_NAMES).join(', ')}${names.length > MOST_NAMES ? ', …' : ''}`;
