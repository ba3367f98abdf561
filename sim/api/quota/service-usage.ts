/** Services are counted by number, by node ports and by load balancers. */
import type { Service } from '../types/core-v1.ts';
import { counts } from './amounts.ts';
import type { UsageRule } from './usage-rule.ts';

const TRACKED: ReadonlySet<string> = new Set([
  'count/services',
  'services',
  'services.loadbalancers',
  'services.nodeports',
]);

export const serviceRule: UsageRule = {
  countsUpdates: true,
  tracks: (name) => TRACKED.has(name),
  frees: (object, old) => (object as Service).spec?.type !== (old as Service).spec?.type,
  usageOf: (object) =>
    counts({
      'count/services': 1,
      services: 1,
      'services.loadbalancers': (object as Service).spec?.type === 'LoadBalancer' ? 1 : 0,
      'services.nodeports': nodePortsOf(object),
    }),
};

/** They are not allocated yet: what counts is how many there will be. */
function nodePortsOf({ spec }: Service): number {
  const ports = spec?.ports ?? [];
  if (spec?.type === 'NodePort') return ports.length;
  if (spec?.type !== 'LoadBalancer') return 0;
  return spec.allocateLoadBalancerNodePorts === false
    ? ports.filter(({ nodePort }) => nodePort).length
    : ports.length;
}
