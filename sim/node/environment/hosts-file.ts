/** What `/etc/hosts` of a container has, where its pod mounts none of its own. Pure. Kubernetes 1.31 (kubelet). */
import type { Pod } from '../../api/types/core-v1.ts';
import { LOCAL_HOSTS } from '../machine/own-files.ts';
import { CLUSTER_DOMAIN } from '../network/cluster-dns.ts';

export function hostsFileOf({ metadata, spec }: Pod, podIP: string): string {
  const { hostAliases = [], hostNetwork: isOfHost = false, hostname, subdomain } = spec ?? {};
  const name = hostname ?? metadata.name ?? '';
  const domain = subdomain ? `${subdomain}.${metadata.namespace ?? ''}.svc.${CLUSTER_DOMAIN}` : undefined;
  const own = domain === undefined ? `${podIP}\t${name}` : `${podIP}\t${name}.${domain}\t${name}`;
  const aliases = hostAliases.map(({ ip, hostnames = [] }) => `${ip ?? ''}\t${hostnames.join('\t')}`);
  const lines = [
    isOfHost ? '# Kubernetes-managed hosts file (host network).' : '# Kubernetes-managed hosts file.',
    ...LOCAL_HOSTS,
    ...(isOfHost ? [] : [own]),
    ...(aliases.length > 0 ? ['', '# Entries added by HostAliases.', ...aliases] : []),
  ];
  return `${lines.join('\n')}\n`;
}
