/** DefaultTolerationSeconds: pods bear a node that is not ready or not reachable for five minutes, unless they say otherwise. */
import type { Pod, Toleration } from '../../../api/types/core-v1.ts';
import type { Draft } from '../../registry/strategy.ts';
import type { AdmissionPlugin } from '../admission.ts';

const TAINTS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];
const DEFAULT_SECONDS = 300;

export const defaultTolerationSeconds: AdmissionPlugin = {
  name: 'DefaultTolerationSeconds',
  handles: (operation, { group, resource }, subresource) =>
    (operation === 'CREATE' || operation === 'UPDATE') &&
    group === '' &&
    resource === 'pods' &&
    subresource === '',
  admit: ({ object }) => {
    const { spec } = object as Draft<Pod>;
    if (!spec) return;
    const present = spec.tolerations ?? [];
    const missing = TAINTS.filter((taint) => !present.some((toleration) => bears(toleration, taint)));
    if (missing.length === 0) return;
    const added = missing.map((key): Toleration => ({
      key,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: DEFAULT_SECONDS,
    }));
    spec.tolerations = [...present, ...added];
  },
};

const bears = ({ key = '', effect = '' }: Toleration, taint: string): boolean =>
  (key === taint || key === '') && (effect === 'NoExecute' || effect === '');
