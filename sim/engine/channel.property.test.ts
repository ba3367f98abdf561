/** A channel of any capacity, beside a plain list: values come in order, each once, to who has waited longest, and who sends waits no longer than there is no room. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder, NOTHING } from './any-order.arbitrary.ts';
import { Channel, ChannelClosed } from './channel.ts';
import { Simulation } from './simulation.ts';
import { milliseconds } from './time.ts';

type Outcome = { readonly value: number | undefined } | 'closed';

interface Waiting {
  readonly cancel: () => void;
  /** Of a sender. */
  readonly value: number;
  outcome: Outcome | undefined;
  wanted: Outcome | undefined;
  isGone: boolean;
}

class World {
  readonly #simulation = new Simulation({ seed: 1 });
  readonly #context = this.#simulation.actor('a').context;
  readonly #channel: Channel<number>;
  readonly #capacity: number;
  readonly #all: Waiting[] = [];
  readonly #values: number[] = [];
  #senders: Waiting[] = [];
  #receivers: Waiting[] = [];
  #isClosed = false;
  #count = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#channel = new Channel<number>(capacity);
    this.#rest();
  }

  #rest(): void {
    this.#simulation.runFor(milliseconds(1));
  }

  #begin(waitFor: (one: Waiting) => Generator<unknown, Outcome>): Waiting {
    const value = (this.#count += 1);
    const one: Waiting = {
      cancel: () => task.cancel(),
      ...{ value, outcome: undefined, wanted: undefined, isGone: false },
    };
    const task = this.#context.spawn(
      'waits',
      (function* () {
        one.outcome = yield* waitFor(one) as Generator<never, Outcome>;
      })(),
    );
    this.#all.push(one);
    return one;
  }

  send(): void {
    const channel = this.#channel;
    const one = this.#begin(function* ({ value }) {
      try {
        yield* channel.send(value);
        return { value: undefined };
      } catch (error) {
        if (error instanceof ChannelClosed) return 'closed';
        throw error;
      }
    });
    const receiver = this.#receivers.shift();
    if (this.#isClosed) one.wanted = 'closed';
    else if (receiver) receiver.wanted = { value: one.value };
    else if (this.#values.length < this.#capacity) this.#values.push(one.value);
    else return void this.#senders.push(one);
    one.wanted ??= { value: undefined };
  }

  receive(): void {
    const channel = this.#channel;
    const one = this.#begin(function* () {
      return { value: yield* channel.receive() };
    });
    const value = this.#values.shift();
    const sender = this.#senders.shift();
    if (sender) sender.wanted = { value: undefined };
    // Whoever waited for room has it now, or gives what it has at once where there never is any.
    if (sender && value !== undefined) this.#values.push(sender.value);
    if (value !== undefined || sender) one.wanted = { value: value ?? sender?.value };
    else if (this.#isClosed) one.wanted = { value: undefined };
    else this.#receivers.push(one);
  }

  close(): void {
    this.#channel.close();
    this.#isClosed = true;
    for (const one of this.#senders.splice(0)) one.wanted = 'closed';
    for (const one of this.#receivers.splice(0)) one.wanted = { value: undefined };
  }

  giveUp(at: number): void {
    const waiting = [...this.#senders, ...this.#receivers];
    const one = waiting[at % Math.max(1, waiting.length)];
    if (!one) return;
    one.cancel();
    one.isGone = true;
    this.#senders = this.#senders.filter((each) => each !== one);
    this.#receivers = this.#receivers.filter((each) => each !== one);
  }

  compare(): void {
    this.#rest();
    expect(this.#channel.size).toBe(this.#values.length);
    const present = this.#all.filter(({ isGone }) => !isGone);
    expect(present.map(({ outcome }) => outcome)).toEqual(present.map(({ wanted }) => wanted));
  }
}

const act = actsOn<World>();
const [send, receive] = [
  act('send', NOTHING, (world) => world.send()),
  act('receive', NOTHING, (world) => world.receive()),
];

it.each([0, 1, 3, Infinity])('hands over in order, with room for %s', (capacity) => {
  holdsInAnyOrder<World>({
    begin: () => new World(capacity),
    acts: [
      ...[send, send, send, receive, receive, receive],
      act('give up', fc.nat(5), (world, at) => world.giveUp(at)),
      act('close', NOTHING, (world) => world.close()),
    ],
    compare: (world) => world.compare(),
    most: 30,
    runs: 100,
    hasSomeOnly: true,
  });
});
