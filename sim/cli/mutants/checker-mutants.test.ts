/** Each rule about workloads, schedulers and nodes has a planted bug that it catches; `npm run mutants` shows that it does. */
import { describe, expect, it } from 'vitest';
import { NODE_RULES } from '../../../model/nodes/node-rules.ts';
import { SCHEDULING_RULES } from '../../../model/scheduling/scheduling-rules.ts';
import { WORKLOAD_RULES } from '../../../model/workloads/workload-rules.ts';
import { plantedIn } from './planted-bugs.ts';

describe('planted bugs of rules', () => {
  it('are there for each rule', () => {
    const caught = plantedIn('checkers.yaml')
      .map(({ caughtBy = '' }) => caughtBy)
      .toSorted();
    expect(caught).toEqual([...WORKLOAD_RULES, ...SCHEDULING_RULES, ...NODE_RULES].toSorted());
  });
});
