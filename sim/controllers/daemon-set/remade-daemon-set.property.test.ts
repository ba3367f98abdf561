/** DaemonSets that are made, changed, deleted and made anew in any order, whatever comes between their controller and the API. */
import { it } from 'vitest';
import {
  comesToRestAfterTroubles,
  comesToRestSoon,
  SELECTOR,
  type Workload,
} from '../workload/remade-workload.fixture.ts';

const WORKLOAD: Workload = {
  kind: 'daemonSets',
  controllers: ['daemonset-controller'],
  specOf: ({ isOther, template }) => ({
    selector: SELECTOR,
    template,
    updateStrategy: { rollingUpdate: isOther ? { maxSurge: 1, maxUnavailable: 0 } : { maxUnavailable: 1 } },
  }),
  changeOf: ({ template }) => ({ template }),
};

it('have the pods that they want soon after anything', () => {
  comesToRestSoon(WORKLOAD, 6);
});

it('have the pods that they want some time after all troubles', () => {
  comesToRestAfterTroubles(WORKLOAD, 4);
});
