/**
 * What is counted of requests, under Kubernetes' own names: totals, durations, sizes, those in flight
 * and those that run long. Requests that were refused before they reached a handler count nowhere
 * but among the authentications, as there, and of what is no resource only health and OpenAPI v3 count. Specification: "Metrics".
 */
import type { RequestObserver } from '../request/request-observer.ts';
import type { Exchange } from '../request/exchange.ts';
import { CONNECTING, isTrueParameter, type RequestInfo } from '../request/request-info.ts';
import type { ApiResponse } from '../request/request.ts';
import type { MetricFamily } from '../../api/exposition.ts';
import { Histogram, Tally } from './instruments.ts';

const TARGET = ['group', 'resource', 'scope', 'subresource', 'verb', 'version'] as const;
const OF_REQUEST = ['component', 'dry_run', ...TARGET] as const;
const OF_TARGET = ['component', ...TARGET] as const;

const DURATION_BUCKETS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const SLI_BUCKETS = DURATION_BUCKETS.slice(2);
const SIZE_BUCKETS = [1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000];
const MUTATING: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const MS_PER_SECOND = 1_000;

const REQUESTS_HELP =
  '[STABLE] Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.';

export class RequestMetrics implements RequestObserver {
  readonly #total = new Tally('counter', {
    name: 'apiserver_request_total',
    help: REQUESTS_HELP,
    labels: ['code', ...OF_REQUEST],
  });
  readonly #durations = new Histogram({
    name: 'apiserver_request_duration_seconds',
    help: '[STABLE] Response latency distribution in seconds for each verb, dry run value, group, version, resource, subresource, scope and component.',
    labels: OF_REQUEST,
    buckets: DURATION_BUCKETS,
  });
  readonly #sliDurations = new Histogram({
    name: 'apiserver_request_sli_duration_seconds',
    help: '[ALPHA] Response latency distribution (not counting webhook duration and priority & fairness queue wait times) in seconds for each verb, group, version, resource, subresource, scope and component.',
    labels: OF_TARGET,
    buckets: SLI_BUCKETS,
  });
  readonly #sizes = new Histogram({
    name: 'apiserver_response_sizes',
    help: '[STABLE] Response size distribution in bytes for each group, version, verb, resource, subresource, scope and component.',
    labels: OF_TARGET,
    buckets: SIZE_BUCKETS,
  });
  readonly #longRunning = new Tally('gauge', {
    name: 'apiserver_longrunning_requests',
    help: '[STABLE] Gauge of all active long-running apiserver requests broken out by verb, group, version, resource, scope and component. Not all requests are tracked this way.',
    labels: OF_TARGET,
  });
  readonly #inFlight = new Tally('gauge', {
    name: 'apiserver_current_inflight_requests',
    help: '[STABLE] Maximal number of currently used inflight request limit of this apiserver per request kind in last second.',
    labels: ['request_kind'],
  });
  readonly #authentications = new Tally('counter', {
    name: 'authentication_attempts',
    help: '[ALPHA] Counter of authenticated attempts.',
    labels: ['result'],
  });
  readonly #users = new Tally('counter', {
    name: 'authenticated_user_requests',
    help: '[ALPHA] Counter of authenticated requests broken out by username.',
    labels: ['username'],
  });
  readonly #authenticated = new WeakSet<Exchange>();

  constructor() {
    this.#inFlight.add({ request_kind: 'mutating' }, 0);
    this.#inFlight.add({ request_kind: 'readOnly' }, 0);
  }

  started(exchange: Exchange): void {
    this.#inFlight.add({ request_kind: kindOf(exchange) });
  }

  authenticated(exchange: Exchange): void {
    this.#authenticated.add(exchange);
    this.#authentications.add({ result: 'success' });
    this.#users.add({ username: exchange.user.name === 'system:anonymous' ? 'system:anonymous' : 'other' });
  }

  responded(exchange: Exchange, { body }: ApiResponse): void {
    this.#inFlight.add({ request_kind: kindOf(exchange) }, -1);
    if (!this.#authenticated.has(exchange)) this.#authentications.add({ result: 'failure' });
    if (body.kind === 'stream') this.#longRunning.add(targetLabels(exchange));
  }

  completed(exchange: Exchange, response: ApiResponse, streamed?: number): void {
    const target = targetLabels(exchange);
    const isStream = response.body.kind === 'stream';
    if (isStream) this.#longRunning.add(target, -1);
    if (!isCounted(exchange)) return;
    const request = { ...target, dry_run: dryRunLabel(exchange.request.query.all('dryRun')) };
    this.#total.add({ ...request, code: String(response.status) });
    const seconds = (exchange.server.surroundings.wallMs() - exchange.receivedMs) / MS_PER_SECOND;
    this.#durations.observe(request, seconds);
    if (exchange.info.verb !== 'watch') this.#sliDurations.observe(target, seconds);
    const size = isStream && exchange.request.wire ? streamed : sizeOf(response);
    if (size !== undefined && isRead(exchange)) this.#sizes.observe(target, size);
  }

  families(): readonly MetricFamily[] {
    const { samples, type } = this.#total.family();
    // What it was called before.
    const former: MetricFamily = { name: 'apiserver_request_count', help: REQUESTS_HELP, type, samples };
    const instruments = [
      this.#total,
      this.#durations,
      this.#sliDurations,
      this.#sizes,
      this.#longRunning,
      this.#inFlight,
      this.#authentications,
      this.#users,
    ];
    return [former, ...instruments.map((instrument) => instrument.family())];
  }
}

