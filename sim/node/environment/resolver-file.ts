/** What `/etc/resolv.conf` of a container has: whom it asks for names, and where it looks for short ones. Pure. Kubernetes 1.31 (kubelet). */
import type { Pod } from '../../api/types/core-v1.ts';
import { CLUSTER_DNS_ADDRESS, CLUSTER_DOMAIN } from '../network/cluster-dns.ts';

const CLUSTER_OPTIONS = [{ name: 'ndots', value: '5' }];

export function resolverFileOf({ metadata, spec }: Pod): string {
  const { dnsPolicy = 'ClusterFirst', dnsConfig = {}, hostNetwork: isOfHost = false } = spec ?? {};
  const asksCluster = dnsPolicy === 'ClusterFirstWithHostNet' || (dnsPolicy === 'ClusterFirst' && !isOfHost);
  const own = ['svc.', ''].map((part) => `${part}${CLUSTER_DOMAIN}`);
  const searches = [
    ...(asksCluster ? [`${metadata.namespace ?? ''}.svc.${CLUSTER_DOMAIN}`, ...own] : []),
    ...(dnsConfig.searches ?? []),
  ];
  const servers = [...(asksCluster ? [CLUSTER_DNS_ADDRESS] : []), ...(dnsConfig.nameservers ?? [])];
  const options = new Map((asksCluster ? CLUSTER_OPTIONS : []).map(({ name, value }) => [name, value]));
  for (const { name = '', value = '' } of dnsConfig.options ?? []) options.set(name, value);
  const lines = [
    ...(searches.length > 0 ? [`search ${[...new Set(searches)].join(' ')}`] : []),
    ...[...new Set(servers)].map((server) => `nameserver ${server}`),
    ...(options.size > 0
      ? [
          `options ${Array.from(options, ([name, value]) => (value === '' ? name : `${name}:${value}`)).join(' ')}`,
        ]
      : []),
  ];
  return lines.map((line) => `${line}\n`).join('');
}
