/**
 * Where addresses lead that are of no Service: to a pod, or to what a node offers on its own: ports of Services, ports that
 * containers have of it, pods in its network. A loopback address is of who asks.
 */
import type { ApiObject } from '../../api/object.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isCallFailure } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { ResourceHandle } from '../../client/resource-handle.ts';
import type { Process } from '../../engine/process.ts';
import type { Backend, Destination, Route, ServiceRoutes } from './service-routes.ts';

const { nodes, pods } = BUILTIN_HANDLES;
const LOOPBACK = /^(localhost|127\.[0-9.]+|::1)$/;
const UNKNOWN: Route = { kind: 'unknown' };

export interface OuterDestination extends Destination {
  /** Address of who asks; undefined: nobody knows. */
  readonly from: string | undefined;
}

export function* outerRoute(
  client: ApiClient,
  routes: ServiceRoutes,
  { from, ...destination }: OuterDestination,
): Process<Route> {
  const host = LOOPBACK.test(destination.host) ? (from ?? destination.host) : destination.host;
  const pod = (yield* all(client, pods, `status.podIP=${host}`)).find(({ spec }) => spec?.nodeName);
  const direct = pod ? [{ node: pod.spec?.nodeName ?? '', ip: host, port: destination.port }] : undefined;
  if (direct && pod?.spec?.hostNetwork !== true) return { kind: 'backends', backends: direct };
  const machine = (yield* all(client, nodes)).find(({ status }) =>
    status?.addresses?.some(({ address }) => address === host),
  );
  if (!machine) return direct ? { kind: 'backends', backends: direct } : UNKNOWN;
  const ofService = routes.toNodePort(destination);
  if (ofService) return ofService;
  const onNode = yield* all(client, pods, `spec.nodeName=${machine.metadata.name ?? ''}`);
  const lent = onNode.flatMap((each) => hostPortOf(each, destination));
  return { kind: 'backends', backends: lent.length > 0 ? lent : (direct ?? []) };
}

/** What cannot be found is not there. */
function* all<T extends ApiObject>(
  client: ApiClient,
  handle: ResourceHandle<T>,
  fieldSelector?: string,
): Process<readonly T[]> {
  try {
    return (yield* client.list(handle, { ...(fieldSelector !== undefined && { fieldSelector }) })).items;
  } catch (error) {
    if (!isCallFailure(error)) throw error;
    return [];
  }
}

/** A port of its node that leads to a pod. */
function hostPortOf({ spec, status }: Pod, { host, port, protocol }: Destination): readonly Backend[] {
  const found = (spec?.containers ?? [])
    .flatMap(({ ports = [] }) => ports)
    .find(
      ({ hostPort, hostIP = '', protocol: own = 'TCP' }) =>
        hostPort === port && own === protocol && ['', '0.0.0.0', host].includes(hostIP),
    );
  const { podIP: ip } = status ?? {};
  return found && ip !== undefined ? [{ node: spec?.nodeName ?? '', ip, port: found.containerPort }] : [];
}
