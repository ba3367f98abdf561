import { describe, expect, test } from 'vitest';
import type { Outcome, Rule, Tally } from './campaign.ts';
import { isOfLane, mergeOutcomes, parseLane, runLanes } from './lanes.ts';

const tallyOf = (sequences: number, sequencesEqual: number): Tally => ({
  sequences,
  sequencesEqual,
  answers: 4 * sequences,
  answersEqual: 4 * sequencesEqual,
});
const ruleOf = (rule: string, count: number, foundIn: string): Rule => ({
  rule,
  count,
  foundIn,
  real: 'r',
  simulated: 's',
  example: { name: foundIn, area: 'a', steps: [] },
});

describe('lanes', () => {
  test('share sequences so that each runs in one of them, and in one only', () => {
    const lanes = ['0/3', '1/3', '2/3'].map(parseLane);
    for (let at = 0; at < 20; at += 1) expect(lanes.filter((lane) => isOfLane(at, lane))).toHaveLength(1);
  });

  test.each(['3/3', '-1/3', 'a', '1/', ''])('a lane %j is refused', (text) => {
    expect(() => parseLane(text)).toThrow(RangeError);
  });

  test('tell together what each has counted, and keep the first example of a rule', () => {
    const one: Outcome = {
      tally: { pods: tallyOf(3, 2) },
      rules: [ruleOf('p', 1, 'kinds/1-0'), ruleOf('q', 2, 'kinds/1-2')],
      failures: ['x'],
    };
    const other: Outcome = {
      tally: { pods: tallyOf(2, 1), jobs: tallyOf(1, 1) },
      rules: [ruleOf('p', 4, 'kinds/1-1')],
      failures: [],
    };
    const { tally, rules, failures } = mergeOutcomes([one, other]);
    expect(tally).toEqual({ pods: tallyOf(5, 3), jobs: tallyOf(1, 1) });
    expect(rules.map(({ rule, count, foundIn }) => [rule, count, foundIn])).toEqual([
      ['p', 5, 'kinds/1-0'],
      ['q', 2, 'kinds/1-2'],
    ]);
    expect(failures).toEqual(['x']);
  });

  test('that end before they have told anything are failures', async () => {
    const { failures } = await runLanes(2, { entry: '/dev/null', args: [] });
    expect(failures).toEqual(['lane 0: ended with 0', 'lane 1: ended with 0']);
  });
});
