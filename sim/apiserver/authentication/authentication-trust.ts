/**
 * Tells aggregated servers, in a ConfigMap, whom this server believes and by which certificate they know it when it asks
 * on behalf of somebody else. Specification: not shown: Kubernetes 1.31 as kubeadm sets it up.
 */
import { type ConfigMapHost, KeptConfigMap } from '../stores/kept-config-map.ts';

/** Each in PEM, one or several. */
export interface AuthenticationTrust {
  /** Authorities of users' certificates. */
  readonly clientAuthorities?: string;
  /** Authority of the certificate that this server shows as a proxy; its name is `FRONT_PROXY`. */
  readonly proxyAuthority?: string;
}

export const FRONT_PROXY = 'front-proxy-client';
const NAME = 'extension-apiserver-authentication';

export function keepTrust(host: ConfigMapHost, trust: AuthenticationTrust): KeptConfigMap | undefined {
  const wanted = dataOf(trust);
  if (Object.keys(wanted).length === 0) return undefined;
  return KeptConfigMap.start(host, {
    name: NAME,
    data: (present = {}) => {
      const isSaid = Object.entries(wanted).every(([name, value]) => present[name] === value);
      return isSaid ? present : { ...present, ...wanted };
    },
  });
}

const dataOf = ({ clientAuthorities, proxyAuthority }: AuthenticationTrust): Record<string, string> => ({
  ...(clientAuthorities !== undefined && { 'client-ca-file': asFile(clientAuthorities) }),
  ...(proxyAuthority !== undefined && {
    'requestheader-allowed-names': JSON.stringify([FRONT_PROXY]),
    'requestheader-client-ca-file': asFile(proxyAuthority),
    'requestheader-extra-headers-prefix': JSON.stringify(['X-Remote-Extra-']),
    'requestheader-group-headers': JSON.stringify(['X-Remote-Group']),
    'requestheader-username-headers': JSON.stringify(['X-Remote-User']),
  }),
});

const asFile = (pem: string): string => (pem.endsWith('\n') ? pem : `${pem}\n`);
