/**
 * Requests and their replies over one connection: many at a time, each request and each reply a message of its
 * own, so that "it was done but the answer was lost" is an ordinary outcome. For streams (one request, many
 * messages, either side may close) use a connection directly.
 */

import { Connection, ConnectionError } from './connection.ts';
import type { Context } from './context.ts';
import { Deadlines, type Mortal } from './deadlines.ts';
import { label } from './digest.ts';
import { definePort, type Endpoint, type Port } from './port.ts';
import { isProcess, Pending, type Process, type Source } from './process.ts';
import type { Deferred } from './signal.ts';
import type { Micros } from './time.ts';

interface Numbered<Body> {
  readonly id: number;
  readonly body: Body;
}

/** A reply says what it answers, for those who ask what a message is about. */
interface Answering<Request, Reply> extends Numbered<Reply> {
  readonly to: Request;
}

/** Who has asked. */
export type Asker = Pick<Connection<unknown, unknown>, 'remote' | 'withhold'>;

/** A port that is spoken to by `Caller` and `serve`. */
export type CallPort<Request, Reply> = Port<Numbered<Request>, Answering<Request, Reply>>;

/** `touches` says what a request, and with it its reply, is about. */
export const defineCallPort = <Request, Reply>(
  name: string,
  touches?: (request: Request) => string | undefined,
): CallPort<Request, Reply> =>
  definePort(name, touches && ((message) => touches('to' in message ? message.to : message.body)));

/**
 * `refused`: surely not done. `reset` and `timeout`: nobody knows whether it was done.
 */
export type CallOutcome<Reply> =
  | { readonly kind: 'reply'; readonly reply: Reply }
  | { readonly kind: 'refused' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'timeout' };

/**
 * Answers requests on a port. An answer that needs no time is sent within the event with which the request arrived;
 * where `answer` returns a process, it runs at once to its first wait, and then beside others. `asker` is the answering end of
 * the caller's connection.
 */
export function serveCalls<Request, Reply>(
  context: Context,
  port: CallPort<Request, Reply>,
  answer: (request: Request, asker: Asker) => Reply | Process<Reply>,
): void {
  const name = label(port.name);
  context.listen(port, (connection) => {
    const attend = ({ id, body }: Numbered<Request>): void => {
      const reply = answer(body, connection);
      if (isProcess(reply)) context.start(name, replyLater(connection, { id, body }, reply));
      else connection.send({ id, body: reply, to: body });
    };
    return connection.consume((message) => context.attend(name, attend, message));
  });
}

function* replyLater<Request, Reply>(
  connection: Connection<Numbered<Request>, Answering<Request, Reply>>,
  { id, body }: Numbered<Request>,
  reply: Process<Reply>,
): Process<void> {
  connection.send({ id, body: yield* reply, to: body });
}

/** A connection and those who wait for its replies, in the order in which they asked. */
class Session<Request, Reply> {
  readonly context: Context;
  readonly connection: Connection<Answering<Request, Reply>, Numbered<Request>>;
  readonly deadlines: Deadlines;
  #first: Exchange<Request, Reply> | undefined;
  #last: Exchange<Request, Reply> | undefined;

