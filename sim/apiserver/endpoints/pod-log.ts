/**
 * `pods/log`: what a container has written, as the agent of its node tells it. A pod without a node has
 * written nothing: 204. Specification: not shown (Kubernetes 1.31).
 */
import type { Process } from '../../engine/process.ts';
import { ApiError, badRequest, internalError, plainError } from '../../api/status.ts';
import type { Exchange } from '../exchange.ts';
import { type LogOptions, logOptionsOf } from '../options/log-options.ts';
import type { NodeOutcome } from '../surroundings.ts';
import { TextStream } from '../text-stream.ts';
import { dialProblem, type NodeConnection, nodeConnection } from './node-reach.ts';
import { containerNameOf, podNamed } from './pod-target.ts';

const TIMEOUT_MS = 30_000;
/** The agent of a container that goes on writing is asked again so often. */
const FOLLOW_TIMEOUT_MS = 3_600_000;
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
  const written = textOf(yield* ask(exchange, source, queryOf(options), TIMEOUT_MS), exchange, source);
  if (!options.follow) {
    exchange.respond(200, { kind: 'text', text: written }, TEXT_HEADERS);
    return;
  }
  const stream = new TextStream();
  stream.write(written);
  stream.onClose = exchange.server.surroundings.start(follow(exchange, source, options, stream));
  exchange.respond(200, { kind: 'stream', stream }, TEXT_HEADERS);
}

const ask = (
  { server }: Exchange,
  { node, path }: LogSource,
  query: Readonly<Record<string, string>>,
  timeoutMs: number,
): Process<NodeOutcome> =>
  server.surroundings.reachNode(node.name, { method: 'GET', path, query }, timeoutMs);

/** The agent answers with what was written since it was asked, when the container has ended. */
function* follow(
  exchange: Exchange,
  source: LogSource,
  options: LogOptions,
  stream: TextStream,
): Process<void> {
  const query = { follow: 'true', ...(options.timestamps && { timestamps: 'true' }) };
  let outcome: NodeOutcome;
  do {
    outcome = yield* ask(exchange, source, query, FOLLOW_TIMEOUT_MS);
  } while (outcome.kind === 'timeout');
  if (outcome.kind === 'answer' && outcome.status === 200) stream.write(String(outcome.body));
  stream.end();
}

function queryOf({
  previous,
  timestamps,
  sinceSeconds,
  sinceTime,
  tailLines,
  limitBytes,
}: LogOptions): Record<string, string> {
  return {
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
