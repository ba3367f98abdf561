/**
 * A connection between two actors: reliable and first-in-first-out in each direction, like TCP. Sending never
 * waits and never fails at once: whether a message arrived is known only from an answer. Closing is orderly and
 * ends both directions; a reset (a crash of the other side, a fault) is an error at both ends.
 */

import { label, type Label } from './digest.ts';
import { Fifo } from './fifo.ts';
import type { Life } from './life.ts';
import { Courier, type Destination, type Wire } from './link.ts';
import { Pending, type Process, type Source } from './process.ts';
import type { Micros } from './time.ts';

export type ConnectionHandler<In, Out> = (connection: Connection<In, Out>) => Process<void>;

/** `refused`: nobody listens there; `reset`: the connection broke. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly kind: 'refused' | 'reset';

  constructor(kind: 'refused' | 'reset', connection: string) {
    super(`connection ${kind}: ${connection}`);
    this.kind = kind;
  }
}

/** `ended`: the peer closed it; `closed`: this side did. */
export type ConnectionState = 'connecting' | 'open' | 'ended' | 'closed' | 'reset';

const ACCEPT = label('accept');
const MESSAGE = label('message');
const END = label('end');
const RESET = label('reset');

interface Consumer<In> {
  readonly take: (message: In) => void;
  readonly wait: Pending<void>;
}

export class Connection<In, Out> implements Source<In | undefined> {
  readonly label: Label;
  /** Name of the actor at the other end. */
  readonly remote: string;
  readonly #home: Life;
  readonly #machine: Destination;
  readonly #wire: Wire;
  readonly #touches: ((message: Out) => string | undefined) | undefined;
  /** Of messages; there is one as soon as there is a peer. */
  #courier: Courier<Out> | undefined;
  #peer: Connection<Out, In> | undefined;
  #state: ConnectionState = 'connecting';
  #diedAt: Micros | undefined;
  readonly #inbox = new Fifo<In>();
  readonly #receivers = new Fifo<Pending<In | undefined>>();
  #consumer: Consumer<In> | undefined;
  #dial: Pending<Connection<In, Out>> | undefined;

