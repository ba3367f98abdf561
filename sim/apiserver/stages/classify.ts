/** Tells in headers to which FlowSchema and priority level a request belongs. */
import type { FlowSchemas } from '../flow-control/flow-schemas.ts';
import type { Exchange } from '../request/exchange.ts';

export const classifyBy =
  (flowSchemas: FlowSchemas) =>
  ({ request, info, user, extraHeaders }: Exchange): void => {
    if (!request.wire) return;
    const flow = flowSchemas.flowOf(info, user);
    if (!flow) return;
    extraHeaders.push(
      ['x-kubernetes-pf-flowschema-uid', flow.schemaUid],
      ['x-kubernetes-pf-prioritylevel-uid', flow.levelUid],
    );
  };
