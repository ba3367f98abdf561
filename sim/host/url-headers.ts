/** Headers of calls to real URLs, as Node's clients take and give them. */
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { HttpHeaders, OutgoingCall } from '../api/http-call.ts';

/** Names may have several values. */
export const sendable = (headers: OutgoingCall['headers'] = {}): OutgoingHttpHeaders =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  );

export function plainHeaders(headers: IncomingHttpHeaders): HttpHeaders {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !name.startsWith(':'))
      plain[name] = typeof value === 'string' ? value : value.join(', ');
  return plain;
}
