/**
 * The network: which actors can reach each other, how fast, and over which connections. Actors are addressed
 * by name; a link is one direction between two of them. Faults come as pairs of verbs: partition and heal,
 * hold and release; a reset breaks what is connected now.
 * A connection attempt to an actor that is crashed, absent or does not listen is refused by its machine; when
 * the machine or a link keeps silent, the attempt waits, and the dialler's timeout decides.
 */

import { Connection, ConnectionError, type ConnectionHandler } from './connection.ts';
import { label, type Label } from './digest.ts';
import type { Kernel } from './kernel.ts';
import type { Life } from './life.ts';
import { checkedLatency, Link, Wire, type Destination, type Latency, type LinkState } from './link.ts';
import type { Endpoint, Port } from './port.ts';
import { Pending, type Process } from './process.ts';
import { Task } from './task.ts';
import { microseconds } from './time.ts';

/** An actor as the network sees it. */
export interface Host extends Destination {
  /** Undefined while it is crashed. */
  readonly life: Life | undefined;
}

/** `both` directions, or only from the first actor `forth` to the second. */
export type Way = 'both' | 'forth';

export interface NetworkOptions {
  readonly kernel: Kernel;
  readonly hosts: ReadonlyMap<string, Host>;
  readonly latency?: Latency;
  /** Milliseconds since 1970 at the simulation's epoch. */
  readonly epochMs: number;
}

const DEFAULT_LATENCY: Latency = {
  min: microseconds(200),
  typical: microseconds(500),
  max: microseconds(2_000),
};
const LOOPBACK_LATENCY: Latency = { min: microseconds(10), typical: microseconds(10), max: microseconds(10) };

const CONNECT = label('connect');
const REFUSE = label('refuse');
const FAULTS = {
  partition: label('partition'),
  heal: label('heal'),
  hold: label('hold'),
  release: label('release'),
  reset: label('reset-connections'),
  latency: label('set-latency'),
} as const;
const NETWORK = label('network');

export class Network {
  readonly epochMs: number;
  readonly #kernel: Kernel;
  readonly #hosts: ReadonlyMap<string, Host>;
  readonly #links = new Map<string, Map<string, Link>>();
  #latency: Latency;

  constructor({ kernel, hosts, latency = DEFAULT_LATENCY, epochMs }: NetworkOptions) {
    this.#kernel = kernel;
    this.#hosts = hosts;
    this.#latency = checkedLatency(latency);
    this.epochMs = epochMs;
  }

  /** Nothing passes from now on; what is sent arrives after `heal`, unless the connection is over by then. */
  partition(a: string, b: string, way: Way = 'both'): void {
    this.#setState(FAULTS.partition, [a, b, way], () => 'partitioned');
  }

  /** Ends a partition: what was kept arrives now, in order. Holds stay. */
  heal(a: string, b: string, way: Way = 'both'): void {
    this.#setState(FAULTS.heal, [a, b, way], (state) => (state === 'partitioned' ? 'healthy' : state));
  }

  /** Packets wait for `release`. */
  hold(a: string, b: string, way: Way = 'both'): void {
    this.#setState(FAULTS.hold, [a, b, way], () => 'held');
  }

  /** Ends a hold: what waited arrives now, in order. Partitions stay. */
  release(a: string, b: string, way: Way = 'both'): void {
    this.#setState(FAULTS.release, [a, b, way], (state) => (state === 'held' ? 'healthy' : state));
  }

  /** Ends every partition and every hold. */
  healAll(): void {
    for (const link of this.#allLinks()) {
      if (link.state === 'healthy') continue;
      this.#kernel.note(NETWORK, FAULTS.heal, link.label);
      link.setState('healthy');
    }
  }

  /** Breaks all connections between two actors: both ends see an error at once. */
  reset(a: string, b: string): void {
    this.#kernel.note(NETWORK, FAULTS.reset, label(`${a} and ${b}`));
    this.#breakOff(a, b);
    if (a !== b) this.#breakOff(b, a);
  }

  /** Sets how long packets take between two actors from now on. */
  setLatency(a: string, b: string, latency: Latency, way: Way = 'both'): void {
    checkedLatency(latency);
    for (const link of this.#linksOf(a, b, way)) {
      this.#kernel.note(NETWORK, FAULTS.latency, link.label, { ...latency });
      link.latency = latency;
    }
  }

