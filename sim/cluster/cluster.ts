/**
 * A simulated cluster, for whoever drives it from outside: a test, a scenario, a command. Between two calls of its
 * methods the world stands still. `client` calls run it just as long as the call takes, `advance` for a span, `settle`
 * until writing ceases, `eventually` until something holds. Faults come in pairs (`faults.ts`).
 *
 * Equal options and equal calls give equal digests. It refuses to know promises: guests, which have them, drive a
 * cluster through `sim/host`. Specification: all of it, seen from a user.
 */
import type { ApiClient } from '../client/api-client.ts';
import { InvariantViolation } from '../engine/invariant.ts';
import type { Actor } from '../engine/actor.ts';
import type { Process } from '../engine/process.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { Supervisor } from '../engine/supervisor.ts';
import {
  after,
  formatMicros,
  microseconds,
  milliseconds,
  minutes,
  seconds,
  type Micros,
} from '../engine/time.ts';
import type { Trace } from '../engine/trace.ts';
import type { Storage } from '../storage/storage.ts';
import { VersionedStorage } from '../apiserver/stores/versioned-storage.ts';
import type { StoredObject } from '../apiserver/stores/stored-object.ts';
import type { ControllerManager } from '../controllers/manager/controller-manager.ts';
import type { Machine } from '../node/machine/machine.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import type { NodeAgent } from '../node/node-agent.ts';
import type { NodeTemplate } from '../node/node-template.ts';
import type { ApiServerActor } from './api-server-actor.ts';
import { checkPatience, checkSpan } from './check-span.ts';
import { type ClusterReport, reportOf } from './cluster-report.ts';
import { Faults } from './faults.ts';
import { type Act, type Doable, Irreproducible, Journal, PastEnds } from './journal.ts';
import { ManagerNames } from './manager-names.ts';
import { recorded } from './recorded.ts';
import { type SyncClient, syncClient } from './sync-client.ts';
import type { WriteCount } from './write-count.ts';
import type { RequestFaults } from './request-faults.ts';
import type { StorageMembers } from './storage-members.ts';

export interface ClusterParts {
  readonly simulation: Simulation;
  readonly storage: Storage<StoredObject>;
  readonly apiServers: readonly ApiServerActor[];
  readonly controllerManagers: readonly ControllerManager[];
  readonly schedulers: readonly Scheduler[];
  readonly agents: readonly NodeAgent[];
  readonly makeAgent: (template: NodeTemplate, actorName: string) => NodeAgent;
  readonly requestFaults: RequestFaults;
  /** Absent: the storage does not fail. */
  readonly members?: StorageMembers;
  /** Of the one who looks on from outside. */
  readonly userClient: ApiClient;
  readonly writes: WriteCount;
  /** Makes such a cluster anew, at virtual time 0; absent: there is no other like it. */
  readonly remake?: () => Cluster;
}

export interface ForkOptions {
  /** Where the pasts of the two part; default: now. */
  readonly at?: Micros;
  /** Answers every question of chance from then on; safe integer. */
  readonly seed: number;
}

export interface EventuallyOptions {
  /** Default 5 minutes. */
  readonly within?: Micros;
  /** How often it is looked at; default every 100 ms. */
  readonly every?: Micros;
}

export interface SettleOptions {
  /** So long nobody but heartbeats writes; default 6 s, one more than the slowest loop of a controller. */
  readonly quiet?: Micros;
  /** Default 10 minutes. */
  readonly within?: Micros;
}

/** Something did not come to be in time. */
export class NotInTime extends Error {
  override readonly name = 'NotInTime';
}

export class Cluster {
  readonly simulation: Simulation;
  readonly faults: Faults;
  readonly #faults: Faults;
  readonly storage: Storage<StoredObject>;
  readonly apiServers: readonly ApiServerActor[];
  readonly controllerManagers: readonly ControllerManager[];
  readonly schedulers: readonly Scheduler[];
  /** As an administrator, from the actor `user/test`. */
  readonly client: SyncClient;
  readonly #parts: ClusterParts;
  readonly #agents: NodeAgent[];
  readonly #agentListeners: ((agent: NodeAgent) => void)[] = [];
  readonly #journal: Journal<Cluster> | undefined;
  /** While a past is made again: where it ends. */
  #pastEnd = Infinity;
  /** Somebody else drives: says so, and how. */
  #driver: string | undefined;

