/** Jobs that are made, changed, deleted and made anew in any order, whatever comes between their controller and the API. */
import { it } from 'vitest';
import {
  comesToRestAfterTroubles,
  comesToRestSoon,
  type Workload,
} from '../workload/remade-workload.fixture.ts';

const WORKLOAD: Workload = {
  kind: 'jobs',
  controllers: ['job-controller'],
  behaviour: '{"runsForSeconds":6}',
  restartPolicy: 'Never',
  specOf: ({ size, isOther, template }) => ({ completions: size, parallelism: isOther ? 2 : 1, template }),
  // A deadline is over at once: the Job ends while its pods run.
  changeOf: ({ size, isOther }) => (size === 1 ? { activeDeadlineSeconds: 1 } : { suspend: isOther }),
};

it('have the pods that they want soon after anything', () => {
  comesToRestSoon(WORKLOAD, 6);
});

it('have the pods that they want some time after all troubles', () => {
  comesToRestAfterTroubles(WORKLOAD, 4);
});
