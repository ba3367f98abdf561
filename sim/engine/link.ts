/**
 * One direction between two actors: how long packets take, and whether they pass. A partition and a hold both
 * keep packets at the far end of the wire, as retransmission does: they arrive in order when the link is healed
 * or released, however late; whoever cannot wait has a timeout. What the two verbs differ in is intent.
 */

import type { ChoiceSite } from './choices.ts';
import { label, type Label } from './digest.ts';
import type { Action, Owner, QueuedEvent } from './queued-event.ts';
import { invariant } from './invariant.ts';
import type { Kernel } from './kernel.ts';
import type { Micros } from './time.ts';

/** Time of a packet on its way; chance draws around `typical`, which is the default. */
export interface Latency {
  readonly min: Micros;
  readonly typical: Micros;
  readonly max: Micros;
}

/** What waits for a link. */
interface Parked {
  pass(): void;
}

export type LinkState = 'healthy' | 'partitioned' | 'held';

export class Link {
  readonly from: string;
  readonly to: string;
  readonly label: Label;
  latency: Latency;
  /** Connections dialled over it so far. */
  dialled = 0;
  #state: LinkState = 'healthy';
  #parked: Parked[] = [];
  readonly #latencySite: ChoiceSite;

  constructor(from: string, to: string, latency: Latency, kernel: Kernel) {
    this.from = from;
    this.to = to;
    this.label = label(`${from}>${to}`);
    this.latency = latency;
    this.#latencySite = kernel.choices.site(`${from}:latency to ${to}`);
  }

  get state(): LinkState {
    return this.#state;
  }

  /** Packets that wait for the link. */
  get parkedCount(): number {
    return this.#parked.length;
  }

  drawLatency(): number {
    const { min, typical, max } = this.latency;
    return min === max ? typical : this.#latencySite.around(min, typical, max);
  }

  /** Keeps a packet that arrived while the link does not let it pass. */
  park(packet: Parked): void {
    this.#parked.push(packet);
  }

  setState(state: LinkState): void {
    this.#state = state;
    if (state !== 'healthy') return;
    const parked = this.#parked;
    this.#parked = [];
    for (const packet of parked) packet.pass();
  }
}

/** Hears what an actor says and is told over its connections, and changes nothing. */
export interface Eavesdropper {
  /** The message has left the actor. */
  sent?(message: unknown, end: ConnectionEnd): void;
  /** The message has reached the actor, who may act on it from now on. */
  received?(message: unknown, end: ConnectionEnd): void;
  /** A fault keeps it back: the actor has done what it speaks of, and nobody else is told. */
  withheld?(message: unknown, end: ConnectionEnd): void;
}

/** The actor's end of a connection, the same for all its messages. */
export interface ConnectionEnd {
  /** Name of the actor at the other end. */
  readonly remote: string;
  readonly isOpen: boolean;
}

/** Where packets go: the actor at the far end, whatever its state. */
export interface Destination extends Owner {
  readonly eavesdropper?: Eavesdropper | undefined;
  /** Its machine is down: nobody answers. */
  readonly isSilent: boolean;
  /** Packets are deferred. */
  readonly isPaused: boolean;
}

const PARKED = label('parked');
const DEFERRED = label('deferred');

/** One direction of one connection: first in, first out, however the link's latency varies. */
export class Wire {
  readonly label: Label;
  readonly link: Link;
  readonly #kernel: Kernel;
  readonly destination: Destination | undefined;
  #lastDueAt = -Infinity;
  /** Packets that the link let pass and that the actor has not taken yet: a later fault of the link is not theirs. */
  #passed: Set<QueuedEvent> | undefined;

  constructor(name: Label, link: Link, kernel: Kernel, destination: Destination | undefined) {
    this.label = name;
    this.link = link;
    this.#kernel = kernel;
    this.destination = destination;
  }

  /** Lets `deliver` happen at the far end after the link's latency, if the link lets it pass. */
  carry(kind: Label, deliver: () => void): void {
    this.send(kind, new Courier(this, deliver), undefined);
  }

  /** Gives a body to a courier of this wire: cheaper than `carry` where many packets go the same way. */
  send<Body>(kind: Label, courier: Courier<Body>, body: Body): void {
    const kernel = this.#kernel;
    const dueAt = Math.max(kernel.now + this.link.drawLatency(), this.#lastDueAt);
    this.#lastDueAt = dueAt;
    kernel.schedule(dueAt as Micros, kind, this.label, this.destination, courier, body);
  }

  /**
   * Whether the packet may be delivered now. It passes the link first, then the actor, each once: with the two waiting
   * rooms in sequence, a packet cannot overtake its predecessor while links and actors stop and go on.
   */
  admits(packet: QueuedEvent): boolean {
    if (this.link.state !== 'healthy' && !this.#passed?.has(packet)) {
      this.#note(PARKED);
      this.link.park({ pass: () => this.#pass(packet) });
      return false;
    }
    if (this.destination?.isPaused) {
      this.#let(packet);
      this.#defer(packet);
      return false;
    }
    this.#passed?.delete(packet);
    return true;
  }

  #let(packet: QueuedEvent): void {
    (this.#passed ??= new Set()).add(packet);
  }

  #pass(packet: QueuedEvent): void {
    this.#let(packet);
    if (this.destination?.isPaused) this.#defer(packet);
    else this.#kernel.release(packet);
  }

  #defer(packet: QueuedEvent): void {
    this.#note(DEFERRED);
    this.destination?.defer(packet);
  }

  #note(what: Label): void {
    this.#kernel.note(this.destination?.label ?? this.label, what, this.label);
  }
}

/** Delivers packets of one wire. */
export class Courier<Body> implements Action {
  readonly strand: Wire;
  readonly #deliver: (body: Body) => void;
  readonly #touches: ((body: Body) => string | undefined) | undefined;

  /** `touches` says what a body is about. */
  constructor(wire: Wire, deliver: (body: Body) => void, touches?: (body: Body) => string | undefined) {
    this.strand = wire;
    this.#deliver = deliver;
    this.#touches = touches;
  }

  fire(packet: QueuedEvent): void {
    if (this.strand.admits(packet)) this.#deliver(packet.payload as Body);
  }

  touches(packet: QueuedEvent): string | undefined {
    return this.#touches?.(packet.payload as Body);
  }
}

/** @throws InvariantViolation unless 0 ≤ min ≤ typical ≤ max. */
export function checkedLatency(latency: Latency): Latency {
  const { min, typical, max } = latency;
  const isOrdered = 0 <= min && min <= typical && typical <= max;
  invariant(isOrdered, 'a latency is ordered: 0, min, typical, max', { ...latency });
  return latency;
}
