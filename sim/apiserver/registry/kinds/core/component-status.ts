/** ComponentStatus: how a component of the control plane is; asked, never stored. */
import type { ComponentStatus } from '../../../../api/types/core-v1.ts';
import { nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { componentStatuses } from '../../../endpoints/component-statuses.ts';
import { defineKind } from '../../define-kind.ts';

export const componentStatusKind = defineKind<ComponentStatus>({
  resource: 'componentstatuses',
  endpoints: { '': componentStatuses },
  deprecation: { warning: 'v1 ComponentStatus is deprecated in v1.19+', removedRelease: '' },
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    tableRow: ({ metadata, conditions }) => {
      const health = conditions?.find(({ type }) => type === 'Healthy');
      const word = health?.status === 'True' ? 'Healthy' : 'Unhealthy';
      const cells = health ? [word, health.message ?? '', health.error ?? ''] : ['Unknown', '', ''];
      return { cells: [metadata.name, ...cells] };
    },
  },
});
