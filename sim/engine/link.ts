/**
 * One direction between two actors: how long packets take, and whether they pass. A partition and a hold both
 * keep packets at the far end of the wire, as retransmission does: they arrive in order when the link is healed
 * or released, however late; whoever cannot wait has a timeout. What the two verbs differ in is intent.
 */

import type { ChoiceSite } from './choices.ts';
import { label, type Label } from './digest.ts';
import type { Action, Owner, QueuedEvent } from './event-queue.ts';
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
  /** The message has left the actor for `remote`. */
  sent?(message: unknown, remote: string): void;
  /** The message from `remote` has reached the actor, who may act on it from now on. */
  received?(message: unknown, remote: string): void;
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
  #lastDueAt = -1;
  #lastTie = 0;

  constructor(name: Label, link: Link, kernel: Kernel, destination: Destination | undefined) {
    this.label = name;
    this.link = link;
    this.#kernel = kernel;
    this.destination = destination;
  }

  /** Lets `deliver` happen at the far end after the link's latency, if the link lets it pass. */
  carry(kind: Label, deliver: () => void): void {
    const kernel = this.#kernel;
    const dueAt = Math.max(kernel.now + this.link.drawLatency(), this.#lastDueAt);
    // At the same instant the tie must not let a packet overtake its predecessor.
    if (dueAt > this.#lastDueAt) this.#lastTie = kernel.drawTie(this.destination);
    this.#lastDueAt = dueAt;
    const packet = new Packet(this, deliver);
    kernel.schedule(dueAt as Micros, kind, this.label, this.destination, packet, this.#lastTie);
  }

  /** For packets: the link does not let this one pass now. */
  park(packet: Parked): void {
    this.#kernel.note(this.destination?.label ?? this.label, PARKED, this.label);
    this.link.park(packet);
  }

  /** For packets: the actor is paused. */
  defer(event: QueuedEvent): void {
    this.#kernel.note(this.destination?.label ?? this.label, DEFERRED, this.label);
    this.destination?.defer(event);
  }

  /** For packets: the link lets this one pass now. */
  release(event: QueuedEvent): void {
    if (this.destination?.isPaused) this.defer(event);
    else this.#kernel.release(event);
  }
}

/**
 * Passes the link first, then the actor, each once: with the two waiting rooms in sequence, a packet cannot
 * overtake its predecessor while links and actors stop and go on.
 */
class Packet implements Action, Parked {
  readonly #wire: Wire;
  readonly #deliver: () => void;
  #hasPassed = false;
  #parkedEvent: QueuedEvent | undefined;

  constructor(wire: Wire, deliver: () => void) {
    this.#wire = wire;
    this.#deliver = deliver;
  }

  fire(event: QueuedEvent): void {
    this.#hasPassed ||= this.#wire.link.state === 'healthy';
    if (!this.#hasPassed) {
      this.#parkedEvent = event;
      this.#wire.park(this);
    } else if (this.#wire.destination?.isPaused) this.#wire.defer(event);
    else this.#deliver();
  }

  pass(): void {
    this.#hasPassed = true;
    if (this.#parkedEvent) this.#wire.release(this.#parkedEvent);
  }
}

/** @throws InvariantViolation unless 0 ≤ min ≤ typical ≤ max. */
export function checkedLatency(latency: Latency): Latency {
  const { min, typical, max } = latency;
  const isOrdered = 0 <= min && min <= typical && typical <= max;
  invariant(isOrdered, 'a latency is ordered: 0, min, typical, max', { ...latency });
  return latency;
}