  /** Made by `createCluster`. */
  constructor(parts: ClusterParts) {
    this.#parts = parts;
    this.simulation = parts.simulation;
    this.storage = parts.storage;
    this.apiServers = parts.apiServers;
    this.controllerManagers = parts.controllerManagers;
    this.schedulers = parts.schedulers;
    this.#agents = [...parts.agents];
    this.#journal = parts.remake && new Journal<Cluster>(this);
    this.#faults = new Faults(parts.simulation, {
      agentsOfZone: (zone) =>
        this.#agents.filter((agent) => agent.zone === zone).map(({ actor }) => actor.name),
      zones: [...new Set(this.#agents.flatMap(({ zone }) => zone ?? []))],
      requestFaults: parts.requestFaults,
      agentCalled: (name) => this.#agents.find(({ actor }) => actor.name === name),
      serverCalled: (name) => parts.apiServers.find((server) => server.name === name),
      members: parts.members,
      managers: new ManagerNames(parts, parts.storage),
    });
    for (const { name, supervisor } of [...parts.controllerManagers, ...parts.schedulers])
      this.supervise(name, supervisor);
    const requestsChanged = (): void => this.#faults.requestsChanged();
    parts.requestFaults.onOver = requestsChanged;
    const { members } = parts;
    if (members) this.#faults.listen(() => members.look());
    this.faults = this.#recorded(this.#faults, 'faults', (cluster) => cluster.#faults);
    this.client = syncClient((what, act) => this.perform(what, act));
  }

  /** Faults take precedence over whoever keeps an actor going from now on. For its parts, and for hosts of guests. */
  supervise(actor: string, supervisor: Supervisor): void {
    this.#faults.supervise(actor, supervisor);
  }

  get seed(): number {
    return this.simulation.seed;
  }

  /** True virtual time since the cluster began. */
  get now(): Micros {
    return this.simulation.now;
  }

  get trace(): Trace {
    return this.simulation.trace;
  }

  /** 16 hexadecimal digits over everything that has happened. */
  get digest(): string {
    return this.simulation.trace.digest;
  }

  /** The process client behind `client`. */
  get userClient(): ApiClient {
    return this.#parts.userClient;
  }

  /** The actor of whoever looks on from outside. */
  get user(): Actor {
    return this.#faults.actor(this.userClient.context.name);
  }

  /**
   * Does something to the cluster that a fork of it is to have in its past too. `act` may use nothing but the cluster that
   * it is given, as it is done again to another one.
   */
  perform<T>(what: string, act: Act<Cluster, T>): T {
    return this.#journal ? this.#journal.record(what, () => act(this), act) : act(this);
  }

  /**
   * The same of what ends only when the function that comes back is called, with its failure if it has one. Undefined: it can
   * be done to no other cluster. For hosts, whose deeds take their time.
   */
  begin(what: string, again: Act<Cluster, unknown> | undefined): (error?: unknown) => void {
    return this.#journal ? this.#journal.begin(what, again) : () => undefined;
  }

