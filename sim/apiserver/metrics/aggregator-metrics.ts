/**
 * How often discovery was aggregated, which APIServices are unavailable, and how often each has become so, under Kubernetes' own names. Specification: not shown
 * (Kubernetes: aggregation layer).
 */
import type { MetricFamily } from '../../api/exposition.ts';
import type { APIService } from '../../api/types/apiregistration-k8s-io-v1.ts';
import { Tally } from './instruments.ts';

export class AggregatorMetrics {
  readonly #losses = new Tally('counter', {
    name: 'aggregator_unavailable_apiservice_total',
    help: '[ALPHA] Counter of APIServices which are marked as unavailable broken down by APIService name and reason.',
    labels: ['name', 'reason'],
  });

  #aggregations = 0;

  /** The document of all groups is made anew. */
  aggregated(): void {
    this.#aggregations += 1;
  }

  /** One that was available is not any more. */
  lost(name: string, reason: string): void {
    this.#losses.add({ name, reason });
  }

  /** `services`: all that there are. */
  families(services: readonly APIService[]): readonly MetricFamily[] {
    return [
      {
        name: 'aggregator_discovery_aggregation_count_total',
        help: '[ALPHA] Counter of number of times discovery was aggregated',
        type: 'counter',
        samples: [{ labels: {}, value: this.#aggregations }],
      },
      {
        name: 'aggregator_unavailable_apiservice',
        help: '[ALPHA] Gauge of APIServices which are marked as unavailable broken down by APIService name.',
        type: 'gauge',
        samples: services.map(({ metadata, status }) => ({
          labels: { name: metadata.name ?? '' },
          value: status?.conditions?.some((one) => one.type === 'Available' && one.status === 'True') ? 0 : 1,
        })),
      },
      this.#losses.family(),
    ];
  }
}
