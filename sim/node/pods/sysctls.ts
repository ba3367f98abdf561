/** Kernel parameters that a pod may set without anybody's leave: those that are its own and nobody else's. Pure. Kubernetes 1.31. */
import type { Pod } from '../../api/types/core-v1.ts';

const OF_IPC = ['kernel.shm_rmid_forced'];
const OF_NETWORK = [
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
];

/** What is said of the first that it may not set; undefined: there is none. */
export function forbiddenSysctl({ spec }: Pod): string | undefined {
  for (const { name } of spec?.securityContext?.sysctls ?? []) {
    const dotted = name.replaceAll('/', '.');
    const problem = problemOf(dotted, spec);
    if (problem !== undefined) return `forbidden sysctl: ${JSON.stringify(dotted)} ${problem}`;
  }
  return undefined;
}

function problemOf(name: string, spec: Pod['spec']): string | undefined {
  if (OF_IPC.includes(name)) return spec?.hostIPC === true ? 'not allowed with host ipc enabled' : undefined;
  if (!OF_NETWORK.includes(name)) return 'not allowlisted';
  return spec?.hostNetwork === true ? 'not allowed with host net enabled' : undefined;
}
