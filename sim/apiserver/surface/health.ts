/** `/healthz`, `/livez`, `/readyz` and their single checks. Specification: "Health endpoints". */
import type { Exchange } from '../request/exchange.ts';
import { pageNotFound } from '../stages/route.ts';

export type HealthEndpoint = 'healthz' | 'livez' | 'readyz';

const HOOKS = [
  'start-apiserver-admission-initializer',
  'generic-apiserver-start-informers',
  'priority-and-fairness-config-consumer',
  'priority-and-fairness-filter',
  'storage-object-count-tracker-hook',
  'start-apiextensions-informers',
  'start-apiextensions-controllers',
  'crd-informer-synced',
  'start-system-namespaces-controller',
  'start-cluster-authentication-info-controller',
  'start-kube-apiserver-identity-lease-controller',
  'start-kube-apiserver-identity-lease-garbage-collector',
  'start-legacy-token-tracking-controller',
  'start-service-ip-repair-controllers',
  'rbac/bootstrap-roles',
  'scheduling/bootstrap-system-priority-classes',
  'priority-and-fairness-config-producer',
  'bootstrap-controller',
  'start-kube-aggregator-informers',
  'apiservice-status-local-available-controller',
  'apiservice-status-remote-available-controller',
  'apiservice-registration-controller',
  'apiservice-discovery-controller',
  'kube-apiserver-autoregistration',
].map((name) => `poststarthook/${name}`);

const LAST = [
  'autoregister-completion',
  'poststarthook/apiservice-openapi-controller',
  'poststarthook/apiservice-openapiv3-controller',
];
const COMMON = ['ping', 'log', 'etcd'];

/** Names of the checks of each endpoint, in their order. */
const CHECKS: Readonly<Record<HealthEndpoint, readonly string[]>> = {
  healthz: [...COMMON, ...HOOKS, ...LAST],
  livez: [...COMMON, ...HOOKS, ...LAST],
  readyz: [...COMMON, 'etcd-readiness', 'informer-sync', ...HOOKS, ...LAST, 'shutdown'],
};

/** Every check with its endpoint. */
export const ALL_CHECKS: readonly { readonly endpoint: HealthEndpoint; readonly name: string }[] = (
  ['healthz', 'livez', 'readyz'] as const
).flatMap((endpoint) => CHECKS[endpoint].map((name) => ({ endpoint, name })));

/** Paths of single checks below an endpoint. */
export const healthPaths = (): readonly string[] =>
  Object.entries(CHECKS).flatMap(([endpoint, names]) => [
    `/${endpoint}`,
    ...names.map((name) => `/${endpoint}/${name}`),
  ]);

/** `check` is what stands behind the endpoint's slash; undefined for all of them together. */
export function serveHealth(exchange: Exchange, endpoint: HealthEndpoint, check: string | undefined): void {
  const { server } = exchange;
  const failing = server.failingChecks;
  if (check !== undefined) {
    if (!CHECKS[endpoint].includes(check)) pageNotFound(exchange);
    else if (failing.has(check)) exchange.respondText(500, `internal server error: ${check} check failed\n`);
    else exchange.respondText(200, 'ok');
    return;
  }
  const excluded = new Set(exchange.request.query.all('exclude'));
  const lines = CHECKS[endpoint].map((name) => {
    if (excluded.has(name)) return `[+]${name} excluded: ok`;
    return failing.has(name) ? `[-]${name} failed: reason withheld` : `[+]${name} ok`;
  });
  const unknown = [...excluded].filter((name) => !CHECKS[endpoint].includes(name));
  if (unknown.length > 0) {
    const names = unknown.map((name) => JSON.stringify(name)).join(',');
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
  }
  const isFailing = lines.some((line) => line.startsWith('[-]'));
  if (isFailing) exchange.respondText(500, `${lines.join('\n')}\n${endpoint} check failed\n`);
  else if (exchange.request.query.has('verbose'))
    exchange.respondText(200, `${lines.join('\n')}\n${endpoint} check passed\n`);
  else exchange.respondText(200, 'ok');
}