  /**
   * Another cluster with the same past up to an instant, and another future. The past is made again with the same
   * answers of chance and the same deeds: calls of this object's methods, its client, faults and machines, and whatever
   * was given to `perform`. Calls under way at that instant are under way there too. What was done otherwise is not
   * remade, and refused where it shows. Traces and listeners are the fork's own. @throws Irreproducible
   */
  fork({ at = this.now, seed }: ForkOptions): Cluster {
    this.#checkDriver();
    const { fork, journal } = this.#begunAnew(at);
    journal.relive(fork, at, (deed, end) => fork.#redone(deed, end));
    return this.#parted(fork, at, seed);
  }

  /**
   * The same for hosts whose deeds take their time: what each comes to is given out, to be waited for. `house` readies the
   * other cluster before anything happens in it.
   */
  *forkInSteps(
    { at = this.now, seed }: ForkOptions,
    house: (fork: Cluster) => void,
  ): Generator<unknown, Cluster, void> {
    const { fork, journal } = this.#begunAnew(at);
    house(fork);
    yield* journal.reliving(fork, at, (deed, end) => fork.#redone(deed, end));
    return this.#parted(fork, at, seed);
  }

  *#redone({ what, act, takesTime }: Doable<Cluster>, end: Micros): Iterable<unknown> {
    this.#pastEnd = end;
    if (!takesTime) {
      yield this.perform(what, act);
      return;
    }
    const ended = this.begin(what, act);
    try {
      yield act(this);
    } catch (error) {
      ended(error);
      throw error;
    }
    ended();
  }

  /** Such a cluster before all that was done to this one. */
  #begunAnew(at: Micros): { readonly fork: Cluster; readonly journal: Journal<Cluster> } {
    if (at < 0)
      throw new RangeError('a fork begins at time 0 or later: what was before is how the cluster came up');
    if (at > this.now)
      throw new RangeError(`a fork begins in the past: ${formatMicros(at)} is still to come`);
    const fork = this.#parts.remake?.();
    if (!fork || !this.#journal) throw new Irreproducible('only clusters of `createCluster` can be forked');
    return { fork, journal: this.#journal };
  }

  /** Goes its own way from the instant on. */
  #parted(fork: Cluster, at: Micros, seed: number): Cluster {
    fork.#pastEnd = Infinity;
    if (fork.now < at) fork.perform('advance', (cluster) => cluster.simulation.runUntil(at));
    if (at === this.now && this.#journal?.isLike(fork) !== true)
      throw new Irreproducible('something was done to this cluster from outside that is not remade');
    fork.perform('fork', (cluster) => cluster.simulation.choices.continueWith(seed));
    return fork;
  }

  /** While a past is made again: whoever drives goes no further, and throws `PastEnds` there. For the host. */
  get pastEnd(): number {
    return this.#pastEnd;
  }

  /** Lets so much virtual time go by. @throws RangeError for what is no span */
  advance(span: Micros): void {
    this.#checkDriver();
    checkSpan('advance', span);
    this.perform('advance', (cluster) => cluster.#advance(span));
  }

  #advance(span: Micros): void {
    const end = after(this.now, span);
    this.simulation.runUntil(Math.min(end, this.#pastEnd) as Micros);
    if (end > this.#pastEnd) throw new PastEnds();
  }

  /** Runs a process in the user's actor to its end. Given one in `perform`, a fork can do the same. */
  finish<T>(process: Process<T>): T {
    this.#checkDriver();
    const work = (): T => this.#finish(process);
    return this.#journal ? this.#journal.record('a process given to `finish`', work, undefined) : work();
  }

  #finish<T>(process: Process<T>): T {
    const task = this.user.spawn('call', () => process, { failure: 'kept' });
    if (this.#pastEnd === Infinity) return withCallersLine(() => this.simulation.finish(task));
    while (task.state === 'active' && this.simulation.step(this.#pastEnd as Micros));
    if (task.state === 'active') throw new PastEnds();
    return task.result();
  }

  #recorded<T extends object>(target: T, what: string, of: (cluster: Cluster) => T): T {
    if (!this.#journal) return target;
    return recorded<T, Cluster>(target, { what, of, perform: (name, act) => this.perform(name, act) });
  }

  /** Lets time go by until, for a while, nothing is written but heartbeats. @throws NotInTime */
  settle({ quiet = seconds(6), within = minutes(10) }: SettleOptions = {}): void {
    checkSpan('`within` of settle', within);
    const deadline = after(this.now, within);
    for (let before = -1; before !== this.#parts.writes.count;) {
      if (this.now > deadline)
        throw new NotInTime(`the cluster was still writing after ${formatMicros(within)}`);
      before = this.#parts.writes.count;
      this.advance(quiet);
    }
  }

  /**
   * Lets time go by until `check` returns something other than false or undefined, and returns it. A check that throws
   * has not come true yet. It may call `client`. @throws NotInTime
   */
  eventually<T>(
    check: () => T,
    { within = minutes(5), every = milliseconds(100) }: EventuallyOptions = {},
  ): Exclude<T, false | undefined> {
    checkPatience(within, every);
    const deadline = after(this.now, within);
    for (;;) {
      const seen = attempt(check);
      if (seen.kind === 'value') return ofNow(seen.value);
      if (this.now >= deadline) {
        throw notInTime(within, seen);
      }
      this.advance(microseconds(Math.min(every, deadline - this.now)));
    }
  }

  /** Successful writes so far, heartbeats aside. */
  get writeCount(): number {
    return this.#parts.writes.count;
  }

  /** No new pods go to the node. */
  cordon(node: string): void {
    this.client.nodes.patch(node, { type: 'merge', body: { spec: { unschedulable: true } } });
  }

  uncordon(node: string): void {
    this.client.nodes.patch(node, { type: 'merge', body: { spec: { unschedulable: null } } });
  }

  /** All node agents, twins among them, in the order in which they were made. */
  get agents(): readonly NodeAgent[] {
    return this.#agents;
  }

  /** Calls `listener` for each agent that there is, and for each that will be. */
  eachAgent(listener: (agent: NodeAgent) => void): void {
    this.#agentListeners.push(listener);
    for (const agent of this.#agents) listener(agent);
  }

  /** Of the nodes that have agents, each once. */
  get nodeNames(): readonly string[] {
    return [...new Set(this.#agents.map(({ name }) => name))];
  }

  /** The machine below an agent, by the name of its node or of its actor: pressures, failures of what the agent needs. */
  machine(node: string): Machine {
    return this.#recorded(
      this.#agent(node).machine,
      `machine ${node}`,
      (cluster) => cluster.#agent(node).machine,
    );
  }

  /**
   * A second machine comes up that takes itself for this node, as a copied disk image does. Returns the name of its
   * agent's actor, `node/<node>~twin`. Only one can be at a time.
   */
  addTwin(node: string): string {
    return this.perform(`add twin of ${node}`, (cluster) => cluster.#addTwin(node));
  }

  #addTwin(node: string): string {
    const { template, name } = this.#agent(node);
    const actorName = twinOf(name);
    const known = this.simulation.findActor(actorName);
    if (known && known.state !== 'crashed') throw new RangeError(`${name} has a twin already`);
    if (known) {
      this.faults.restart(actorName);
      return actorName;
    }
    const agent = this.#parts.makeAgent(template, actorName);
    this.#agents.push(agent);
    for (const listener of this.#agentListeners) listener(agent);
    return actorName;
  }

  /** The second machine is switched off: its containers end, and nobody hears of it. */
  removeTwin(node: string): void {
    this.perform(`remove twin of ${node}`, (cluster) => cluster.#removeTwin(node));
  }

  #removeTwin(node: string): void {
    const actorName = twinOf(this.#agent(node).name);
    if (this.simulation.findActor(actorName)?.state === undefined)
      throw new RangeError(`${node} has no twin`);
    this.faults.crash(actorName, { isSilent: true });
    this.machine(actorName).reboot();
  }

  /**
   * How late API servers see changes from now on, also after a restart; 0 undoes it. `server`: only that one, such as
   * `apiserver/1`.
   */
  lagWatchCaches(by: Micros, server?: string): void {
    this.perform('lag watch caches', (cluster) => cluster.#lagWatchCaches(by, server));
  }

  #lagWatchCaches(by: Micros, name: string | undefined): void {
    const lagging = this.apiServers.filter((server) => name === undefined || server.name === name);
    if (lagging.length === 0) throw new RangeError(`there is no API server ${JSON.stringify(name)}`);
    for (const server of lagging) server.setWatchCacheLag(by / 1_000);
    this.#faults.cachesChanged();
  }

  /** Of the API server that is latest. */
  get watchCacheLag(): Micros {
    return milliseconds(Math.max(...this.apiServers.map(({ watchCacheLagMs }) => watchCacheLagMs)));
  }

  /** Whether API servers of several releases have written to the storage, or may have. */
  get hasSeveralReleases(): boolean {
    const release = this.apiServers[0]?.release;
    for (const server of this.apiServers)
      if (server.hasChangedRelease || server.release !== release) return true;
    return false;
  }

  /** A stored object in the words of a server that runs, so that objects of several releases can be compared. */
  inOneForm(object: StoredObject): StoredObject {
    const storage = this.apiServers.find(({ server }) => server)?.server?.storage;
    return storage instanceof VersionedStorage ? storage.decode(object) : object;
  }

  /** For whoever hands requests to API servers on a way of its own. */
  get requestFaults(): RequestFaults {
    return this.#parts.requestFaults;
  }

  /** Whether every API server reaches a storage that works, and none of its members is late. */
  get isStorageWhole(): boolean {
    return this.#parts.members?.isWhole ?? true;
  }

  #agent(name: string): NodeAgent {
    const agent = this.#agents.find((each) => each.name === name || each.actor.name === name);
    if (agent) return agent;
    throw new RangeError(`there is no node agent ${JSON.stringify(name)}`);
  }

  /** What there is and what has happened, in numbers. */
  report(): ClusterReport {
    return reportOf(this.simulation, this.storage, this.#parts.writes);
  }

  /** From now on only `driver` moves time: guests need their turns. For the host. */
  driveBy(driver: string | undefined): void {
    this.#driver = driver;
  }

  #checkDriver(): void {
    if (this.#driver !== undefined)
      throw new Error(`this cluster has guests, who need their turns: use ${this.#driver}`);
  }
}

/** What fails in a call was made within the simulation: whoever reads it looks for the own line. */
function withCallersLine<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof Error && !(error instanceof InvariantViolation)) addCallersLine(error);
    throw error;
  }
}

/** Appends where the call was made, unless it is there. */
function addCallersLine(error: Error): void {
  const here = deepError();
  const lines = (here.stack ?? '').split('\n').filter((line) => !INSIDE.test(line) && /^\s+at /.test(line));
  const missing = lines.filter((line) => error.stack?.includes(line) !== true);
  if (missing.length > 0) error.stack = [error.stack ?? String(error), ...missing].join('\n');
}

/** Calls lie deep in the simulation. */
const FRAMES = 60;

function deepError(): Error {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = FRAMES;
  const error = new Error('here');
  Error.stackTraceLimit = limit;
  return error;
}

/** Files of the simulation itself. */
const INSIDE = /\/(sim\/(cluster|engine|client|host)|kubesim\/dist)\/(?!.*\.test\.)|node:internal/;

const twinOf = (node: string): string => `node/${node}~twin`;

type Seen<T> =
  | { readonly kind: 'value'; readonly value: Exclude<T, false | undefined> }
  | { readonly kind: 'not-yet'; readonly value?: unknown; readonly error: unknown };

function attempt<T>(check: () => T): Seen<T> {
  try {
    const value = check();
    if (value === false || value === undefined) return { kind: 'not-yet', value, error: undefined };
    return { kind: 'value', value: value as Exclude<T, false | undefined> };
  } catch (error) {
    if (error instanceof InvariantViolation) throw error;
    return { kind: 'not-yet', error };
  }
}

/** A promise would be taken for something that has come true. @throws TypeError */
function ofNow<T>(value: T): T {
  if (typeof value === 'object' && value !== null && 'then' in value)
    throw new TypeError('the check is asynchronous: `await cluster.guests.eventually(…)` takes such checks');
  return value;
}

/** What was there last: a value that was not yet right, or why there was none. */
export function notInTime(
  within: Micros,
  { error, value }: { readonly error?: unknown; readonly value?: unknown },
): NotInTime {
  const message = error instanceof Error ? error.message : JSON.stringify(error);
  const last = error === undefined ? `: the last value was ${String(value)}` : `: ${message}`;
  return new NotInTime(`not within ${formatMicros(within)}${last}`, {
    ...(error !== undefined && { cause: error }),
  });
}
