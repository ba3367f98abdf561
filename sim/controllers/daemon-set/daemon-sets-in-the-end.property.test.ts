/**
 * DaemonSets amid whatever comes between, in the end.
 *
 * @holds sim/controllers/workload
 */
import { it } from 'vitest';
import { isSoonWhatItIsToBe } from '../workload/prompt-workload.fixture.ts';
import { isWhatItIsToBeInTheEnd } from '../workload/troubled-workload.fixture.ts';

it('has what it asks for in the end, and says so', () => {
  isWhatItIsToBeInTheEnd('DaemonSet');
});

it('is made up for soon, whatever is heard late, and whoever is made anew', () => {
  isSoonWhatItIsToBe('DaemonSet');
});
