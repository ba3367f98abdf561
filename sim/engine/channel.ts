/** Values from one process to another, in order. Receivers are served in the order in which they came. */

import { Fifo } from './fifo.ts';
import { Pending, type Source } from './process.ts';

/** `send` into a closed channel. */
export class ChannelClosed extends Error {
  override readonly name = 'ChannelClosed';

  constructor() {
    super('the channel is closed');
  }
}

interface Sender<T> {
  readonly value: T;
  readonly wait: Pending<void>;
}

export class Channel<T> implements Source<T | undefined> {
  readonly #capacity: number;
  readonly #values = new Fifo<T>();
  readonly #receivers = new Fifo<Pending<T | undefined>>();
  readonly #senders = new Fifo<Sender<T>>();
  #isClosed = false;

  /** `capacity`: values that may lie in it before `send` waits; default unlimited, 0 hands over directly. */
  constructor(capacity = Infinity) {
    this.#capacity = capacity;
  }

  /** Values that lie in it. */
  get size(): number {
    return this.#values.size;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Puts a value in without waiting; false when it is full or closed. */
  offer(value: T): boolean {
    if (this.#isClosed) return false;
    const receiver = this.#receivers.shift();
    if (receiver) receiver.fulfil(value);
    else if (this.#values.size >= this.#capacity) return false;
    else this.#values.push(value);
    return true;
  }

  /** Waits until there is room. Throws `ChannelClosed` when it is closed before. */
  send(value: T): Pending<void> {
    let sender: Sender<T> | undefined;
    return new Pending<void>({
      begin: (wait) => {
        if (this.#isClosed) wait.fail(new ChannelClosed());
        else if (this.offer(value)) wait.fulfil();
        else this.#senders.push((sender = { value, wait }));
      },
      abandon: () => {
        if (sender) this.#senders.remove(sender);
      },
    });
  }

  /** The next value; undefined once the channel is closed and empty. */
  receive(): Pending<T | undefined> {
    return new Pending(this);
  }

  /** No more values come in; what lies in it can still be received. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const receiver of this.#receivers.drain()) receiver.fulfil(undefined);
    for (const { wait } of this.#senders.drain()) wait.fail(new ChannelClosed());
  }

  begin(wait: Pending<T | undefined>): void {
    if (this.#values.size > 0) {
      wait.fulfil(this.#values.shift());
      this.#admitSender();
      return;
    }
    const sender = this.#senders.shift();
    if (sender) {
      wait.fulfil(sender.value);
      sender.wait.fulfil();
    } else if (this.#isClosed) wait.fulfil(undefined);
    else this.#receivers.push(wait);
  }

  abandon(wait: Pending<T | undefined>): void {
    this.#receivers.remove(wait);
  }

  #admitSender(): void {
    const sender = this.#senders.shift();
    if (!sender) return;
    this.#values.push(sender.value);
    sender.wait.fulfil();
  }
}
