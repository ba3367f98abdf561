/**
 * HTTP as bytes over the simulated network, for clients that nobody of this house has written: what such a client's
 * socket carries, read into requests by its own machine. One connection is one socket: requests follow one another, and
 * the end of either is the end of both. Specification: "Endpoints", "Watch".
 */
import type { StreamFrame } from '../api/stream-frame.ts';
import { definePort } from '../engine/port.ts';
import type { Identity } from './protocol.ts';

export interface WireCall {
  readonly method: string;
  /** Percent-encoded, without the query. */
  readonly path: string;
  /** Encoded, without its mark. */
  readonly query: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: Uint8Array;
  /** Who asks; absent: the headers say so. */
  readonly user?: Identity;
}

export type WireMessage =
  | { readonly kind: 'request'; readonly call: WireCall }
  /** Within exec and its like. */
  | { readonly kind: 'frame'; readonly frame: StreamFrame };

export interface WireHead {
  readonly status: number;
  /** In the order in which they are sent. */
  readonly headers: readonly (readonly [string, string])[];
}

export type WireReply =
  | { readonly kind: 'answer'; readonly head: WireHead; readonly body: Uint8Array }
  /** Pieces follow, and then the end. */
  | { readonly kind: 'stream'; readonly head: WireHead }
  | { readonly kind: 'piece'; readonly bytes: Uint8Array }
  /** Frames follow in both directions, and then the end. */
  | { readonly kind: 'channels'; readonly head: WireHead }
  | { readonly kind: 'frame'; readonly frame: StreamFrame }
  /** Of what streamed. */
  | { readonly kind: 'end' };

export const WIRE_PORT = definePort<WireMessage, WireReply>('wire', (message) =>
  message.kind === 'request' ? message.call.path : undefined,
);
