/** Baseline: no kernel parameters but those that concern the pod alone. */
import type { Find, PodCheck } from '../check.ts';

const FIRST: readonly string[] = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
];
const OF_27: readonly string[] = [...FIRST, 'net.ipv4.ip_local_reserved_ports'];
const OF_29: readonly string[] = [
  ...OF_27,
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
];

const finds =
  (allowed: readonly string[]): Find =>
  ({ spec }) => {
    const bad = (spec.securityContext?.sysctls ?? []).filter(({ name }) => !allowed.includes(name));
    if (bad.length === 0) return undefined;
    return { reason: 'forbidden sysctls', detail: bad.map(({ name }) => name).join(', ') };
  };

export const sysctls: PodCheck = {
  id: 'sysctls',
  level: 'baseline',
  versions: [
    { since: 0, find: finds(FIRST) },
    { since: 27, find: finds(OF_27) },
    { since: 29, find: finds(OF_29) },
  ],
};
