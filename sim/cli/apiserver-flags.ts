/** Options of kube-apiserver beside those of `kubesim serve`: which are taken though they mean nothing here, and what to say of the others. */

const NOT_MODELLED: readonly (readonly [why: string, names: readonly string[]])[] = [
  [
    'the storage is part of the simulation',
    ['encryption-provider-config', 'encryption-provider-config-automatic-reload'],
  ],
  ['there is one certificate (--tls-cert-file)', ['tls-sni-cert-key']],
  [
    'users are known by bearer tokens (--token-auth-file, --authentication-config) and client certificates (--client-ca-file)',
    [
      'oidc-issuer-url',
      'oidc-client-id',
      'oidc-username-claim',
      'oidc-groups-claim',
      'oidc-ca-file',
      'authentication-token-webhook-config-file',
    ],
  ],
  ['access is decided by roles (--authorization-mode=RBAC) and webhooks', ['authorization-policy-file']],
  [
    'audit events go to --audit-log-path, each as it happens',
    ['audit-webhook-config-file', 'audit-webhook-mode'],
  ],
  ['nodes are part of the simulation', ['egress-selector-config-file']],
  [
    'it is not part of what is simulated',
    ['tracing-config-file', 'cors-allowed-origins', 'admission-control-config-file'],
  ],
];

/** Options that the starts of real servers have, and that mean nothing here. */
const TAKEN: readonly (readonly [why: string, names: readonly string[]])[] = [
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
    ],
  ],
  [
    'tokens of service accounts are signed by no key',
    [
      'service-account-key-file',
      'service-account-signing-key-file',
      'service-account-lookup',
      'service-account-extend-token-expiration',
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
    ],
  ],
  [
    'there are no aggregated servers',
    [
      'requestheader-client-ca-file',
      'requestheader-allowed-names',
      'requestheader-username-headers',
      'requestheader-group-headers',
      'requestheader-extra-headers-prefix',
      'proxy-client-cert-file',
      'proxy-client-key-file',
      'enable-aggregator-routing',
    ],
  ],
  [
    'each audit event is written as it happens',
    [
      'audit-log-format',
      'audit-log-mode',
      'audit-log-maxage',
      'audit-log-maxbackup',
      'audit-log-maxsize',
      'audit-log-compress',
      'audit-log-version',
    ],
  ],
  [
    'it changes nothing here',
    [
      'apiserver-count',
      'endpoint-reconciler-type',
      'profiling',
      'event-ttl',
      'goaway-chance',
      'shutdown-delay-duration',
      'external-hostname',
      'vmodule',
      'v',
      'logging-format',
      'watch-cache',
      'default-watch-cache-size',
      'watch-cache-sizes',
      'min-request-timeout',
      'request-timeout',
      'delete-collection-workers',
      'tls-cipher-suites',
      'tls-min-version',
      'enable-bootstrap-token-auth',
      'livez-grace-period',
      'permit-port-sharing',
      'permit-address-sharing',
      'http2-max-streams-per-connection',
      'contention-profiling',
    ],
  ],
  ['services get addresses out of 10.96.0.0/16', ['service-cluster-ip-range']],
  ['services get ports out of 30000-32767', ['service-node-port-range']],
  ['the issuer is kubernetes.default.svc.cluster.local', ['service-account-issuer']],
  ['all plugins run that are modelled, but for --disable-admission-plugins', ['enable-admission-plugins']],
];

/** Those that stand alone, or with a value behind `=`; others may have it in the next word. */
const BOOLEAN: ReadonlySet<string> = new Set([
  'audit-log-compress',
  'contention-profiling',
  'enable-aggregator-routing',
  'enable-bootstrap-token-auth',
  'enable-priority-and-fairness',
  'permit-address-sharing',
  'permit-port-sharing',
  'profiling',
  'service-account-extend-token-expiration',
  'service-account-lookup',
  'watch-cache',
]);

export interface Strangers {
  /** What was taken, each with why it counts for nothing. */
  readonly notices: readonly string[];
  /** What is wrong with the first of the others; undefined: nothing. */
  readonly problem: string | undefined;
}

/** Looks through the words that no option of `kubesim serve` took. */
export function sortStrangers(words: readonly string[]): Strangers {
  const notices: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const [, name = '', value] = /^--([^=]+)(=.*)?$/s.exec(word) ?? [];
    const why = TAKEN.find(([, names]) => names.includes(name))?.[0];
    if (why === undefined) return { notices, problem: strangerProblem(word) };
    notices.push(`--${name} counts for nothing: ${why}`);
    const isNextItsValue = value === undefined && !BOOLEAN.has(name) && !/^--/.test(words[index + 1] ?? '--');
    if (isNextItsValue) index += 1;
  }
  return { notices, problem: undefined };
}

/** What is wrong with an argument that no option of `kubesim serve` took. */
function strangerProblem(argument: string): string {
  const name = /^--([^=]+)/.exec(argument)?.[1];
  if (name === undefined) return `unexpected argument '${argument}'`;
  for (const [why, names] of NOT_MODELLED) {
    if (names.includes(name)) return `--${name} of kube-apiserver is not modelled: ${why}`;
  }
  return `unknown option '--${name}'`;
}
