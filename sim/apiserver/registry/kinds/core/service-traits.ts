/** What a service of a certain type has and needs. */
import type { ServiceSpec } from '../../../../api/types/core-v1.ts';

type Spec = Pick<
  ServiceSpec,
  | 'type'
  | 'clusterIPs'
  | 'clusterIP'
  | 'externalIPs'
  | 'externalTrafficPolicy'
  | 'allocateLoadBalancerNodePorts'
>;

export const needsClusterIp = ({ type }: Spec): boolean =>
  type === 'ClusterIP' || type === 'NodePort' || type === 'LoadBalancer';

/** An update keeps what a service of a type that there is not had. */
export const mayHaveClusterIp = ({ type }: Spec): boolean => type !== 'ExternalName';

export const needsNodePort = ({ type, allocateLoadBalancerNodePorts }: Spec): boolean =>
  type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts !== false);

/** A balancer that asks for no node ports may still have some. */
export const mayHaveNodePorts = ({ type }: Spec): boolean => type === 'NodePort' || type === 'LoadBalancer';

export const needsHealthCheckPort = ({ type, externalTrafficPolicy }: Spec): boolean =>
  type === 'LoadBalancer' && externalTrafficPolicy === 'Local';

/** Traffic from outside of the cluster can reach it. */
export const isExternallyAccessible = ({ type, externalIPs }: Spec): boolean =>
  type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && (externalIPs?.length ?? 0) > 0);

export const isHeadless = ({ clusterIPs }: Spec): boolean =>
  clusterIPs?.length === 1 && clusterIPs[0] === 'None';
