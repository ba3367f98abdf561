/** What a metrics server tells, as its clients see it. */
import type { ApiObject } from '../../api/object.ts';
import type { ResourceHandle } from '../../client/resource-handle.ts';

export type Metrics = ApiObject & {
  readonly timestamp?: string;
  readonly window?: string;
  readonly usage?: Readonly<Record<string, string>>;
  readonly containers?: readonly {
    readonly name: string;
    readonly usage: Readonly<Record<string, string>>;
  }[];
};

const handle = (resource: string, kind: string, isNamespaced: boolean): ResourceHandle<Metrics> => ({
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  resource,
  kind,
  isNamespaced,
});
export const NODE_METRICS = handle('nodes', 'NodeMetrics', false);
export const POD_METRICS = handle('pods', 'PodMetrics', true);
