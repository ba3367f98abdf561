/** Each rule about workloads, schedulers and nodes has a planted bug that it catches; `npm run mutants` shows that it does. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { NODE_RULES } from '../../../model/nodes/node-rules.ts';
import { SCHEDULING_RULES } from '../../../model/scheduling/scheduling-rules.ts';
import { WORKLOAD_RULES } from '../../../model/workloads/workload-rules.ts';

interface CheckerMutant {
  readonly caughtBy: string;
}

const ROOT = resolve(import.meta.dirname, '../../..');
const textOf = (file: string): string => readFileSync(resolve(ROOT, file), 'utf8');
const MUTANTS = parse(textOf('model/mutants/checkers.yaml')) as readonly CheckerMutant[];

describe('planted bugs of rules', () => {
  it('are there for each rule', () => {
    const caught = MUTANTS.map(({ caughtBy }) => caughtBy).toSorted();
    expect(caught).toEqual([...WORKLOAD_RULES, ...SCHEDULING_RULES, ...NODE_RULES].toSorted());
  });
});
