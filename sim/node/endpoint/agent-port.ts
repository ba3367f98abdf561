/** The agent's own endpoint on the simulated network. Specification: "Node-agent checkpoint endpoint". */
import type { StreamFrame } from '../../api/stream-frame.ts';
import type { Identity } from '../../client/protocol.ts';
import { definePort } from '../../engine/port.ts';
import { defineCallPort } from '../../engine/request-reply.ts';

/** A parameter that is given several times is a list. */
export type AgentQuery = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface AgentCall {
  readonly method: string;
  /** Decoded, without the query. */
  readonly path: string;
  readonly query: AgentQuery;
  /** Of a client certificate, which the agent believes by itself. */
  readonly user?: Identity;
  /** Bearer token, of which the agent asks the API server. */
  readonly token?: string;
  /** The caller wants the protocol changed: it can take a connection with channels. */
  readonly upgrades?: boolean;
}

export interface AgentAnswer {
  readonly status: number;
  /** An object, or a text. */
  readonly body: unknown;
  /** Default: by the body. */
  readonly contentType?: string;
  /** Methods that are possible, of a 405. */
  readonly allow?: string;
}

/** The actor that a node's agent is, unless it was given another name. */
export const agentActorOf = (node: string): string => `node/${node}`;

/** Calls with one answer; what streams is gathered to its end. */
export const AGENT_PORT = defineCallPort<AgentCall, AgentAnswer>('agent');

/** To the agent: `open` first. */
export type AgentStreamRequest =
  { readonly kind: 'open'; readonly call: AgentCall } | ({ readonly kind: 'frame' } & StreamFrame);

/** From the agent: a whole answer, or `opened` and then frames; the end of the connection is the end of the stream. */
export type AgentStreamReply =
  | { readonly kind: 'answer'; readonly answer: AgentAnswer }
  | { readonly kind: 'opened' }
  | ({ readonly kind: 'frame' } & StreamFrame);

/** One connection for each stream: exec, attach, logs that are followed. */
export const AGENT_STREAM_PORT = definePort<AgentStreamRequest, AgentStreamReply>('agent stream');

/** The first value of a parameter. */
export function firstOf(query: AgentQuery, name: string): string | undefined {
  const value = query[name];
  return typeof value === 'string' || value === undefined ? value : value[0];
}

/** The last value of a parameter. */
export function lastOf(query: AgentQuery, name: string): string | undefined {
  const value = query[name];
  return typeof value === 'string' || value === undefined ? value : value.at(-1);
}

/** All values of a parameter. */
export function allOf(query: AgentQuery, name: string): readonly string[] {
  const value = query[name];
  return value === undefined ? [] : typeof value === 'string' ? [value] : value;
}
