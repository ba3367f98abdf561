/** Tells in headers to which FlowSchema and priority level a request belongs. */
import type { Exchange } from '../request/exchange.ts';

export function classify(exchange: Exchange): void {
  const { server, request, info, user } = exchange;
  if (!request.wire) return;
  const flow = server.flowSchemas.flowOf(info, user);
  if (!flow) return;
  exchange.extraHeaders.push(
    ['x-kubernetes-pf-flowschema-uid', flow.schemaUid],
    ['x-kubernetes-pf-prioritylevel-uid', flow.levelUid],
  );
}
