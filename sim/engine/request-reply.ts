/**
 * Requests and their replies over one connection: many at a time, each request and each reply a message of its
 * own, so that "it was done but the answer was lost" is an ordinary outcome. For streams (one request, many
 * messages, either side may close) use a connection directly.
 */

import { Connection, ConnectionError } from './connection.ts';
import type { Alarm, Context } from './context.ts';
import { label } from './digest.ts';
import { definePort, type Endpoint, type Port } from './port.ts';
import { Pending, type Process, type Source } from './process.ts';
import type { Deferred } from './signal.ts';
import type { Micros } from './time.ts';

interface Numbered<Body> {
  readonly id: number;
  readonly body: Body;
}

/** A port that is spoken to by `Caller` and `serve`. */
export type CallPort<Request, Reply> = Port<Numbered<Request>, Numbered<Reply>>;

export const defineCallPort = <Request, Reply>(name: string): CallPort<Request, Reply> => definePort(name);

/**
 * `refused`: surely not done. `reset` and `timeout`: nobody knows whether it was done.
 */
export type CallOutcome<Reply> =
  | { readonly kind: 'reply'; readonly reply: Reply }
  | { readonly kind: 'refused' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'timeout' };

/** Answers requests on a port, each in a process of its own. `peer` is the caller's actor. */
export function serveCalls<Request, Reply>(
  context: Context,
  port: CallPort<Request, Reply>,
  answer: (request: Request, peer: string) => Process<Reply>,
): void {
  const name = label(port.name);
  context.listen(port, (connection) =>
    connection.consume((message) => {
      context.spawn(name, reply(connection, message, answer));
    }),
  );
}

function* reply<Request, Reply>(
  connection: Connection<Numbered<Request>, Numbered<Reply>>,
  { id, body }: Numbered<Request>,
  answer: (request: Request, peer: string) => Process<Reply>,
): Process<void> {
  connection.send({ id, body: yield* answer(body, connection.remote) });
}

/** A connection and those who wait for its replies. */
interface Session<Request, Reply> {
  readonly connection: Connection<Numbered<Reply>, Numbered<Request>>;
  readonly waiting: Map<number, Exchange<Request, Reply>>;
}

const RESET = { kind: 'reset' } as const;
const TIMEOUT = { kind: 'timeout' } as const;

/** Why there is no connection; undefined when there is. */
type Hindrance = { readonly kind: 'refused' | 'reset' | 'timeout' } | undefined;

/** Calls one endpoint; keeps a connection to it, and dials anew when it broke. */
export class Caller<Request, Reply> {
  readonly #context: Context;
  readonly #endpoint: Endpoint<Numbered<Request>, Numbered<Reply>>;
  readonly #onConnected: () => void;
  #session: Session<Request, Reply> | undefined;
  /** The attempt to connect that is under way. */
  #dialling: Deferred<Hindrance> | undefined;
  #lastId = 0;

  /** `onConnected` hears of every new connection. */
  constructor(
    context: Context,
    endpoint: Endpoint<Numbered<Request>, Numbered<Reply>>,
    onConnected: () => void = () => undefined,
  ) {
    this.#context = context;
    this.#endpoint = endpoint;
    this.#onConnected = onConnected;
  }

  /** Asks and waits for the reply, at most so long by the actor's clock. */
  call(request: Request, timeout: Micros): Process<CallOutcome<Reply>> {
    const session = this.#session;
    return session?.connection.isOpen
      ? this.#exchange(session, request, timeout)
      : this.#connectAndCall(request, timeout);
  }

  *#connectAndCall(request: Request, timeout: Micros): Process<CallOutcome<Reply>> {
    const deadline = this.#context.now() + timeout;
    const first = yield* this.#context.race([this.#connect(timeout).wait(), this.#context.sleep(timeout)]);
    if (first.index === 1) return TIMEOUT;
    if (first.value) return first.value;
    if (!this.#session) return RESET;
    // Who was paused meanwhile may be past the deadline.
    const left = Math.max(0, deadline - this.#context.now()) as Micros;
    return yield* this.#exchange(this.#session, request, left);
  }

  /** Closes the connection; what is under way ends with `reset`. The next call dials again. */
  close(): void {
    this.#session?.connection.close();
  }

  #exchange(
    session: Session<Request, Reply>,
    request: Request,
    timeout: Micros,
  ): Pending<CallOutcome<Reply>> {
    return new Pending(
      new Exchange(session, { id: ++this.#lastId, body: request }, (expire) =>
        this.#context.alarm(timeout, expire),
      ),
    );
  }

  /** Joins the attempt under way, or begins one that takes at most as long as the call that needs it. */
  #connect(timeout: Micros): Deferred<Hindrance> {
    if (this.#dialling) return this.#dialling;
    const dialling = this.#context.deferred<Hindrance>();
    this.#dialling = dialling;
    this.#context.spawn(`calls to ${this.#endpoint.actor}`, this.#live(dialling, timeout));
    return dialling;
  }

  /** The life of one connection: dialled, then its replies handed out until it ends. */
  *#live(dialling: Deferred<Hindrance>, timeout: Micros): Process<void> {
    const dialled = yield* this.#dial(timeout);
    this.#dialling = undefined;
    if (!(dialled instanceof Connection)) {
      dialling.resolve(dialled);
      return;
    }
    const session: Session<Request, Reply> = { connection: dialled, waiting: new Map() };
    this.#session = session;
    this.#onConnected();
    dialling.resolve(undefined);
    yield* handOut(session);
    for (const exchange of [...session.waiting.values()]) exchange.settle(RESET);
  }

  *#dial(timeout: Micros): Process<Session<Request, Reply>['connection'] | NonNullable<Hindrance>> {
    try {
      const dialled = yield* this.#context.within(timeout, this.#context.dial(this.#endpoint));
      return dialled.isLate ? { kind: 'timeout' } : dialled.value;
    } catch (error) {
      if (error instanceof ConnectionError) return { kind: error.kind };
      throw error;
    }
  }
}

/** One call over a connection: sent when it is waited for, over with its reply, its timeout, or the connection. */
class Exchange<Request, Reply> implements Source<CallOutcome<Reply>> {
  readonly #session: Session<Request, Reply>;
  readonly #message: Numbered<Request>;
  readonly #setAlarm: (expire: () => void) => Alarm;
  #pending: Pending<CallOutcome<Reply>> | undefined;
  #alarm: Alarm | undefined;

  constructor(
    session: Session<Request, Reply>,
    message: Numbered<Request>,
    setAlarm: (expire: () => void) => Alarm,
  ) {
    this.#session = session;
    this.#message = message;
    this.#setAlarm = setAlarm;
  }

  begin(pending: Pending<CallOutcome<Reply>>): void {
    const { connection, waiting } = this.#session;
    if (!connection.send(this.#message)) {
      pending.fulfil(RESET);
      return;
    }
    this.#pending = pending;
    this.#alarm = this.#setAlarm(() => this.settle(TIMEOUT));
    waiting.set(this.#message.id, this);
  }

  abandon(): void {
    this.#session.waiting.delete(this.#message.id);
    this.#alarm?.cancel();
  }

  settle(outcome: CallOutcome<Reply>): void {
    this.abandon();
    this.#pending?.fulfil(outcome);
  }
}

/** Gives each reply to the call that waits for it, until the connection ends one way or another. */
function* handOut<Request, Reply>({ connection, waiting }: Session<Request, Reply>): Process<void> {
  try {
    yield* connection.consume(({ id, body }) => waiting.get(id)?.settle({ kind: 'reply', reply: body }));
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
  }
}
