/** The agent's own endpoint on the simulated network. Specification: "Node checkpoint API". */
import type { Identity, Method, Query } from '../client/protocol.ts';
import { defineCallPort } from '../engine/request-reply.ts';

export interface AgentCall {
  readonly method: Method;
  readonly path: string;
  readonly query: Query;
  /** Undefined: without credentials. */
  readonly user?: Identity;
}

export interface AgentAnswer {
  readonly status: number;
  /** An object, or a text. */
  readonly body: unknown;
}

/** The actor that a node's agent is, unless it was given another name. */
export const agentActorOf = (node: string): string => `node/${node}`;

export const AGENT_PORT = defineCallPort<AgentCall, AgentAnswer>('agent');
