/** Tells in headers to which FlowSchema and priority level a request belongs. */
import type { FlowSchemas } from '../flow-control/flow-schemas.ts';
import type { Exchange } from '../request/exchange.ts';

export const classifyBy =
  (flowSchemas: FlowSchemas) =>
  (exchange: Exchange): void => {
    const { request, info, user } = exchange;
    if (!request.wire) return;
    const flow = flowSchemas.flowOf(info, user);
    if (!flow) return;
    exchange.addHeader('x-kubernetes-pf-flowschema-uid', flow.schemaUid);
    exchange.addHeader('x-kubernetes-pf-prioritylevel-uid', flow.levelUid);
  };
