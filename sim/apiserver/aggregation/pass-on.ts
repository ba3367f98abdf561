/**
 * The stage that passes requests on to whoever serves a group and version instead of this server: an APIService with a
 * service. The caller was authenticated and authorised here; the other one is told who it is. Answers of real servers, and
 * watches of everybody, are passed on as they come. Specification: not shown (Kubernetes: aggregation layer).
 */
import { encodeJson } from '../../api/codec/encode.ts';
import { bodyBytes, bodyObject, type HttpAnswer, type HttpOutcome, objectBody } from '../../api/http-call.ts';
import type { Process } from '../../engine/process.ts';
import { callTarget, problemOf } from '../admission/webhooks/call-target.ts';
import type { WebhookTarget } from '../admission/webhooks/webhook-target.ts';
import type { Exchange } from '../request/exchange.ts';
import type { AnswerStream, ApiServerSurroundings, NodeRequest } from '../surroundings.ts';
import type { ForeignService } from './foreign-services.ts';
import { targetOfForeign } from './foreign-target.ts';
import { changesProtocol, passTunnel } from './pass-tunnel.ts';
import { answeredHeaders, forwardedHeaders, upgradeHeaders } from './passed-headers.ts';
import { TIMED_OUT, unavailable } from './unavailable.ts';
import { PassedStream } from './passed-stream.ts';

const PATIENCE_MS = 60_000;

export function passOn(exchange: Exchange): Process<void> | void {
  const { server, info } = exchange;
  if (server.foreignServices.services.size === 0) return;
  const [, group = '', version = ''] = /^\/apis\/([^/]+)\/([^/]+)(?:\/|$)/.exec(info.path) ?? [];
  const service = server.foreignServices.find(group, version);
  if (service) return passOnTo(exchange, service);
}

/** Also what is about no resource, such as its documents. */
export function* passOnTo(exchange: Exchange, service: ForeignService): Process<void> {
  const { server, request } = exchange;
  const target = targetOfForeign(server, service);
  if (!service.isAvailable || target.place.kind === 'problem') {
    unavailable(exchange, 'service unavailable');
    return;
  }
  const query = request.query.toString();
  const { body } = request;
  const method = request.method as NodeRequest['method'];
  const path = query === '' ? request.path : `${request.path}?${query}`;
  if (changesProtocol(request)) {
    yield* passTunnel(exchange, target, { method, path, headers: upgradeHeaders(exchange) });
    return;
  }
  const call = {
    method,
    path,
    headers: forwardedHeaders(exchange, target.address),
    ...(body && { body: body.kind === 'bytes' ? body : objectBody(body.object) }),
  };
  const outcome = yield* ask(server.surroundings, target, call, exchange);
  if (outcome.kind === 'answer') respond(exchange, outcome.answer);
  else if (outcome.kind === 'stream') respondStream(exchange, outcome);
  else if (outcome.kind === 'timeout') exchange.respondText(504, TIMED_OUT);
  else unavailable(exchange, `error trying to reach service: ${problemOf(outcome, target.address)}`);
}

type Call = Parameters<typeof callTarget>[2];

function* ask(
  surroundings: ApiServerSurroundings,
  target: WebhookTarget,
  call: Call,
  { info, request }: Exchange,
): Process<AnswerStream | HttpOutcome> {
  const { place } = target;
  if (place.kind !== 'endpoint') return yield* callTarget(surroundings, target, call, PATIENCE_MS);
  const { endpoint } = place;
  const isBitByBit = info.verb === 'watch' || request.query.has('follow');
  if (endpoint.kind === 'actor' && !isBitByBit) return yield* surroundings.call(endpoint, call, PATIENCE_MS);
  const opened = yield* surroundings.openCall(endpoint, call, PATIENCE_MS);
  const isWhole = opened.kind === 'stream' && !request.wire && !isBitByBit;
  return isWhole ? yield* gathered(opened) : opened;
}

/** Components of the simulation want an answer to be whole. */
function* gathered({ status, headers, ...source }: AnswerStream): Process<HttpOutcome> {
  const pieces: Uint8Array[] = [];
  for (;;) {
    const piece = yield* source.receive();
    if (piece === 'broken') return { kind: 'unreachable', message: 'unexpected EOF', phase: 'body' };
    if (piece === undefined) break;
    pieces.push(piece);
  }
  const bytes = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return { kind: 'answer', answer: { status, headers, body: { kind: 'bytes', bytes } } };
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function refuseRedirect(exchange: Exchange): void {
  exchange.respondText(502, 'the backend attempted to redirect this request, which is not permitted');
}

function respondStream(exchange: Exchange, opened: AnswerStream): void {
  if (REDIRECTS.has(opened.status)) {
    opened.close();
    refuseRedirect(exchange);
    return;
  }
  const { surroundings } = exchange.server;
  const stream = new PassedStream(opened, surroundings, exchange.request.wire);
  exchange.respond(opened.status, { kind: 'stream', stream }, answeredHeaders(opened.headers));
}

function respond(exchange: Exchange, { status, headers = {}, body }: HttpAnswer): void {
  if (REDIRECTS.has(status)) {
    refuseRedirect(exchange);
    return;
  }
  const { 'content-type': type = 'application/json' } = headers;
  const isJson = type.startsWith('application/json');
  if (!exchange.request.wire && isJson && body) {
    exchange.respond(status, { kind: 'object', object: bodyObject(body) as object });
    return;
  }
  const bytes = body?.kind === 'object' ? new TextEncoder().encode(encodeJson(body.object)) : bodyBytes(body);
  exchange.respond(status, { kind: 'bytes', bytes }, answeredHeaders({ ...headers, 'content-type': type }));
}
