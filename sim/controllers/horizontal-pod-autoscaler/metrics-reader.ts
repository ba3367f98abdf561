/** What pods use, as one reads it: from the API `metrics.k8s.io`, whoever serves that. */
import { ApiError } from '../../api/status.ts';
import { parseTime, parseDuration } from '../../api/time-format.ts';
import type { ApiObject } from '../../api/object.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isCallFailure } from '../../client/api-failure.ts';
import type { ResourceHandle } from '../../client/resource-handle.ts';
import type { Process } from '../../engine/process.ts';
import { messageOf } from '../workload/pod-control.ts';
import { MetricFailure, milliOf, type PodUsage, type Usages } from './replica-count.ts';

export interface UsageQuestion {
  readonly namespace: string;
  /** Text of a label selector. */
  readonly selector: string;
  readonly resource: string;
  /** Empty: all containers. */
  readonly container: string;
}

export interface MetricsReader {
  /** @throws MetricFailure */
  usagesOf(question: UsageQuestion): Process<Usages>;
}

/** As far as it is read here. */
type PodMetrics = ApiObject & {
  readonly timestamp?: string;
  readonly window?: string;
  readonly containers?: readonly {
    readonly name: string;
    readonly usage?: Readonly<Record<string, string>>;
  }[];
};

const POD_METRICS: ResourceHandle<PodMetrics> = {
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  resource: 'pods',
  kind: 'PodMetrics',
  isNamespaced: true,
};

export class ApiMetricsReader implements MetricsReader {
  readonly #client: ApiClient;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  *usagesOf({ namespace, selector, resource, container }: UsageQuestion): Process<Usages> {
    const items = yield* this.#list(namespace, selector);
    if (items.length === 0) throw new MetricFailure('no metrics returned from resource metrics API');
    const usages = new Map<string, PodUsage>();
    for (const metrics of items) {
      const value = valueOf(metrics, resource, container);
      if (value !== undefined) usages.set(metrics.metadata.name ?? '', { value, ...timesOf(metrics) });
    }
    return usages;
  }

  *#list(namespace: string, labelSelector: string): Process<readonly PodMetrics[]> {
    try {
      return (yield* this.#client.list(POD_METRICS, { namespace, labelSelector })).items;
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      const message = answerText(error, 'get', 'pods.metrics.k8s.io');
      throw new MetricFailure(`unable to fetch metrics from resource metrics API: ${message}`);
    }
  }
}

/** In thousandths; undefined: it is not told. */
function valueOf(metrics: PodMetrics, resource: string, container: string): number | undefined {
  const { containers = [], metadata } = metrics;
  const asked = containers.filter(({ name }) => container === '' || name === container);
  if (container !== '' && asked.length === 0) {
    const pod = `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
    throw new MetricFailure(
      `failed to get container metrics: container ${container} not present in metrics for pod ${pod}`,
    );
  }
  const texts = asked.map(({ usage }) => usage?.[resource]);
  if (texts.length === 0 || texts.includes(undefined)) return undefined;
  return texts.reduce((sum, text = '0') => sum + milliOf(text), 0);
}

function timesOf({ timestamp, window = '0s' }: PodMetrics): Omit<PodUsage, 'value'> {
  const atMs = timestamp === undefined ? 0 : parseTime(timestamp).epochSeconds * 1000;
  return { atMs, windowMs: Number(parseDuration(window) / 1_000_000n) };
}

/** What clients make of answers that are no Status of the resource: nobody serves it, or whoever does is away. */
export function answerText(error: unknown, verb: string, what: string): string {
  if (!(error instanceof ApiError)) return messageOf(error);
  const isUnserved = error.code === 404 && !error.status.details?.kind;
  if (isUnserved) return `the server could not find the requested resource (${verb} ${what})`;
  const isAway = error.code === 503 && error.reason === '';
  return isAway ? `the server is currently unable to handle the request (${verb} ${what})` : messageOf(error);
}
