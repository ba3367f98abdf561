/** What `metrics.k8s.io/v1beta1` shows: NodeMetrics, PodMetrics, their lists, and what there is to ask for. Pure. */
import { formatQuantity, parseQuantity, quantityOf } from '../../api/quantity.ts';
import { formatTime } from '../../api/time-format.ts';
import type { ObjectMeta } from '../../api/object.ts';
import type { UsageSample } from './resource-samples.ts';

export const METRICS_GROUP = 'metrics.k8s.io';
const VERSION = `${METRICS_GROUP}/v1beta1`;

const resource = (name: string, kind: string, namespaced: boolean): object => ({
  name,
  singularName: '',
  namespaced,
  kind,
  verbs: ['get', 'list'],
});

export const METRICS_RESOURCES: object = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: VERSION,
  resources: [resource('nodes', 'NodeMetrics', false), resource('pods', 'PodMetrics', true)],
};

export interface MetricsObject {
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

const metadataOf = ({ name, namespace, labels }: ObjectMeta, nowMs: number): ObjectMeta => ({
  ...(name !== undefined && { name }),
  ...(namespace !== undefined && { namespace }),
  creationTimestamp: formatTime(nowMs),
  ...(labels && { labels }),
});

export const nodeMetrics = (node: ObjectMeta, sample: UsageSample, nowMs: number): MetricsObject =>
  ({
    kind: 'NodeMetrics',
    apiVersion: VERSION,
    metadata: metadataOf(node, nowMs),
    ...timesOf(sample),
    usage: usageOf(sample),
  }) as MetricsObject;

/** As old as its oldest sample. */
export function podMetrics(
  pod: ObjectMeta,
  samples: ReadonlyMap<string, UsageSample>,
  nowMs: number,
): MetricsObject {
  const [first, ...others] = [...samples.values()];
  const oldest = others.reduce((old, each) => (each.atMs < (old?.atMs ?? 0) ? each : old), first);
  return {
    kind: 'PodMetrics',
    apiVersion: VERSION,
    metadata: metadataOf(pod, nowMs),
    ...(oldest && timesOf(oldest)),
    containers: [...samples]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, sample]) => ({ name, usage: usageOf(sample) })),
  } as MetricsObject;
}

export const listOf = (kind: 'NodeMetrics' | 'PodMetrics', items: readonly MetricsObject[]): object => ({
  kind: `${kind}List`,
  apiVersion: VERSION,
  metadata: {},
  items,
});

const timesOf = ({ atMs, windowMs }: UsageSample): object => ({
  timestamp: formatTime(atMs),
  window: `${windowMs / 1_000}s`,
});

const NANO = 1e9;

const usageOf = ({ cores, memoryBytes }: UsageSample): object => ({
  cpu: formatQuantity(parseQuantity(`${Math.round(cores * NANO)}n`)),
  memory: formatQuantity(quantityOf(Math.round(memoryBytes), 'BinarySI')),
});
