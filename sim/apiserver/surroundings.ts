/** What the API server needs of its surroundings: its clock, fresh identifiers, waiting, and the way to nodes and others. */
import type { HttpEndpoint, HttpHeaders, HttpOutcome, OutgoingCall } from '../api/http-call.ts';
import type { StreamFrame } from '../api/stream-frame.ts';
import type { Process } from '../engine/process.ts';
import type { ReadYaml } from './request/read-yaml.ts';
import type { Tunnel } from './request/request.ts';

/** A request to the agent of a node. */
export interface NodeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Channels in both directions are wanted. */
  readonly upgrades?: boolean;
}

/** A request to a port of a pod, on its own address. */
export interface PodRequest {
  readonly ip: string;
  readonly port: number;
  readonly method: string;
  readonly path: string;
  /** Of each name the first value. */
  readonly query?: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: unknown;
}

/** What came of it; a body is an object or a text. */
export type NodeOutcome =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body: unknown;
      readonly contentType?: string;
      readonly allow?: string;
    }
  | { readonly kind: 'refused' | 'reset' | 'timeout' };

/** An open connection to the agent of a node, with channels in both directions. */
export interface NodeStream {
  readonly kind: 'stream';
  /** Undefined: the agent has ended it, or the connection broke. */
  receive(): Process<StreamFrame | undefined>;
  send(frame: StreamFrame): void;
  close(): void;
}

/** An answer to a call whose body comes bit by bit. */
export interface AnswerStream {
  readonly kind: 'stream';
  readonly status: number;
  readonly headers: HttpHeaders;
  /** Waits for the next piece. Undefined: that was all; `broken`: there would have been more. */
  receive(): Process<Uint8Array | 'broken' | undefined>;
  close(): void;
}

/** A refusal of 400 and more goes through the tunnel as well; `declined`: an answer that changes nothing. */
export type TunnelOutcome =
  | { readonly kind: 'tunnel'; readonly tunnel: Tunnel }
  | { readonly kind: 'declined'; readonly status: number }
  | { readonly kind: 'malformed'; readonly message: string }
  | Exclude<HttpOutcome, { kind: 'answer' }>;

/** What runs beside an API server on its machine. */
export type Component = 'controller-manager' | 'scheduler';

export interface ApiServerSurroundings {
  /** What comes of asking a component for its health; absent: there is none. */
  healthOf?(component: Component): 'well' | 'silent' | 'absent';
  /** The server's own clock, in milliseconds since 1970. */
  wallMs(): number;
  /** A fresh random (version 4) uid. */
  uuid(): string;
  /** A fresh integer in [0, 2^32). */
  uint32(): number;
  /** Which of several that are equally good: from 0. */
  choose(count: number): number;
  /** Waits so many milliseconds of the server's clock. */
  sleepMs(ms: number): Process<void>;
  /** Waits until `subscribe`'s callback is called, or so many milliseconds; true if it was called. */
  waitFor(subscribe: (wake: () => void) => () => void, timeoutMs: number): Process<boolean>;
  /** Runs a callback after so many milliseconds; the result cancels it. */
  after(ms: number, run: () => void): () => void;
  /** Runs a process beside the request; the result ends it. */
  start(process: Process<void>): () => void;
  /** Asks somebody who speaks HTTP (a webhook, a converter, an aggregated server), and waits at most so long for the answer. */
  call(endpoint: HttpEndpoint, call: OutgoingCall, timeoutMs: number): Process<HttpOutcome>;
  /** The same of somebody who answers bit by bit; waits for the beginning of the answer at most so long. */
  openCall(
    endpoint: HttpEndpoint,
    call: OutgoingCall,
    timeoutMs: number,
  ): Process<AnswerStream | HttpOutcome>;
  /** The same of somebody who is to change the protocol. Undefined: nobody can. */
  readonly openTunnel?: (
    endpoint: HttpEndpoint,
    call: OutgoingCall,
    timeoutMs: number,
  ) => Process<TunnelOutcome>;
  /** Who is found on the simulated network under a host name; absent or undefined: nobody. */
  actorOf?(host: string): string | undefined;
  /** Where calls to a service lead instead, outside of the simulation. */
  forwardOf?(service: {
    readonly namespace: string;
    readonly name: string;
    readonly port: number;
  }): string | undefined;
  /** There is a way to real URLs. */
  readonly reachesUrls?: boolean;
  /** Waits until everybody else had a turn. Undefined: nobody else waits while a request is served. */
  readonly giveWay?: () => Process<void>;
  /** Reads YAML beside everything else. Undefined: there is nothing beside. */
  readonly readYaml?: (text: string) => Process<ReadYaml>;
  /** Asks the agent of a node, and waits at most so long for its answer. */
  reachNode(node: string, request: NodeRequest, timeoutMs: number): Process<NodeOutcome>;
  /** Asks a pod over the network of its node, and waits at most so long for its answer. */
  reachPod(node: string, request: PodRequest, timeoutMs: number): Process<NodeOutcome>;
  /** Asks for something that may go on, or take long: so long at most for the connection, then for the first answer. */
  streamFromNode(
    node: string,
    request: NodeRequest,
    timeouts: { readonly dialMs: number; readonly answerMs: number },
  ): Process<NodeStream | NodeOutcome>;
}
