/**
 * `pods/exec` and `pods/attach`: into a container, over a WebSocket with channels or SPDY/3.1; the agent of the node does
 * it. `pods/portforward`: to what its containers listen on.
 * Specification: not shown (Kubernetes 1.31).
 */
import type { Process } from '../../engine/process.ts';
import { badRequest, plainError } from '../../api/status.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import type { Endpoint } from './endpoints.ts';
import type { Exchange } from '../request/exchange.ts';
import { ForwardedPorts } from '../streams/forwarded-ports.ts';
import { NodeChannels, RefusedChannels } from '../streams/node-channels.ts';
import { admittedOptions, type ConnectOptions } from './connect-options.ts';
import { dialProblem, NODE_TIMEOUTS, type NodeConnection, nodeConnection } from './node-reach.ts';
import { containerNameOf, podNamed } from './pod-target.ts';

export const containerExec: Endpoint = (exchange) => containerStream(exchange, 'PodExecOptions');
export const containerAttach: Endpoint = (exchange) => containerStream(exchange, 'PodAttachOptions');

function* containerStream(exchange: Exchange, kind: 'PodExecOptions' | 'PodAttachOptions'): Process<void> {
  const { info, request, server } = exchange;
  const options = yield* admittedOptions(exchange, kind);
  const pod = podNamed(exchange, info.name);
  const container = containerNameOf(pod, options.container ?? '');
  const node = nodeOf(exchange, pod);
  checkUpgrade(exchange);
  const { surroundings } = server;
  const path = `/${info.subresource}/${info.namespace}/${info.name}/${container}`;
  const call = {
    method: request.method === 'GET' ? 'GET' : 'POST',
    path,
    query: askedOf(options),
    upgrades: true,
  } as const;
  const outcome = yield* surroundings.streamFromNode(node.name, call, NODE_TIMEOUTS);
  if (outcome.kind === 'stream') {
    exchange.respond(101, { kind: 'channels', channels: new NodeChannels(surroundings, outcome) });
    return;
  }
  const problem = outcome.kind === 'answer' ? '' : dialProblem(outcome, addressOf(node));
  // What is passed on as it is, has the agent's own answer; what is translated, stands before the agent is asked.
  if (!isTranslated(exchange)) {
    if (outcome.kind !== 'answer') throw plainError(`error dialing backend: ${problem}`);
    const text = typeof outcome.body === 'string' ? outcome.body : JSON.stringify(outcome.body);
    exchange.respondText(outcome.status, text);
    return;
  }
  const channels = new RefusedChannels(
    outcome.kind === 'answer'
      ? `unable to upgrade connection: ${String(outcome.body).trimEnd()}`
      : `error sending request: Post "https://${addressOf(node)}${path}": ${problem}`,
  );
  exchange.respond(101, { kind: 'channels', channels });
}

export const portForward: Endpoint = function* (exchange): Process<void> {
  const { info, server } = exchange;
  yield* admittedOptions(exchange, 'PodPortForwardOptions');
  const pod = podNamed(exchange, info.name);
  const node = nodeOf(exchange, pod);
  checkUpgrade(exchange);
  const outcome = yield* server.surroundings.reachNode(node.name, PRESENCE, NODE_TIMEOUTS.dialMs);
  if (outcome.kind !== 'answer')
    throw plainError(`error dialing backend: ${dialProblem(outcome, addressOf(node))}`);
  exchange.respond(101, { kind: 'ports', ports: new ForwardedPorts(server.surroundings, pod) });
};

const PRESENCE = { method: 'GET', path: '/healthz', query: {} } as const;

const addressOf = ({ host, port }: NodeConnection): string => `${host}:${port}`;

function nodeOf(exchange: Exchange, { spec }: Pod): NodeConnection {
  const nodeName = spec?.nodeName ?? '';
  if (nodeName === '') throw badRequest(`pod ${exchange.info.name} does not have a host assigned`);
  return nodeConnection(exchange, nodeName);
}

/** The query that the agent understands. */
function askedOf({
  command,
  stdin,
  stdout,
  stderr,
  tty,
}: ConnectOptions): Record<string, string | readonly string[]> {
  const asked: Record<string, string | readonly string[]> = {};
  if (command && command.length > 0) asked['command'] = command;
  if (stdin) asked['input'] = '1';
  if (stdout) asked['output'] = '1';
  if (stderr && !tty) asked['error'] = '1';
  if (tty) asked['tty'] = '1';
  return asked;
}

function requireUpgrade({ request }: Exchange): void {
  const { connection = '', upgrade = '' } = request.headers;
  if (!/upgrade/i.test(connection) || upgrade === '') throw badRequest('Upgrade request required');
}

const SPDY = /^spdy\/3\.1$/i;

/** A WebSocket of the fifth protocol, which the server turns into SPDY for the agent: all others it only passes on. */
function isTranslated({ request }: Exchange): boolean {
  const { upgrade = '', 'sec-websocket-protocol': offered = '' } = request.headers;
  return (
    /^websocket$/i.test(upgrade) && offered.split(',').some((protocol) => protocol.trim() === TRANSLATED)
  );
}

const TRANSLATED = 'v5.channel.k8s.io';

function checkUpgrade(exchange: Exchange): void {
  requireUpgrade(exchange);
  const protocol = exchange.request.headers['upgrade'] ?? '';
  if (!/^websocket$/i.test(protocol) && !SPDY.test(protocol))
    throw badRequest(`streams over ${protocol} are not known here: use WebSockets or SPDY/3.1`);
}