const kindOf = ({ request }: Exchange): string => (MUTATING.has(request.method) ? 'mutating' : 'readOnly');

const HEALTH: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz']);
const OPENAPI = /^\/openapi\/v3(\/|$)/;

const isCounted = ({ target, info, isUnrouted }: Exchange): boolean =>
  target !== undefined
    ? !isUnrouted
    : !info.isResourceRequest && (HEALTH.has(info.path) || OPENAPI.test(info.path));

function targetLabels(exchange: Exchange): Readonly<Record<(typeof OF_TARGET)[number], string>> {
  const { info, target } = exchange;
  const isResource = target !== undefined;
  return {
    component: isResource ? 'apiserver' : '',
    group: isResource ? info.group : '',
    resource: isResource ? info.resource : '',
    scope: isResource ? scopeOf(info) : '',
    subresource: isResource ? info.subresource : placeOf(info.path),
    verb: verbOf(exchange),
    version: isResource ? info.version : '',
  };
}

/** The documents of all groups count as one. */
const placeOf = (path: string): string => {
  const [, rest] = OPENAPI.exec(path) ?? [];
  return rest === undefined ? path : `openapi/v3${rest}`;
};

function scopeOf({ name, verb, namespace }: RequestInfo): string {
  if (name !== '' || verb === 'create') return 'resource';
  return namespace === '' ? 'cluster' : 'namespace';
}

const METHOD_VERBS: ReadonlySet<string> = new Set(['list', 'watch']);
const APPLY = 'application/apply-patch+yaml';

const isConnect = ({ target, info }: Exchange): boolean =>
  target?.resource.isCustom === false && CONNECTING.has(info.subresource);

function verbOf(exchange: Exchange): string {
  const { info, target, request } = exchange;
  const { method, query, headers } = request;
  if (isConnect(exchange)) return 'CONNECT';
  if (METHOD_VERBS.has(info.verb)) return info.verb.toUpperCase();
  // Whoever asks for one object gets it, and counts as if it were watched.
  if (info.verb === 'get' && isTrueParameter(query.first('watch'))) return 'WATCH';
  if (method === 'HEAD' && target === undefined) return 'GET';
  // To the letter.
  if (method === 'PATCH' && headers['content-type'] === APPLY) return 'APPLY';
  return MUTATING.has(method) || method === 'GET' || method === 'HEAD' ? method : 'other';
}

/** Only how large is, what is read, counts; not of every watch. Outside of resources all is read. */
function isRead(exchange: Exchange): boolean {
  const { target, info, request } = exchange;
  if (!target) return true;
  if (info.verb === 'watch' && (info.isLegacyWatch || target.resource.isCustom)) return false;
  return request.method === 'GET' && !isConnect(exchange);
}

function dryRunLabel(values: readonly string[]): string {
  if (values.length === 0) return '';
  return values.every((value) => value === 'All') ? 'All' : 'invalid';
}

function sizeOf({ body }: ApiResponse): number | undefined {
  if (body.kind === 'none') return 0;
  if (body.kind === 'bytes') return (body.head?.length ?? 0) + body.bytes.length;
  return body.kind === 'text' ? body.text.length : undefined;
}
