/**
 * Metrics of pods, of single objects and of things outside, as one reads them: from `custom.metrics.k8s.io` and
 * `external.metrics.k8s.io`, whoever serves those. Kubernetes 1.31.
 */
import type { CrossVersionObjectReference, MetricIdentifier } from '../../api/types/autoscaling-v2.ts';
import type { LabelSelector } from '../../api/types/meta-k8s-io-v1.ts';
import { compareStrings } from '../../api/go-text.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isCallFailure } from '../../client/api-failure.ts';
import { Discovery } from '../../client/discovery/discovery.ts';
import type { Query } from '../../client/protocol.ts';
import type { Process } from '../../engine/process.ts';
import { answerText } from './metrics-reader.ts';
import { MetricFailure, milliOf, type PodUsage, type Usages } from './replica-count.ts';

export interface PodsMetricQuestion {
  readonly namespace: string;
  /** Text of a label selector. */
  readonly selector: string;
  readonly metric: MetricIdentifier;
}

/** Amounts are thousandths. */
export interface CustomMetricsReader {
  /** @throws MetricFailure */
  ofPods(question: PodsMetricQuestion): Process<Usages>;
  /** @throws MetricFailure */
  ofObject(namespace: string, object: CrossVersionObjectReference, metric: MetricIdentifier): Process<number>;
  /** The sum of all values. @throws MetricFailure */
  external(namespace: string, metric: MetricIdentifier): Process<number>;
}

/** As far as it is read here: `MetricValueList` or `ExternalMetricValueList`. */
interface ValueList {
  readonly items?: readonly {
    readonly describedObject?: { readonly name?: string };
    readonly value?: string;
  }[];
}

const CUSTOM = 'custom.metrics.k8s.io';
const EXTERNAL = 'external.metrics.k8s.io';
/** Those that clients know. */
const VERSIONS = ['v1beta2', 'v1beta1'].map((version) => `${CUSTOM}/${version}`);

export class ApiCustomMetricsReader implements CustomMetricsReader {
  readonly #client: ApiClient;
  readonly #discovery: Discovery;

  constructor(client: ApiClient) {
    this.#client = client;
    this.#discovery = new Discovery(client);
  }

  *ofPods({ namespace, selector, metric }: PodsMetricQuestion): Process<Usages> {
    const items = yield* this.#custom({ namespace, resource: 'pods', name: '*', metric, selector });
    if (items.length === 0) throw new MetricFailure('no metrics returned from custom metrics API');
    return new Map(
      items.map(({ describedObject, value = '0' }): [string, PodUsage] => [
        describedObject?.name ?? '',
        { value: milliOf(value), atMs: 0, windowMs: 0 },
      ]),
    );
  }

  *ofObject(
    namespace: string,
    { apiVersion = '', kind, name }: CrossVersionObjectReference,
    metric: MetricIdentifier,
  ): Process<number> {
    const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
    const items = yield* kind === 'Namespace' && group === ''
      ? this.#custom({ namespace, resource: 'metrics', metric })
      : this.#custom({ namespace, kind, group, name, metric });
    const [only] = items;
    if (!only || items.length > 1)
      throw new MetricFailure(
        `${UNFETCHED}the custom metrics API server returned ${items.length} results when we asked for exactly one`,
      );
    return milliOf(only.value ?? '0');
  }

  *external(namespace: string, { name, selector }: MetricIdentifier): Process<number> {
    const query = queryOf({ labelSelector: selectorQuery(selector) });
    const what = `${name}.${EXTERNAL}`;
    const path = `/apis/${EXTERNAL}/v1beta1/namespaces/${namespace}/${encodeURIComponent(name)}`;
    const prefix = 'unable to fetch metrics from external metrics API: ';
    const { items = [] } = yield* this.#read(path, query, { prefix, what });
    if (items.length === 0) throw new MetricFailure('no metrics returned from external metrics API');
    return items.reduce((sum, { value = '0' }) => sum + milliOf(value), 0);
  }

