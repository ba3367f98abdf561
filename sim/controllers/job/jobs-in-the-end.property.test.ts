/**
 * Jobs amid whatever comes between, in the end.
 *
 * @holds sim/controllers/workload
 */
import { it } from 'vitest';
import { isSoonWhatItIsToBe } from '../workload/prompt-workload.fixture.ts';
import { isWhatItIsToBeInTheEnd } from '../workload/troubled-workload.fixture.ts';

it('has what it asks for in the end, and says so', () => {
  isWhatItIsToBeInTheEnd('Job');
});

it('is made up for soon, whatever is heard late', () => {
  isSoonWhatItIsToBe('Job');
});