  /** Undoes `setLatency`. */
  resetLatency(a: string, b: string, way: Way = 'both'): void {
    for (const link of this.#linksOf(a, b, way)) {
      const latency = a === b ? LOOPBACK_LATENCY : this.#latency;
      if (link.latency === latency) continue;
      this.#kernel.note(NETWORK, FAULTS.latency, link.label, { ...latency });
      link.latency = latency;
    }
  }

  /** Sets it for all links but those that were set one by one or exist already. */
  setDefaultLatency(latency: Latency): void {
    this.#latency = checkedLatency(latency);
  }

  /** State of one direction. */
  stateOf(from: string, to: string): LinkState {
    return this.#link(from, to).state;
  }

  /** One direction as it is now, to look at. */
  linkBetween(from: string, to: string): Pick<Link, 'state' | 'latency'> {
    return this.#links.get(from)?.get(to) ?? { state: 'healthy', latency: this.#latency };
  }

  /** For `Context.listen`. */
  listen<In, Out>(life: Life, port: Port<In, Out>, handler: ConnectionHandler<In, Out>): void {
    if (life.standing !== 'ended') life.listeners.set(port.name, handler);
  }

  /** For `Context.dial`. */
  dial<In, Out>(life: Life, endpoint: Endpoint<In, Out>): Pending<Connection<Out, In>> {
    let connection: Connection<Out, In> | undefined;
    return new Pending<Connection<Out, In>>({
      begin: (pending) => {
        connection = this.#knock(life, endpoint);
        connection.dialled(pending);
      },
      abandon: () => connection?.close(),
    });
  }

  #knock<In, Out>(life: Life, { actor, port }: Endpoint<In, Out>): Connection<Out, In> {
    const from = life.label.text;
    const link = this.#link(from, actor);
    const name = label(`${link.label.text}:${port.name}#${++link.dialled}`);
    const wire = new Wire(name, link, this.#kernel, this.#hosts.get(actor));
    const connection = new Connection<Out, In>(life, this.#hostOf(life), wire, port.touches);
    wire.carry(CONNECT, () => this.#answer(connection, name, { from, actor, port }));
    return connection;
  }

  #answer<In, Out>(
    dialler: Connection<Out, In>,
    name: Label,
    { from, actor, port }: Endpoint<In, Out> & { readonly from: string },
  ): void {
    const host = this.#hosts.get(actor);
    if (host?.isSilent) return;
    const wire = new Wire(name, this.#link(actor, from), this.#kernel, this.#hosts.get(from));
    const life = host?.life;
    const handler = life?.listeners.get(port.name);
    if (!host || !life || handler === undefined) {
      wire.carry(REFUSE, () => dialler.refused());
      return;
    }
    const connection = new Connection<In, Out>(life, host, wire, port.touches);
    connection.accept(dialler);
    const process = serve(connection, handler as ConnectionHandler<In, Out>);
    new Task(life, port.name, process).enqueue();
  }

  #hostOf(life: Life): Host {
    return this.#hosts.get(life.label.text) as Host;
  }

  #breakOff(actor: string, remote: string): void {
    const connections = this.#hosts.get(actor)?.life?.connections ?? [];
    for (const connection of connections) if (connection.remote === remote) connection.breakOff();
  }

  #setState(fault: Label, [a, b, way]: [string, string, Way], next: (state: LinkState) => LinkState): void {
    for (const link of this.#linksOf(a, b, way)) {
      this.#kernel.note(NETWORK, fault, link.label);
      const state = next(link.state);
      if (state !== link.state) link.setState(state);
    }
  }

  #linksOf(a: string, b: string, way: Way): Link[] {
    const forth = this.#link(a, b);
    return way === 'forth' || a === b ? [forth] : [forth, this.#link(b, a)];
  }

  *#allLinks(): Generator<Link> {
    for (const links of this.#links.values()) yield* links.values();
  }

  #link(from: string, to: string): Link {
    let links = this.#links.get(from);
    if (!links) this.#links.set(from, (links = new Map<string, Link>()));
    let link = links.get(to);
    if (!link) {
      link = new Link(from, to, from === to ? LOOPBACK_LATENCY : this.#latency, this.#kernel);
      links.set(to, link);
    }
    return link;
  }
}

/** A handler's connection ends with the handler; that the connection broke is no failure of the handler. */
function* serve<In, Out>(
  connection: Connection<In, Out>,
  handler: ConnectionHandler<In, Out>,
): Process<void> {
  try {
    yield* handler(connection);
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
  } finally {
    connection.close();
  }
}
