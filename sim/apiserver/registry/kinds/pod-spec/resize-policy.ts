/** What becomes of a container of a pod when its resources change: as long as that was new, it was said of each resource. */
import type { PodSpec } from '../../../../api/types/core-v1.ts';
import { isShared } from '../../shared-parts.ts';
import type { Features } from '../../../machinery.ts';
import type { Draft } from '../../strategy.ts';

const GATE = 'InPlacePodVerticalScaling';
const SAID_BY_NOBODY = '1.33';

/** Of what it asks for, unless somebody has said it. */
export function defaultResizing(spec: Draft<PodSpec>, features: Features): void {
  if (isShared(spec) || !features.isFeatureEnabled(GATE) || features.isReleasedBy(SAID_BY_NOBODY)) return;
  for (const container of spec.containers ?? []) {
    if (isShared(container)) continue;
    const { requests, limits } = container.resources ?? {};
    for (const resourceName of ['cpu', 'memory']) {
      const isAskedFor = requests?.[resourceName] !== undefined || limits?.[resourceName] !== undefined;
      const policies = container.resizePolicy ?? [];
      if (isAskedFor && !policies.some((policy) => policy.resourceName === resourceName))
        container.resizePolicy = [...policies, { resourceName, restartPolicy: 'NotRequired' }];
    }
  }
}
