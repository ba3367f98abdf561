/** For the tests of audit: a server with an admin, somebody who may do nothing, and all that was told of their requests. */
import { createApiServer } from '../../cluster/control-plane.ts';
import { engineSurroundings } from '../../cluster/engine-surroundings.ts';
import { Simulation } from '../../engine/simulation.ts';
import { MemoryStorage } from '../../storage/memory-storage.ts';
import { StaticTokens } from '../authentication/static-tokens.ts';
import { type ApiResponse, QueryParameters } from '../request/request.ts';
import type { StoredObject } from '../stores/stored-object.ts';
import { type AuditEvent, Auditor } from './auditor.ts';
import { AuditPolicy } from './policy.ts';

export interface Sent {
  /** A text is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export function auditedServer(policy: string) {
  const simulation = new Simulation({ seed: 1 });
  const { context } = simulation.actor('apiserver/0');
  const events: AuditEvent[] = [];
  let current = AuditPolicy.parse(policy);
  const auditor = new Auditor({
    policy: { decide: (info, user) => current.decide(info, user) },
    write: (event) => events.push(event),
  });
  const server = createApiServer({
    surroundings: engineSurroundings(context),
    storage: new MemoryStorage<StoredObject>(),
    tokenAuthenticators: [StaticTokens.parse('t,admin,1,"system:masters"\nb,bob,3\n')],
    authorizationMode: 'RBAC',
    auditor,
    metersRequests: true,
  });
  const send = (method: string, path: string, { body, headers = {} }: Sent = {}): ApiResponse => {
    const [bare = '', query = ''] = path.split('?');
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    let answer: ApiResponse | undefined;
    context.spawn(
      'request',
      (function* () {
        answer = yield* server.handle({
          method,
          path: bare,
          query: QueryParameters.parse(query),
          headers: { authorization: 'Bearer t', 'user-agent': 'test/1', 'audit-id': 'given', ...headers },
          ...(body !== undefined && { body: { kind: 'bytes', bytes: new TextEncoder().encode(text) } }),
          wire: true,
          remoteAddress: '10.0.0.9',
        });
      })(),
    );
    simulation.runUntil(simulation.now);
    if (!answer) throw new Error('no answer');
    return answer;
  };
  const change = (to: string): void => void (current = AuditPolicy.parse(to));
  return { auditor, events, send, simulation, change };
}

export const policyOf = (...rules: readonly object[]): string =>
  JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules });
