/**
 * The stage that passes requests on to whoever serves a group and version instead of this server: an APIService with a
 * service. The caller was authenticated and authorised here; the other one is told who it is. Answers come whole, so
 * watches through it are not there. Specification: not shown (Kubernetes: aggregation layer).
 */
import { encodeJson } from '../../api/codec/encode.ts';
import { bodyBytes, type HttpAnswer, type OutgoingHeaders, objectBody } from '../../api/http-call.ts';
import type { Process } from '../../engine/process.ts';
import { callTarget, problemOf } from '../admission/webhooks/call-target.ts';
import type { Exchange } from '../request/exchange.ts';
import type { UserInfo } from '../request/request.ts';
import type { NodeRequest } from '../surroundings.ts';
import type { ForeignService } from './foreign-services.ts';
import { targetOfForeign } from './foreign-target.ts';

const PATIENCE_MS = 60_000;

export function passOn(exchange: Exchange): Process<void> | void {
  const { server, info } = exchange;
  if (server.foreignServices.services.size === 0) return;
  const [, group = '', version = ''] = /^\/apis\/([^/]+)\/([^/]+)(?:\/|$)/.exec(info.path) ?? [];
  const service = server.foreignServices.find(group, version);
  if (service) return passOnTo(exchange, service);
}

function* passOnTo(exchange: Exchange, service: ForeignService): Process<void> {
  const { server, request } = exchange;
  const target = targetOfForeign(server, service);
  if (!service.isAvailable || target.place.kind === 'problem') {
    unavailable(exchange, 'service unavailable');
    return;
  }
  const query = request.query.toString();
  const { body } = request;
  const call = {
    method: request.method as NodeRequest['method'],
    path: query === '' ? request.path : `${request.path}?${query}`,
    headers: headersOf(exchange),
    ...(body && { body: body.kind === 'bytes' ? body : objectBody(body.object) }),
  };
  const outcome = yield* callTarget(server.surroundings, target, call, PATIENCE_MS);
  if (outcome.kind === 'answer') respond(exchange, outcome.answer);
  else unavailable(exchange, `error trying to reach service: ${problemOf(outcome, target.address)}`);
}

function unavailable(exchange: Exchange, why: string): void {
  exchange.extraHeaders.push(['x-content-type-options', 'nosniff']);
  exchange.respondText(503, `${why}\n`);
}

function headersOf({ request, user }: Exchange): OutgoingHeaders {
  const { accept, 'content-type': contentType, 'user-agent': agent } = request.headers;
  return {
    ...(accept !== undefined && { accept }),
    ...(contentType !== undefined && { 'content-type': contentType }),
    ...(agent !== undefined && { 'user-agent': agent }),
    ...userHeaders(user),
  };
}

/** As `--requestheader-*-headers` have them. */
export const userHeaders = ({ name, groups, extra = {} }: UserInfo): OutgoingHeaders => ({
  'x-remote-user': name,
  'x-remote-group': groups,
  ...Object.fromEntries(
    Object.entries(extra).map(([key, values]) => [`x-remote-extra-${inHeader(key)}`, values]),
  ),
});

/** As names of headers are, what may not stand in them escaped. */
const inHeader = (key: string): string =>
  encodeURIComponent(key.toLowerCase()).replace(/[()]/g, (unit) => `%${unit.charCodeAt(0).toString(16)}`);

function respond(exchange: Exchange, { status, headers = {}, body }: HttpAnswer): void {
  const type = headers['content-type'] ?? 'application/json';
  const isJson = type.startsWith('application/json');
  if (!exchange.request.wire && isJson && body) {
    const object = body.kind === 'object' ? body.object : JSON.parse(new TextDecoder().decode(body.bytes));
    exchange.respond(status, { kind: 'object', object: object as object });
    return;
  }
  const bytes = body?.kind === 'object' ? new TextEncoder().encode(encodeJson(body.object)) : bodyBytes(body);
  exchange.respond(status, { kind: 'bytes', bytes }, [['content-type', type]]);
}
