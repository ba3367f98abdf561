/**
 * `pods/exec` and `pods/attach`: into a container, over a WebSocket with channels; the agent of the node does it.
 * `pods/portforward` is refused, as simulated containers listen on no port, and so is the older SPDY.
 * Specification: not shown (Kubernetes 1.31).
 */
import type { Process } from '../../engine/process.ts';
import { ApiError, badRequest } from '../../api/status.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import type { Endpoint } from './endpoints.ts';
import type { Exchange } from '../request/exchange.ts';
import { NodeChannels, RefusedChannels } from '../streams/node-channels.ts';
import { isTrueParameter } from '../request/request-info.ts';
import { dialProblem, NODE_TIMEOUTS, type NodeConnection, nodeConnection } from './node-reach.ts';
import { containerNameOf, podNamed } from './pod-target.ts';

export const containerStream: Endpoint = function* (exchange): Process<void> {
  const { info, request, server } = exchange;
  const pod = podNamed(exchange, info.name);
  const container = containerNameOf(pod, request.query.first('container') ?? '');
  const node = nodeOf(exchange, pod);
  checkUpgrade(exchange);
  const { surroundings } = server;
  const path = `/${info.subresource}/${info.namespace}/${info.name}/${container}`;
  const call = {
    method: request.method === 'GET' ? 'GET' : 'POST',
    path,
    query: askedOf(exchange),
    upgrades: true,
  } as const;
  const outcome = yield* surroundings.streamFromNode(node.name, call, NODE_TIMEOUTS);
  const channels =
    outcome.kind === 'stream'
      ? new NodeChannels(surroundings, outcome)
      : new RefusedChannels(
          outcome.kind === 'answer'
            ? `unable to upgrade connection: ${String(outcome.body).trimEnd()}`
            : `error sending request: Post "https://${addressOf(node)}${path}": ${dialProblem(outcome, addressOf(node))}`,
        );
  exchange.respond(101, { kind: 'channels', channels });
};

export const portForward: Endpoint = function* (exchange): Process<void> {
  nodeOf(exchange, podNamed(exchange, exchange.info.name));
  requireUpgrade(exchange);
  throw notModelled('port-forward is not modelled: simulated containers listen on no port');
};

const addressOf = ({ host, port }: NodeConnection): string => `${host}:${port}`;

function nodeOf(exchange: Exchange, { spec }: Pod): NodeConnection {
  const nodeName = spec?.nodeName ?? '';
  if (nodeName === '') throw badRequest(`pod ${exchange.info.name} does not have a host assigned`);
  return nodeConnection(exchange, nodeName);
}

/** The query that the agent understands. */
function askedOf({ request: { query } }: Exchange): Record<string, string | readonly string[]> {
  const isAsked = (name: string): boolean => isTrueParameter(query.first(name));
  const isTerminal = isAsked('tty');
  const asked: Record<string, string | readonly string[]> = {};
  const command = query.all('command');
  if (command.length > 0) asked['command'] = command;
  if (isAsked('stdin')) asked['input'] = '1';
  if (isAsked('stdout')) asked['output'] = '1';
  if (isAsked('stderr') && !isTerminal) asked['error'] = '1';
  if (isTerminal) asked['tty'] = '1';
  return asked;
}

function requireUpgrade({ request }: Exchange): void {
  const { connection = '', upgrade = '' } = request.headers;
  if (!/upgrade/i.test(connection) || upgrade === '') throw badRequest('Upgrade request required');
}

function checkUpgrade(exchange: Exchange): void {
  requireUpgrade(exchange);
  const protocol = exchange.request.headers['upgrade'] ?? '';
  if (!/^websocket$/i.test(protocol))
    throw notModelled(
      `streams over ${protocol} are not modelled: use WebSockets, as kubectl does from 1.31 on`,
    );
}

const notModelled = (message: string): ApiError => new ApiError({ reason: '', message, code: 501 });
