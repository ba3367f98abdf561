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

export const AGENT_PORT = defineCallPort<AgentCall, AgentAnswer>('agent');