  *#custom(asked: CustomQuestion): Process<NonNullable<ValueList['items']>> {
    const version = yield* this.#version();
    const resource = asked.resource ?? (yield* this.#resourceOf(asked.group ?? '', asked.kind ?? ''));
    const { namespace, name, metric, selector } = asked;
    const parts = [
      version,
      'namespaces',
      namespace,
      resource,
      ...(name === undefined ? [] : [name]),
      metric.name,
    ];
    const query = queryOf({ labelSelector: selector, metricLabelSelector: selectorQuery(metric.selector) });
    const what = `${resource}.${CUSTOM} ${name ?? metric.name}`;
    const path = `/apis/${parts.map((part) => part.split('/').map(encodeURIComponent).join('/')).join('/')}`;
    return (yield* this.#read(path, query, { prefix: UNFETCHED, what })).items ?? [];
  }

  /** The one that its server prefers, if it is known. */
  *#version(): Process<string> {
    const groups = (yield* this.#read('/apis', {}, { prefix: UNFETCHED, what: 'groups' })) as GroupList;
    const group = groups.groups?.find(({ name }) => name === CUSTOM);
    if (!group) throw new MetricFailure(`${UNFETCHED}no custom metrics API (${CUSTOM}) registered`);
    const preferred = group.preferredVersion?.groupVersion ?? '';
    const served = [preferred, ...(group.versions ?? []).map(({ groupVersion }) => groupVersion)];
    const known = served.find((version) => VERSIONS.includes(version));
    if (known === undefined) throw new MetricFailure(`${UNFETCHED}no known available metric versions found`);
    return known;
  }

  *#resourceOf(group: string, kind: string): Process<string> {
    const { preferred } = yield* this.#discovery.served();
    const found = preferred.find(({ handle }) => handle.group === group && handle.kind === kind)?.handle;
    if (found) return group === '' ? found.resource : `${found.resource}.${group}`;
    const kindText = group === '' ? kind : `${kind}.${group}`;
    throw new MetricFailure(
      `${UNFETCHED}unable to map kind ${kindText} to resource: no matches for kind "${kind}" in group "${group}"`,
    );
  }

  *#read(
    path: string,
    query: Query,
    { prefix, what }: { readonly prefix: string; readonly what: string },
  ): Process<ValueList> {
    try {
      return (yield* this.#client.read(path, 'application/json', query)) as ValueList;
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      throw new MetricFailure(`${prefix}${answerText(error, 'get', what)}`);
    }
  }
}

interface CustomQuestion {
  readonly namespace: string;
  /** Default: that of `group` and `kind`. */
  readonly resource?: string;
  readonly group?: string;
  readonly kind?: string;
  /** Of the object; `*`: those that the selector matches. */
  readonly name?: string;
  readonly metric: MetricIdentifier;
  readonly selector?: string;
}

/** As far as it is read here. */
interface GroupList {
  readonly groups?: readonly {
    readonly name: string;
    readonly versions?: readonly { readonly groupVersion: string }[];
    readonly preferredVersion?: { readonly groupVersion: string };
  }[];
}

const UNFETCHED = 'unable to fetch metrics from custom metrics API: ';

const queryOf = (given: Query): Query =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== ''));

/** As it stands in a query; empty: everything. */
function selectorQuery({ matchLabels = {}, matchExpressions = [] }: LabelSelector = {}): string {
  const labels = Object.entries(matchLabels).map(([key, value]) => [key, `${key}=${value}`] as const);
  const expressions = matchExpressions.map(({ key, operator, values = [] }) => {
    const among = `(${values.toSorted(compareStrings).join()})`;
    if (operator === 'In') return [key, `${key} in ${among}`] as const;
    if (operator === 'NotIn') return [key, `${key} notin ${among}`] as const;
    return [key, operator === 'Exists' ? key : `!${key}`] as const;
  });
  return [...labels, ...expressions]
    .toSorted(([one], [other]) => compareStrings(one, other))
    .map(([, text]) => text)
    .join();
}