  constructor(context: Context, connection: Session<Request, Reply>['connection']) {
    this.context = context;
    this.connection = connection;
    this.deadlines = new Deadlines(context, () => this.#waiting());
  }

  get isIdle(): boolean {
    return this.#first === undefined;
  }

  add(exchange: Exchange<Request, Reply>): void {
    exchange.before = this.#last;
    if (this.#last) this.#last.behind = exchange;
    else this.#first = exchange;
    this.#last = exchange;
  }

  remove(exchange: Exchange<Request, Reply>): void {
    const { before, behind } = exchange;
    if (before) before.behind = behind;
    else if (this.#first === exchange) this.#first = behind;
    if (behind) behind.before = before;
    else if (this.#last === exchange) this.#last = before;
    exchange.before = exchange.behind = undefined;
  }

  /** Most replies are for the one who has waited longest. */
  find(id: number): Exchange<Request, Reply> | undefined {
    let exchange = this.#first;
    while (exchange && exchange.message.id !== id) exchange = exchange.behind;
    return exchange;
  }

  /** The connection is over, and with it all that is under way. */
  end(): void {
    this.deadlines.close();
    for (const exchange of [...this.#waiting()]) exchange.settle(RESET);
  }

  *#waiting(): Generator<Exchange<Request, Reply>> {
    for (let exchange = this.#first; exchange; exchange = exchange.behind) yield exchange;
  }
}

const RESET = { kind: 'reset' } as const;
const TIMEOUT = { kind: 'timeout' } as const;

/** Why there is no connection; undefined when there is. */
type Hindrance = { readonly kind: 'refused' | 'reset' | 'timeout' } | undefined;

/** Calls one endpoint; keeps a connection to it, and dials anew when it broke. */
export class Caller<Request, Reply> {
  readonly #context: Context;
  readonly #endpoint: Endpoint<Numbered<Request>, Answering<Request, Reply>>;
  readonly #onConnected: () => void;
  #session: Session<Request, Reply> | undefined;
  /** The attempt to connect that is under way. */
  #dialling: Deferred<Hindrance> | undefined;
  #lastId = 0;

  /** `onConnected` hears of every new connection. */
  constructor(
    context: Context,
    endpoint: Endpoint<Numbered<Request>, Answering<Request, Reply>>,
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

  /** Closes a connection at whose other end nobody has been for so long: the next call dials again. */
  closeIfLost(span: Micros): void {
    const connection = this.#session?.connection;
    if (connection?.isOpen && connection.lostFor >= span) connection.close();
  }

  #exchange(
    session: Session<Request, Reply>,
    request: Request,
    timeout: Micros,
  ): Pending<CallOutcome<Reply>> {
    return new Pending(new Exchange(session, { id: ++this.#lastId, body: request }, timeout));
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
    const session = new Session<Request, Reply>(this.#context, dialled);
    this.#session = session;
    this.#onConnected();
    dialling.resolve(undefined);
    yield* handOut(session);
    session.end();
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

/** One call over a connection: sent when it is waited for, over with its reply, its deadline, or the connection. */
class Exchange<Request, Reply> implements Source<CallOutcome<Reply>>, Mortal {
  deadline = Infinity;
  readonly message: Numbered<Request>;
  /** Its neighbours among those who wait. For the session. */
  before: Exchange<Request, Reply> | undefined;
  behind: Exchange<Request, Reply> | undefined;
  readonly #session: Session<Request, Reply>;
  readonly #timeout: Micros;
  #pending: Pending<CallOutcome<Reply>> | undefined;

  constructor(session: Session<Request, Reply>, message: Numbered<Request>, timeout: Micros) {
    this.#session = session;
    this.message = message;
    this.#timeout = timeout;
  }

  begin(pending: Pending<CallOutcome<Reply>>): void {
    const session = this.#session;
    if (!session.connection.send(this.message)) {
      pending.fulfil(RESET);
      return;
    }
    this.#pending = pending;
    session.add(this);
    this.deadline = session.context.dueAfter(this.#timeout);
    session.deadlines.add(this.deadline);
  }

  abandon(): void {
    const session = this.#session;
    session.remove(this);
    if (session.isIdle) session.deadlines.rest();
  }

  lapse(): void {
    this.settle(TIMEOUT);
  }

  settle(outcome: CallOutcome<Reply>): void {
    this.abandon();
    this.#pending?.fulfil(outcome);
  }
}

/** Gives each reply to the call that waits for it, until the connection ends one way or another. */
function* handOut<Request, Reply>(session: Session<Request, Reply>): Process<void> {
  try {
    yield* session.connection.consume(({ id, body }) =>
      session.find(id)?.settle({ kind: 'reply', reply: body }),
    );
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
  }
}
