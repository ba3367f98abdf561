/**
 * Deployments amid whatever comes between, in the end.
 *
 * @holds sim/controllers/replica-set
 */
import { it } from 'vitest';
import { isWhatItIsToBeInTheEnd } from '../workload/troubled-workload.fixture.ts';

it('has what it asks for in the end, and says so', () => {
  isWhatItIsToBeInTheEnd('Deployment');
});
