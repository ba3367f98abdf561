/** Somebody who talks to a node agent's own endpoint, from the actor `user/test`. Specification: "Node-agent checkpoint endpoint". */
import type { Identity } from '../client/protocol.ts';
import { Caller } from '../engine/request-reply.ts';
import { minutes } from '../engine/time.ts';
import { AGENT_PORT, type AgentAnswer, type AgentCall } from '../node/endpoint/agent-port.ts';
import type { Cluster } from './cluster.ts';

export interface AgentRequest {
  readonly method: AgentCall['method'];
  /** Without the query. */
  readonly path: string;
  readonly query?: AgentCall['query'];
  /** By client certificate. `anonymous`: without credentials. Default: an administrator. */
  readonly user?: Identity | 'anonymous';
  /** Bearer token, instead of a certificate. */
  readonly token?: string;
}

const ADMINISTRATOR: Identity = {
  name: 'kubernetes-admin',
  groups: ['system:masters', 'system:authenticated'],
};
const TIMEOUT = minutes(10);

/** Runs the cluster until each node agent has answered, or nothing came in time: undefined. In the order of the requests. */
export function askAgents(
  cluster: Cluster,
  node: string,
  requests: readonly AgentRequest[],
): readonly (AgentAnswer | undefined)[] {
  const calls = requests.map(callOf);
  const actor = cluster.faults.actor(node).name;
  const outcomes = cluster.perform(`ask ${actor}`, (asked) => {
    const { context } = asked.user;
    const caller = new Caller(context, { actor, port: AGENT_PORT });
    return asked.finish(context.all(calls.map((call) => caller.call(call, TIMEOUT))));
  });
  return outcomes.map((outcome) => (outcome.kind === 'reply' ? outcome.reply : undefined));
}

/** As `askAgents`, of one request. */
export const askAgent = (cluster: Cluster, node: string, request: AgentRequest): AgentAnswer | undefined =>
  askAgents(cluster, node, [request])[0];

function callOf({ method, path, query = {}, token, user = ADMINISTRATOR }: AgentRequest): AgentCall {
  if (token !== undefined) return { method, path, query, token };
  return { method, path, query, ...(user !== 'anonymous' && { user }) };
}
