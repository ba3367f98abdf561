/** StatefulSets that are made, changed, deleted and made anew in any order, whatever comes between their controller and the API. */
import { it } from 'vitest';
import {
  comesToRestAfterTroubles,
  comesToRestSoon,
  SELECTOR,
  type Workload,
} from '../workload/remade-workload.fixture.ts';

const WORKLOAD: Workload = {
  kind: 'statefulSets',
  controllers: ['statefulset-controller'],
  specOf: ({ size, isOther, template }) => ({
    replicas: size,
    serviceName: 'w',
    selector: SELECTOR,
    template,
    podManagementPolicy: isOther ? 'Parallel' : 'OrderedReady',
  }),
  changeOf: ({ size, template }) => ({ replicas: size, template }),
};

it('have the pods that they want soon after anything', () => {
  comesToRestSoon(WORKLOAD, 6);
});

it('have the pods that they want some time after all troubles', () => {
  comesToRestAfterTroubles(WORKLOAD, 4);
});
