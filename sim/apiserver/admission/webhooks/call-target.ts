/** A call to wherever a configuration leads (`webhook-target.ts`): an endpoint, or a pod behind a service. */
import { bodyObject, type HttpOutcome, objectBody, type OutgoingCall } from '../../../api/http-call.ts';
import type { Process } from '../../../engine/process.ts';
import type { ApiServerSurroundings, NodeRequest } from '../../surroundings.ts';
import { refusedAt, type WebhookTarget } from './webhook-target.ts';

/** Waits at most so long for the answer. */
export function* callTarget(
  surroundings: ApiServerSurroundings,
  { place }: WebhookTarget,
  call: OutgoingCall & Pick<NodeRequest, 'method'>,
  timeoutMs: number,
): Process<HttpOutcome> {
  if (place.kind === 'problem') return { kind: 'unreachable', message: place.text };
  if (place.kind === 'endpoint') return yield* surroundings.call(place.endpoint, call, timeoutMs);
  const { node, ip, port, isVouchedFor } = place;
  if (node === '') return { kind: 'refused' };
  const { method, body: sent } = call;
  const [path = ''] = call.path.split('?', 1);
  const request = { ip, port, method, path, ...(sent && { body: bodyObject(sent) }) };
  const outcome = yield* surroundings.reachPod(node, request, timeoutMs);
  if (outcome.kind !== 'answer') return outcome;
  if (!isVouchedFor) return { kind: 'unreachable', message: UNKNOWN_AUTHORITY };
  const { status, body } = outcome;
  return { kind: 'answer', answer: { status, body: bodyOf(body) } };
}

const UNKNOWN_AUTHORITY = 'tls: failed to verify certificate: x509: certificate signed by unknown authority';

const bodyOf = (body: unknown): ReturnType<typeof objectBody> =>
  typeof body === 'string' ? { kind: 'bytes', bytes: new TextEncoder().encode(body) } : objectBody(body);

/** Why there is no answer, as Go says it. */
export function problemOf(outcome: Exclude<HttpOutcome, { kind: 'answer' }>, address: string): string {
  switch (outcome.kind) {
    case 'refused':
      return refusedAt(outcome.address ?? address);
    case 'reset':
      return 'EOF';
    case 'timeout':
      return 'context deadline exceeded';
    case 'unreachable':
      return outcome.message;
  }
}
