/**
 * `pods/exec`, `pods/attach`, `pods/portforward`: who may be reached is decided as on a real server; the
 * streams themselves are not modelled, as containers here have no processes to talk to.
 * Specification: not shown (Kubernetes 1.31).
 */
import type { Process } from '../../engine/process.ts';
import { ApiError, badRequest } from '../../api/status.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import type { Endpoint } from '../endpoints.ts';
import type { Exchange } from '../exchange.ts';
import { nodeConnection } from './node-reach.ts';
import { containerNameOf, podNamed } from './pod-target.ts';

/** `pods/exec` and `pods/attach`: into one container. */
export const containerStream: Endpoint = function* (exchange): Process<void> {
  const { info, request } = exchange;
  const pod = podNamed(exchange, info.name);
  containerNameOf(pod, request.query.first('container') ?? '');
  refuseStream(exchange, pod);
};

export const portForward: Endpoint = function* (exchange): Process<void> {
  refuseStream(exchange, podNamed(exchange, exchange.info.name));
};

function refuseStream(exchange: Exchange, { spec }: Pod): never {
  const { info, request } = exchange;
  const nodeName = spec?.nodeName ?? '';
  if (nodeName === '') throw badRequest(`pod ${info.name} does not have a host assigned`);
  nodeConnection(exchange, nodeName);
  if (!/upgrade/i.test(request.headers['connection'] ?? '')) throw badRequest('Upgrade request required');
  throw new ApiError({
    reason: '',
    message: `streams of pods/${info.subresource} are not modelled: simulated containers have no processes to talk to`,
    code: 501,
  });
}