  /**
   * One end, in `home` on `machine`; `wire` leads to the peer, `touches` says what its messages are about. Made by
   * the network.
   */
  constructor(home: Life, machine: Destination, wire: Wire, touches?: (message: Out) => string | undefined) {
    this.label = wire.label;
    this.remote = wire.link.to;
    this.#home = home;
    this.#machine = machine;
    this.#wire = wire;
    this.#touches = touches;
    home.connections.add(this);
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** How long nobody has been at the other end, which this end may not know; 0: somebody is. */
  get lostFor(): Micros {
    const { now } = this.#home.kernel;
    const diedAt = this.#peer && this.#peer.#diedAt;
    return (now - (diedAt ?? now)) as Micros;
  }

  /** Messages that arrived and were not received. */
  get inboxSize(): number {
    return this.#inbox.size;
  }

  /** Sends a message without waiting; false when this end knows that the connection is over. */
  send(message: Out): boolean {
    const courier = this.#courier;
    if (this.#state !== 'open' || !courier) return false;
    this.#wire.send(MESSAGE, courier, message);
    this.#machine.eavesdropper?.sent?.(message, this);
    return true;
  }

  /** Sends nothing, though there would be something to say: for faults. Only who overhears the actor learns of it. */
  withhold(message: unknown): void {
    this.#machine.eavesdropper?.withheld?.(message, this);
  }

  /** The next message; undefined when the connection was closed. Throws `ConnectionError` when it broke. */
  receive(): Pending<In | undefined> {
    return new Pending(this);
  }

  /**
   * Hands every message to a callback, as part of the event with which it arrives, until the connection is closed.
   * Throws `ConnectionError` when it breaks. Cheaper than a process that receives; nobody else receives meanwhile.
   */
  consume(take: (message: In) => void): Pending<void> {
    return new Pending<void>({
      begin: (wait) => {
        while (this.#inbox.size > 0) take(this.#inbox.shift() as In);
        if (this.#state === 'open' || this.#state === 'connecting') this.#consumer = { take, wait };
        else this.#settleConsumer(wait);
      },
      abandon: () => {
        this.#consumer = undefined;
      },
    });
  }

  /** Ends the connection in order: the peer receives what was sent, then the end. */
  close(): void {
    const peer = this.#peer;
    if (this.#state === 'open' && peer) this.#wire.carry(END, () => peer.#end('ended'));
    this.#end('closed');
    this.#inbox.drain();
  }

  /** Breaks the connection: the peer gets an error instead of an end. */
  abort(): void {
    this.#bounce();
    this.breakOff();
  }

  /** Breaks this end alone; the peer is not told. For the network. */
  breakOff(): void {
    const isDialling = this.#state === 'connecting';
    this.#end('reset');
    // Whoever dials hears of it as of a refusal: nothing else would ever tell.
    if (isDialling) this.#dialEnded()?.fail(new ConnectionError('reset', this.label.text));
  }

  /** Its life ended. For the life. */
  die(isSilent: boolean): void {
    if (!isSilent && this.#state === 'open') this.#bounce();
    this.#state = 'reset';
    this.#diedAt = this.#home.kernel.now;
  }

  /** This end was dialled, and `pending` waits for the answer. For the network. */
  dialled(pending: Pending<Connection<In, Out>>): void {
    this.#dial = pending;
  }

  /** This end answers the one that dialled. For the network. */
  accept(dialler: Connection<Out, In>): void {
    this.#join(dialler);
    this.#state = 'open';
    this.#wire.carry(ACCEPT, () => dialler.#accepted(this));
  }

  /** Nobody listens at the other side. For the network. */
  refused(): void {
    if (this.#state !== 'connecting') return;
    this.#end('reset');
    this.#dialEnded()?.fail(new ConnectionError('refused', this.label.text));
  }

  begin(wait: Pending<In | undefined>): void {
    if (this.#inbox.size > 0) wait.fulfil(this.#inbox.shift());
    else if (this.#state === 'open' || this.#state === 'connecting') this.#receivers.push(wait);
    else if (this.#state === 'reset') wait.fail(new ConnectionError('reset', this.label.text));
    else wait.fulfil(undefined);
  }

  abandon(wait: Pending<In | undefined>): void {
    this.#receivers.remove(wait);
  }

  #join(peer: Connection<Out, In>): void {
    this.#peer = peer;
    this.#courier = new Courier(this.#wire, (message: Out) => peer.#take(message), this.#touches);
  }

  #accepted(peer: Connection<Out, In>): void {
    this.#join(peer);
    if (this.#state !== 'connecting') {
      this.#bounce();
      return;
    }
    this.#state = 'open';
    this.#dialEnded()?.fulfil(this);
  }

  /** Who dialled, and is to be told now; a connection lives long, and forgets them. */
  #dialEnded(): Pending<Connection<In, Out>> | undefined {
    const dial = this.#dial;
    this.#dial = undefined;
    return dial;
  }

  #take(message: In): void {
    if (this.#state !== 'open') {
      this.#bounce();
      return;
    }
    this.#machine.eavesdropper?.received?.(message, this);
    if (this.#consumer) {
      this.#consumer.take(message);
      return;
    }
    const receiver = this.#receivers.shift();
    if (receiver) receiver.fulfil(message);
    else this.#inbox.push(message);
  }

  /** Tells the peer that there is no connection here (any more); a machine without power does not. */
  #bounce(): void {
    const peer = this.#peer;
    if (peer && !this.#machine.isSilent) this.#wire.carry(RESET, () => peer.#end('reset'));
  }

  #end(state: 'ended' | 'closed' | 'reset'): void {
    if (this.#state !== 'open' && this.#state !== 'connecting') return;
    this.#state = state;
    this.#home.connections.delete(this);
    for (const receiver of this.#receivers.drain()) this.begin(receiver);
    const consumer = this.#consumer;
    this.#consumer = undefined;
    if (consumer) this.#settleConsumer(consumer.wait);
  }

  #settleConsumer(wait: Pending<void>): void {
    if (this.#state === 'reset') wait.fail(new ConnectionError('reset', this.label.text));
    else wait.fulfil();
  }
}
