import { describe, expect, it } from 'vitest';
import { seconds } from '../../engine/time.ts';
import { TaintPace } from './taint-pace.ts';

describe('NoExecute taints', () => {
  const paced = () => {
    const pace = new TaintPace();
    for (const name of ['x', 'y', 'z']) pace.add(name, 'a');
    return pace;
  };
  const due = (pace: TaintPace, ...at: readonly number[]) =>
    at.map((second) => pace.takeDue(seconds(second)).join(' '));

  it('come every ten seconds', () => {
    const pace = paced();
    pace.drop('y');
    expect(due(pace, 0, 1, 9, 10, 20)).toEqual(['x', '', '', 'z', '']);
  });

  it('come more slowly from the next on when the rate falls while one has to wait', () => {
    const pace = paced();
    expect(due(pace, 0)).toEqual(['x']);
    pace.setRates(new Map([['a', 0.01]]), seconds(5));
    expect(due(pace, 10, 104, 105)).toEqual(['', '', 'y']);
  });

  it('do not come while the rate is zero, and a whole turn after it no longer is', () => {
    const pace = paced();
    pace.setRates(new Map([['a', 0]]), seconds(0));
    expect([pace.nextDueAt, ...due(pace, 0, 1_000)]).toEqual([Infinity, '', '']);
    pace.setRates(new Map([['a', 0.1]]), seconds(1_000));
    expect([pace.nextDueAt, ...due(pace, 1_009, 1_010)]).toEqual([seconds(1_010), '', 'x']);
  });

  it('come in each zone at its own pace', () => {
    const pace = paced();
    pace.add('other', 'b');
    expect(due(pace, 0, 10)).toEqual(['x other', 'y']);
  });
});
