/** TaintNodesByCondition: a new node is tainted as not ready until it has said otherwise. */
import type { Node } from '../../../api/types/core-v1.ts';
import type { Draft } from '../../registry/strategy.ts';
import type { AdmissionPlugin } from '../admission.ts';

const NOT_READY = 'node.kubernetes.io/not-ready';

export const taintNodesByCondition: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  handles: (operation, { group, resource }, subresource) =>
    operation === 'CREATE' && group === '' && resource === 'nodes' && subresource === '',
  admit: ({ object }) => {
    const node = object as Draft<Node>;
    const spec = (node.spec ??= {});
    const present = spec.taints ?? [];
    if (present.some(({ key, effect }) => key === NOT_READY && effect === 'NoSchedule')) return;
    spec.taints = [...present, { key: NOT_READY, effect: 'NoSchedule' }];
  },
};
