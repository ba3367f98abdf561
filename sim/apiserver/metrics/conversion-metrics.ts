/** How long conversion webhooks take, under Kubernetes' own name. Specification: not shown (Kubernetes 1.31). */
import type { MetricFamily } from '../../api/exposition.ts';
import type { ApiObject } from '../../api/object.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';
import { Histogram } from './instruments.ts';

const LEAST_SECONDS = 0.001;
const BUCKETS = Array.from({ length: 15 }, (_, index) => LEAST_SECONDS * 2 ** index);

export interface Converted {
  readonly definition: string;
  readonly from: string;
  readonly to: string;
  readonly seconds: number;
  readonly isDone: boolean;
}

interface Conversion {
  readonly definition: string;
  readonly objects: readonly ApiObject[];
  readonly apiVersion: string;
  readonly surroundings: Pick<ApiServerSurroundings, 'wallMs'>;
}

const MS_PER_SECOND = 1000;
const versionIn = (apiVersion: string): string => apiVersion.slice(apiVersion.indexOf('/') + 1);

/** Begins now; to be told whether it succeeded. */
export function meteredConversion(
  metrics: ConversionMetrics,
  { definition, objects, apiVersion, surroundings }: Conversion,
): (isDone: boolean) => void {
  const beganMs = surroundings.wallMs();
  return (isDone) =>
    metrics.converted({
      definition,
      from: versionIn(objects[0]?.apiVersion ?? ''),
      to: versionIn(apiVersion),
      seconds: (surroundings.wallMs() - beganMs) / MS_PER_SECOND,
      isDone,
    });
}

export class ConversionMetrics {
  readonly #durations = new Histogram({
    name: 'apiserver_crd_conversion_webhook_duration_seconds',
    help: '[ALPHA] CRD webhook conversion duration in seconds',
    labels: ['crd_name', 'from_version', 'succeeded', 'to_version'],
    buckets: BUCKETS,
  });

  converted({ definition, from, to, seconds, isDone }: Converted): void {
    this.#durations.observe(
      { crd_name: definition, from_version: from, succeeded: String(isDone), to_version: to },
      seconds,
    );
  }

  families(): readonly MetricFamily[] {
    return [this.#durations.family()];
  }
}
