import { describe, expect, it } from 'vitest';
import type { LoadedScenario } from '../../../scenarios/language/load-scenario.ts';
import { huntPlan } from './hunt-plan.ts';
import { reachOf, runsBy } from './reach.ts';

const TEXT = 'one\ntwo\nthree\n';
const RECORDED = [
  { name: 'slow', seed: 1, ms: 90, lines: ['a.ts:1', 'a.ts:3'] },
  { name: 'quick', seed: 1, ms: 10, lines: ['a.ts:1'] },
  { name: 'drawn', seed: 1_000, ms: 20, lines: ['a.ts:1'] },
  { name: 'drawn', seed: 1_001, ms: 20, lines: [] },
];
const reach = reachOf(RECORDED, () => TEXT);
const namesBy = (line: number, text = TEXT): readonly string[] | undefined =>
  runsBy(reach, { file: 'a.ts', line }, text)?.map(({ name }) => name);

describe('what is recorded of runs', () => {
  it('says who comes by a line, or by the one that its statement begins on', () => {
    expect(namesBy(1)).toEqual(['slow', 'quick', 'drawn']);
    expect(namesBy(2)).toEqual(['slow', 'quick', 'drawn']);
    expect(namesBy(3)).toEqual(['slow']);
  });

  it('says nothing of other files, nor of one that has changed', () => {
    expect(runsBy(reach, { file: 'b.ts', line: 1 }, TEXT)).toBeUndefined();
    expect(namesBy(1, `${TEXT}four\n`)).toBeUndefined();
  });
});

const loaded = (name: string, file = 'scenarios/x.yaml') =>
  ({ file, scenario: { metadata: { name } } }) as Partial<LoadedScenario> as LoadedScenario;
const HUNTERS = {
  scripted: [loaded('slow'), loaded('quick'), loaded('elsewhere', 'scenarios/regression/x.yaml')],
  properties: [loaded('drawn'), loaded('drawn elsewhere')],
};

function firstOf(count: number, comeBy: ReturnType<typeof runsBy>): readonly string[] {
  const attempts: string[] = [];
  for (const {
    loaded: { scenario },
    seed,
  } of huntPlan(HUNTERS, comeBy)) {
    attempts.push(`${scenario.metadata.name} ${seed}`);
    if (attempts.length === count) break;
  }
  return attempts;
}

describe('a hunt', () => {
  it('tries only what comes by: scripts, the quickest first, and properties, half of the time each', () => {
    expect(firstOf(6, runsBy(reach, { file: 'a.ts', line: 1 }, TEXT))).toEqual([
      'quick 1',
      'drawn 1000',
      'slow 1',
      'drawn 1001',
      'drawn 1002',
      'drawn 1003',
    ]);
  });

  it('tries everything where nothing is known, what was written for such bugs first', () => {
    expect(firstOf(4, undefined)).toEqual(['elsewhere 1', 'drawn 1000', 'drawn elsewhere 1000', 'slow 1']);
  });
});
