/**
 * A request and its response, free of any transport. The HTTP server, the simulated network and
 * first-party components are thin adapters that make one and read the other. First-party
 * components pass and receive objects; bytes exist only where `wire` is true.
 * Specification: "Endpoints", "Query parameters".
 */
import type { ApiObject } from '../../api/object.ts';
import type { Status } from '../../api/status.ts';
import type { StreamFrame } from '../../api/stream-frame.ts';

/** Decoded query parameters; of a parameter given twice the first counts. */
export class QueryParameters {
  readonly #values: ReadonlyMap<string, readonly string[]>;
  /** As it came; undefined: nobody wrote it. */
  readonly sent: string | undefined;

  constructor(values: ReadonlyMap<string, readonly string[]> = new Map(), sent?: string) {
    this.#values = values;
    this.sent = sent;
  }

  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  get names(): readonly string[] {
    return [...this.#values.keys()];
  }

  first(name: string): string | undefined {
    return this.#values.get(name)?.[0];
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  /** Drops undecodable parts and parts with `;` silently, as Go's url.Query does. */
  static parse(text: string): QueryParameters {
    if (text === '') return NO_QUERY;
    const values = new Map<string, string[]>();
    for (const part of text.split('&')) {
      if (part === '' || part.includes(';')) continue;
      const equals = part.indexOf('=');
      const name = unescapeQuery(equals < 0 ? part : part.slice(0, equals));
      const value = unescapeQuery(equals < 0 ? '' : part.slice(equals + 1));
      if (name === undefined || value === undefined) continue;
      const list = values.get(name);
      if (list) list.push(value);
      else values.set(name, [value]);
    }
    return new QueryParameters(values, text);
  }

  /** The same names with other values. */
  mapped(map: (name: string, value: string) => string): QueryParameters {
    return new QueryParameters(
      new Map([...this.#values].map(([name, values]) => [name, values.map((value) => map(name, value))])),
    );
  }

  /** Encoded, in the order in which the names were first given. */
  toString(): string {
    const pairs: string[] = [];
    for (const [name, values] of this.#values) {
      for (const value of values) pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
    }
    return pairs.join('&');
  }

  static of(values: Readonly<Record<string, string | number | boolean | undefined>>): QueryParameters {
    let map: Map<string, readonly string[]> | undefined;
    for (const name in values) {
      const value = values[name];
      if (value !== undefined) map = (map ?? new Map<string, readonly string[]>()).set(name, [String(value)]);
    }
    return map ? new QueryParameters(map) : NO_QUERY;
  }
}

const NO_QUERY = new QueryParameters();

const unescapeQuery = (text: string): string | undefined => {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
};

/** Who asks. Specification: "Authentication". */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export type RequestBody =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** A first-party component's object; the server decodes it into an object of its own. */
  | { readonly kind: 'object'; readonly object: unknown };

export interface ApiRequest {
  readonly method: string;
  /** Percent-encoded, without the query. */
  readonly path: string;
  readonly query: QueryParameters;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: RequestBody;
  /** Set by adapters that know who asks; otherwise the authenticators decide from the headers. */
  readonly user?: UserInfo;
  /** The response is for a wire: encode it into bytes as `accept` asks. */
  readonly wire: boolean;
  readonly remoteAddress?: string;
}

/** Pieces of a streaming response, pulled by the adapter. */
export interface ResponseStream {
  /**
   * The adapter calls this once; `onReady` tells whenever `read` may have more, or the stream has ended.
   */
  subscribe(onReady: () => void): void;
  /** The next piece; undefined: nothing at present. */
  read(): StreamPiece | undefined;
  /** True once everything was read and the server has ended the stream. */
  readonly ended: boolean;
  /** Once it has ended: there would have been more, so that the connection is broken off. */
  readonly isBroken?: boolean;
  /** The consumer goes away. */
  close(): void;
}

/** A connection with numbered channels in both directions; the adapter puts them on the wire. */
export interface ChannelStream {
  /** As `ResponseStream` has it. */
  subscribe(onReady: () => void): void;
  read(): StreamFrame | undefined;
  readonly ended: boolean;
  /** The client has sent something, or has ended a channel. */
  take(frame: StreamFrame): void;
  close(): void;
}

export interface PortCall {
  readonly port: string;
  /** `CONNECT`: only whether somebody listens there. */
  readonly method: string;
  /** Decoded, without the query. */
  readonly path: string;
}

export type PortOutcome =
  | { readonly kind: 'answer'; readonly status: number; readonly text: string; readonly contentType: string }
  | { readonly kind: 'problem'; readonly message: string };

/** The ports of a pod that a client has forwarded; the adapter puts what they say on the wire. */
export interface PodPorts {
  ask(call: PortCall, told: (outcome: PortOutcome) => void): void;
  /** The client has gone: nobody is told anything. */
  close(): void;
}

/** A connection to another server that has answered a change of the protocol; the adapter joins both ends. */
export interface Tunnel {
  /** Nobody joins it. */
  close(): void;
}

export interface WatchEventObject {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: ApiObject | Status;
}

/** An event for first-party readers (`wire: false`), bytes for wires. */
export type StreamPiece = WatchEventObject | Uint8Array;

export type ResponseBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'object'; readonly object: object }
  /** `head`, if there is one, comes first: what follows may be shared with other responses. */
  | { readonly kind: 'bytes'; readonly head?: Uint8Array; readonly bytes: Uint8Array }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'stream'; readonly stream: ResponseStream }
  /** The protocol changes: exec and attach. */
  | { readonly kind: 'channels'; readonly channels: ChannelStream }
  /** The protocol changes: port-forward. */
  | { readonly kind: 'ports'; readonly ports: PodPorts }
  /** The protocol changes, as another server says. */
  | { readonly kind: 'tunnel'; readonly tunnel: Tunnel };

/** The bytes of a response for a wire, in one piece. */
export function bytesOfBody({ head, bytes }: Extract<ResponseBody, { kind: 'bytes' }>): Uint8Array {
  if (!head) return bytes;
  const whole = new Uint8Array(head.length + bytes.length);
  whole.set(head);
  whole.set(bytes, head.length);
  return whole;
}

export interface ApiResponse {
  readonly status: number;
  /** In the order in which they are sent; names may repeat (`Warning`). */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: ResponseBody;
}
