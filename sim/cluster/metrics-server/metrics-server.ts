/**
 * A metrics server: one actor that reads from all agents what their nodes and containers use, and answers
 * `metrics.k8s.io` with it, behind an APIService. Like the usual one it reads every 15 s; unlike that one it stops when
 * nobody has asked for a minute, and begins with two readings when somebody does. What it read is lost with its life.
 */
import { PORT } from './metrics-objects.ts';
import type { HttpAnswer, HttpCall } from '../../api/http-call.ts';
import { objectBody } from '../../api/http-call.ts';
import type { ApiObject } from '../../api/object.ts';
import { ApiError, notFound } from '../../api/status.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import { ApiClient } from '../../client/api-client.ts';
import { isCallFailure } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { serveHttp } from '../../client/http-port.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import type { Simulation } from '../../engine/simulation.ts';
import { seconds } from '../../engine/time.ts';
import { MetricsReadings } from './metrics-readings.ts';
import {
  listOf,
  METRICS_GROUP,
  METRICS_RESOURCES,
  type MetricsObject,
  nodeMetrics,
  podMetrics,
} from './metrics-documents.ts';

const { nodes, pods } = BUILTIN_HANDLES;
/** Who it is for the API and for agents. */
const METRICS_USER = {
  name: 'system:serviceaccount:kube-system:metrics-server',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
};
const ROOT = `/apis/${METRICS_GROUP}/v1beta1`;
/** Any version of an object will do. */
const ANY = { resourceVersion: '0', timeout: seconds(10) } as const;

/** Under the name of its actor, from the next step of the simulation on; `servers`: names of the API servers. */
export function startMetricsServer(simulation: Simulation, name: string, servers: readonly string[]): void {
  simulation.actor(name, { start: (context) => serve(context, servers) });
}

// oxlint-disable-next-line require-yield -- it only begins to listen
function* serve(context: Context, servers: readonly string[]): Process<void> {
  const client = new ApiClient({ context, servers, user: METRICS_USER, userAgent: 'metrics-server' });
  const readings = new MetricsReadings(client, METRICS_USER);
  serveHttp(context, PORT, (call) => answer(call, new Question(client, readings)));
}

function* answer(call: HttpCall, question: Question): Process<HttpAnswer> {
  try {
    return { status: 200, headers: JSON_TYPE, body: objectBody(yield* documentOf(call, question)) };
  } catch (error) {
    if (!isCallFailure(error)) throw error;
    const status = error instanceof ApiError ? error.status : UNREACHABLE.status;
    return { status: status.code, headers: JSON_TYPE, body: objectBody(status) };
  }
}

const JSON_TYPE = { 'content-type': 'application/json' };
const UNREACHABLE = new ApiError({
  reason: 'ServiceUnavailable',
  message: 'the API server is not reachable',
});

function* documentOf({ method, path }: HttpCall, question: Question): Process<object> {
  const [plain = '', query = ''] = path.split('?', 2);
  const parts = plain
    .slice(ROOT.length + 1)
    .split('/')
    .map(decodeURIComponent);
  if (!plain.startsWith(ROOT)) throw UNKNOWN;
  if (method !== 'GET') throw NOT_ALLOWED;
  const selectors = selectorsIn(query);
  const [first = '', second, third, fourth] = parts;
  if (plain === ROOT) return METRICS_RESOURCES;
  if (first === 'nodes' && parts.length <= 2)
    return second === undefined ? yield* question.nodes(selectors) : yield* question.node(second);
  if (first === 'pods' && parts.length === 1) return yield* question.pods('', selectors);
  if (first !== 'namespaces' || second === undefined || third !== 'pods' || parts.length > 4) throw UNKNOWN;
  return fourth === undefined ? yield* question.pods(second, selectors) : yield* question.pod(second, fourth);
}

const UNKNOWN = new ApiError({
  reason: 'NotFound',
  message: 'the server could not find the requested resource',
  details: {},
});
const NOT_ALLOWED = new ApiError({
  reason: 'MethodNotAllowed',
  message: 'the server does not allow this method on the requested resource',
  details: {},
});

interface Selectors {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

function selectorsIn(query: string): Selectors {
  const values = new URLSearchParams(query);
  const [labelSelector, fieldSelector] = [values.get('labelSelector'), values.get('fieldSelector')];
  return { ...(labelSelector && { labelSelector }), ...(fieldSelector && { fieldSelector }) };
}

/** One request: which objects there are says the API, what they use the readings. */
class Question {
  readonly #client: ApiClient;
  readonly #readings: MetricsReadings;

  constructor(client: ApiClient, readings: MetricsReadings) {
    this.#client = client;
    this.#readings = readings;
  }

  *nodes(selectors: Selectors): Process<object> {
    const { items } = yield* this.#client.list(nodes, { ...selectors, ...ANY });
    yield* this.#readings.fresh();
    return listOf('NodeMetrics', items.flatMap((node) => this.#ofNode(node) ?? []).sort(byName));
  }

  *node(name: string): Process<object> {
    const node = yield* this.#client.get(nodes, name, ANY);
    yield* this.#readings.fresh();
    const metrics = this.#ofNode(node);
    if (!metrics) throw notFound({ group: METRICS_GROUP, resource: 'nodemetrics' }, name);
    return metrics;
  }

  *pods(namespace: string, selectors: Selectors): Process<object> {
    const { items } = yield* this.#client.list(pods, { namespace, ...selectors, ...ANY });
    yield* this.#readings.fresh();
    return listOf('PodMetrics', items.flatMap((pod) => this.#ofPod(pod) ?? []).sort(byName));
  }

  *pod(namespace: string, name: string): Process<object> {
    const key = `${namespace}/${name}`;
    const pod = yield* this.#client.get(pods, { namespace, name }, ANY);
    yield* this.#readings.fresh();
    const metrics = this.#ofPod(pod);
    if (!metrics) throw notFound({ group: METRICS_GROUP, resource: 'podmetrics' }, key);
    return metrics;
  }

  #ofNode({ metadata }: ApiObject): MetricsObject | undefined {
    const sample = this.#readings.ofNode(metadata.name ?? '');
    return sample && nodeMetrics(metadata, sample, this.#client.context.wallMs());
  }

  #ofPod({ metadata, spec, status }: Pod): MetricsObject | undefined {
    if (status?.phase !== 'Running') return undefined;
    const key = `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
    const samples = this.#readings.ofPod(spec?.nodeName ?? '', key);
    return samples && podMetrics(metadata, samples, this.#client.context.wallMs());
  }
}

const byName = (a: MetricsObject, b: MetricsObject): number => (keyOf(a) < keyOf(b) ? -1 : 1);
const keyOf = ({ metadata: { namespace = '', name = '' } }: MetricsObject): string => `${namespace}/${name}`;
