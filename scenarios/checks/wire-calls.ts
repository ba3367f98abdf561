/**
 * What clients ask that speak HTTP in bytes (a library's sockets, a program in WebAssembly), in the form in which the
 * other clients' calls go over the network, so that observers need to know one form only. Bodies that are not JSON stay
 * unread. It changes nothing.
 */
import { isMapping } from '../../model/api/json.ts';

/** A call as it goes over the network, as far as it matters here. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly user?: { readonly name: string };
}

export interface Answer {
  readonly status: number;
  readonly warnings?: readonly string[];
  readonly body?: unknown;
}

export interface Message {
  /** Of a watch that is to be opened. */
  readonly call?: Call;
  readonly body?: Partial<Call> & Partial<Answer>;
  readonly to?: Call;
}

/** As it reaches a server. */
interface WireCall {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly user?: { readonly name: string };
  readonly body?: Uint8Array;
}

interface WireRequest {
  readonly kind: 'request';
  readonly call: WireCall;
}

/** What comes back first. */
interface WireAnswer {
  readonly head: { readonly status: number; readonly headers: readonly (readonly [string, string])[] };
  /** Undefined: it comes in pieces. */
  readonly body?: Uint8Array;
}

export class WireCalls {
  /** The same for a message that comes again. */
  readonly #calls = new WeakMap<WireCall, Call>();
  /** What was asked last, by the end of the connection. */
  readonly #asked = new WeakMap<object, Call>();

  /** A server has received it. */
  received(message: Message | WireRequest, end: object): Message {
    if (!isWireRequest(message)) return message;
    const call = this.#calls.get(message.call) ?? callOf(message.call);
    this.#calls.set(message.call, call);
    this.#asked.set(end, call);
    return isWatch(call) ? { call } : { body: call };
  }

  /** A server has sent it. */
  sent(message: Message | WireAnswer, end: object): Message {
    if (!isWireAnswer(message)) return message;
    const to = this.#asked.get(end);
    this.#asked.delete(end);
    return to ? { to, body: answerOf(message) } : {};
  }
}

const isWireRequest = (message: Message | WireRequest): message is WireRequest =>
  'kind' in message && message.kind === 'request' && 'call' in message;

const isWireAnswer = (message: Message | WireAnswer): message is WireAnswer => 'head' in message;

const isWatch = ({ query }: Call): boolean => ['true', '1'].includes(query?.['watch'] ?? '');

function callOf({ method, path, query, headers, body, user }: WireCall): Call {
  return {
    method,
    path,
    query: Object.fromEntries(new URLSearchParams(query)),
    headers,
    ...(body && { body: read(body) }),
    ...(user && { user }),
  };
}

function answerOf({ head: { status, headers }, body }: WireAnswer): Answer {
  const warnings = headers.flatMap(([name, value]) =>
    name.toLowerCase() === 'warning' ? [textOf(value)] : [],
  );
  return { status, warnings, ...(body && { body: read(body) }) };
}

/** `299 - "text"`. */
const textOf = (warning: string): string =>
  warning.replace(/^299 \S+ "(.*)"$/s, '$1').replace(/\\(.)/gs, '$1');

const UTF8 = new TextDecoder();
const BRACE = 0x7b;
const BRACKET = 0x5b;

function read(bytes: Uint8Array): unknown {
  const [first] = bytes;
  if (first !== BRACE && first !== BRACKET) return undefined;
  try {
    const value: unknown = JSON.parse(UTF8.decode(bytes));
    return isMapping(value) || Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
