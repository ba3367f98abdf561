/** Headers that every response carries, and refusals as Status objects. Specification: "Errors". */
import { append } from '../../api/append.ts';
import { ApiError } from '../../api/status.ts';
import type { Exchange } from '../request/exchange.ts';
import type { ApiResponse } from '../request/request.ts';
import { warningHeaders } from '../request/warning-headers.ts';
import { encodeFresh } from './encode.ts';
import { negotiatedForErrors, MEDIA_TYPE_OF } from './negotiate.ts';
import { isPrettyWanted } from './pretty.ts';

const CACHE_CONTROL = ['cache-control', 'no-cache, private'] as const;

export function statusResponse(exchange: Exchange, error: ApiError): ApiResponse {
  const { request } = exchange;
  const { status, code } = error;
  const retryAfter = status.details?.retryAfterSeconds;
  const more: [string, string][] = retryAfter === undefined ? [] : [['retry-after', String(retryAfter)]];
  if (!request.wire) return { status: code, headers: more, body: { kind: 'object', object: status } };
  const accepted = negotiatedForErrors(request.headers['accept']);
  const encoding = accepted?.encoding ?? 'json';
  const form = { apiVersion: 'v1', kind: 'Status', schema: exchange.types.structOf('meta.k8s.io/v1.Status') };
  // Where it cannot be shown as is wanted, it is shown to people.
  const isPretty = !accepted || (encoding === 'json' && isPrettyWanted(request, accepted));
  const bytes = shownOf(status, (shown) => encodeFresh(shown, encoding, form, isPretty));
  return {
    status: code,
    headers: [['content-type', MEDIA_TYPE_OF[encoding]], ...more],
    body: { kind: 'bytes', bytes },
  };
}

/** What cannot be written says why in its own place, and its code stays. */
function shownOf(status: ApiError['status'], encode: (shown: ApiError['status']) => Uint8Array): Uint8Array {
  try {
    return encode(status);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return encode(error.status);
  }
}

export function finishResponse(exchange: Exchange): ApiResponse {
  const response: ApiResponse = exchange.response ?? { status: 200, headers: [], body: { kind: 'none' } };
  const { extraHeaders, request } = exchange;
  if (!request.wire && !exchange.hasWarnings) return response;
  const headers: (readonly [string, string])[] = [...response.headers];
  for (const text of warningHeaders([...exchange.warnings])) headers.push(['warning', text]);
  if (request.wire) {
    const isSaid = headers.some(([name]) => name === 'cache-control');
    if (!isSaid && exchange.info.isUnreadable !== true) headers.push(CACHE_CONTROL);
    append(headers, [['audit-id', exchange.auditId], ...extraHeaders]);
  }
  return { ...response, headers };
}
