/**
 * `pods/log`: what a container has written, as the agent of its node tells it. A pod without a node has
 * written nothing: 204. Specification: not shown (Kubernetes 1.31).
 */
import type { Process } from '../../engine/process.ts';
import { ApiError, badRequest, internalError, plainError } from '../../api/status.ts';
import type { Exchange } from '../request/exchange.ts';
import { type LogOptions, logOptionsOf } from '../options/log-options.ts';
import type { NodeOutcome } from '../surroundings.ts';
import { dialProblem, NODE_TIMEOUTS, type NodeConnection, nodeConnection } from './node-reach.ts';
import { textStreamOf } from './node-text-stream.ts';
import { containerNameOf, podNamed } from './pod-target.ts';

const TIMEOUT_MS = 30_000;
const TEXT_HEADERS = [['content-type', 'text/plain']] as const;

interface LogSource {
  readonly node: NodeConnection;
  readonly path: string;
}

export function* podLog(exchange: Exchange): Process<void> {
  const { info, request } = exchange;
  const options = logOptionsOf(request.query, info.name);
  const pod = podNamed(exchange, info.name);
  const container = containerNameOf(pod, options.container);
  const nodeName = pod.spec?.nodeName ?? '';
  if (nodeName === '') {
    exchange.respond(204, { kind: 'none' });
    return;
  }
  const node = nodeConnection(exchange, nodeName);
  const source: LogSource = { node, path: `/containerLogs/${info.namespace}/${info.name}/${container}` };
  const { surroundings } = exchange.server;
  const asked = { method: 'GET', path: source.path, query: queryOf(options) } as const;
  if (!options.follow) {
    const outcome = yield* surroundings.reachNode(node.name, asked, TIMEOUT_MS);
    exchange.respond(200, { kind: 'text', text: textOf(outcome, exchange, source) }, TEXT_HEADERS);
    return;
  }
  const outcome = yield* surroundings.streamFromNode(node.name, asked, NODE_TIMEOUTS);
  if (outcome.kind === 'stream') {
    exchange.respond(200, { kind: 'stream', stream: textStreamOf(surroundings, outcome) }, TEXT_HEADERS);
    return;
  }
  exchange.respond(200, { kind: 'text', text: textOf(outcome, exchange, source) }, TEXT_HEADERS);
}

function queryOf({
  follow,
  previous,
  timestamps,
  sinceSeconds,
  sinceTime,
  tailLines,
  limitBytes,
}: LogOptions): Record<string, string> {
  return {
    ...(follow && { follow: 'true' }),
    ...(previous && { previous: 'true' }),
    ...(timestamps && { timestamps: 'true' }),
    ...(sinceSeconds !== undefined && { sinceSeconds: String(sinceSeconds) }),
    ...(sinceTime !== undefined && { sinceTime }),
    ...(tailLines !== undefined && { tailLines: String(tailLines) }),
    ...(limitBytes !== undefined && { limitBytes: String(limitBytes) }),
  };
}

function textOf(outcome: NodeOutcome, { info }: Exchange, { node, path }: LogSource): string {
  if (outcome.kind !== 'answer') {
    const address = `${node.host}:${node.port}`;
    throw plainError(`Get "https://${address}${path}": ${dialProblem(outcome, address)}`);
  }
  const text = typeof outcome.body === 'string' ? outcome.body : JSON.stringify(outcome.body);
  if (outcome.status === 200) return text;
  if (outcome.status === 500) throw internalError(text);
  if (outcome.status === 400) throw badRequest(text);
  if (outcome.status === 404) {
    throw new ApiError({
      reason: 'NotFound',
      message: `the server could not find the requested resource ( pods/log ${info.name})`,
      details: { name: info.name, kind: 'pods/log' },
    });
  }
  throw new ApiError({
    reason: '',
    message: `the server responded with the status code ${outcome.status} but did not return more information ( pods/log ${info.name})`,
    details: { name: info.name, kind: 'pods/log' },
    code: outcome.status,
  });
}
