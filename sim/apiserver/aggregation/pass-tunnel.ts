/**
 * Requests to change the protocol that are for another server: its answer, and all that follows, goes from one end to the other
 * as it comes. An answer that changes nothing and refuses nothing is an error of that server.
 */
import type { OutgoingCall } from '../../api/http-call.ts';
import type { Process } from '../../engine/process.ts';
import { problemOf } from '../admission/webhooks/call-target.ts';
import type { WebhookTarget } from '../admission/webhooks/webhook-target.ts';
import type { Exchange } from '../request/exchange.ts';
import type { ApiRequest } from '../request/request.ts';
import type { TunnelOutcome } from '../surroundings.ts';
import { TIMED_OUT, unavailable } from './unavailable.ts';

const PATIENCE_MS = 60_000;

export const changesProtocol = ({ headers, wire }: ApiRequest): boolean =>
  wire && headers['upgrade'] !== undefined && /upgrade/i.test(headers['connection'] ?? '');

export function* passTunnel(exchange: Exchange, target: WebhookTarget, call: OutgoingCall): Process<void> {
  const { surroundings } = exchange.server;
  const { place } = target;
  const outcome: TunnelOutcome =
    surroundings.openTunnel && place.kind === 'endpoint'
      ? yield* surroundings.openTunnel(place.endpoint, call, PATIENCE_MS)
      : { kind: 'declined', status: 200 };
  if (outcome.kind === 'tunnel') exchange.respond(101, outcome);
  else if (outcome.kind === 'timeout') exchange.respondText(504, TIMED_OUT);
  else unavailable(exchange, whyNot(outcome, target.address));
}

function whyNot(outcome: Exclude<TunnelOutcome, { kind: 'tunnel' }>, address: string): string {
  switch (outcome.kind) {
    case 'declined':
      return `invalid upgrade response: status code ${outcome.status}`;
    case 'malformed':
      return outcome.message;
    default:
      return outcome.kind === 'unreachable' && outcome.phase === 'body'
        ? outcome.message
        : `error dialing backend: ${problemOf(outcome, address)}`;
  }
}
