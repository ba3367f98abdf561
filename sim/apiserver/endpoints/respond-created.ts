/** The answer of actions that make nothing to be shown: a Status of success with code 201. */
import type { Exchange } from '../exchange.ts';
import { respondPlain } from '../representation/respond.ts';

export function respondCreated(exchange: Exchange): void {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
  respondPlain(exchange, 201, status, 'meta.k8s.io/v1.Status');
}
