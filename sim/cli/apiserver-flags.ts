/** Options of kube-apiserver that mean something to its users but nothing here, and what to say of them. */

const NOT_MODELLED: readonly (readonly [why: string, names: readonly string[]])[] = [
  [
    'the storage is part of the simulation',
    [
      'etcd-servers',
      'etcd-servers-overrides',
      'etcd-cafile',
      'etcd-certfile',
      'etcd-keyfile',
      'etcd-prefix',
      'etcd-count-metric-poll-period',
      'etcd-db-metric-poll-interval',
      'etcd-healthcheck-timeout',
      'etcd-readycheck-timeout',
      'storage-backend',
      'storage-media-type',
      'storage-initialization-timeout',
      'encryption-provider-config',
      'encryption-provider-config-automatic-reload',
    ],
  ],
  [
    'the certificate is made for each run',
    [
      'tls-cert-file',
      'tls-private-key-file',
      'tls-cipher-suites',
      'tls-min-version',
      'tls-sni-cert-key',
      'cert-dir',
    ],
  ],
  [
    'users are known by bearer tokens alone (--token-auth-file)',
    [
      'client-ca-file',
      'oidc-issuer-url',
      'oidc-client-id',
      'oidc-username-claim',
      'oidc-groups-claim',
      'oidc-ca-file',
      'authentication-config',
      'authentication-token-webhook-config-file',
      'requestheader-client-ca-file',
      'requestheader-allowed-names',
      'requestheader-username-headers',
      'requestheader-group-headers',
      'requestheader-extra-headers-prefix',
      'proxy-client-cert-file',
      'proxy-client-key-file',
      'enable-bootstrap-token-auth',
    ],
  ],
  ['services get addresses out of 10.96.0.0/16', ['service-cluster-ip-range']],
  [
    'access is decided by --authorization-mode',
    ['authorization-config', 'authorization-policy-file', 'authorization-webhook-config-file'],
  ],
  [
    'audit events go to --audit-log-path, each as it happens',
    [
      'audit-log-format',
      'audit-log-mode',
      'audit-log-maxage',
      'audit-log-maxbackup',
      'audit-log-maxsize',
      'audit-log-compress',
      'audit-log-version',
      'audit-webhook-config-file',
      'audit-webhook-mode',
    ],
  ],
  [
    'requests do not queue',
    ['max-requests-inflight', 'max-mutating-requests-inflight', 'enable-priority-and-fairness'],
  ],
  [
    'nodes are part of the simulation',
    [
      'kubelet-client-certificate',
      'kubelet-client-key',
      'kubelet-certificate-authority',
      'kubelet-preferred-address-types',
      'kubelet-timeout',
      'egress-selector-config-file',
    ],
  ],
  [
    'it is not part of what is simulated',
    [
      'advertise-address',
      'allow-privileged',
      'service-account-issuer',
      'service-account-key-file',
      'service-account-signing-key-file',
      'service-node-port-range',
      'apiserver-count',
      'endpoint-reconciler-type',
      'enable-aggregator-routing',
      'profiling',
      'tracing-config-file',
      'cors-allowed-origins',
      'event-ttl',
      'goaway-chance',
      'shutdown-delay-duration',
      'external-hostname',
      'vmodule',
      'watch-cache',
      'default-watch-cache-size',
      'watch-cache-sizes',
      'admission-control-config-file',
      'enable-admission-plugins',
      'min-request-timeout',
      'request-timeout',
      'delete-collection-workers',
    ],
  ],
];

/** What is wrong with an argument that no option of `kubesim serve` took. */
export function strangerProblem(argument: string): string {
  const name = /^--([^=]+)/.exec(argument)?.[1];
  if (name === undefined) return `unexpected argument '${argument}'`;
  for (const [why, names] of NOT_MODELLED) {
    if (names.includes(name)) return `--${name} of kube-apiserver is not modelled: ${why}`;
  }
  return `unknown option '--${name}'`;
}
