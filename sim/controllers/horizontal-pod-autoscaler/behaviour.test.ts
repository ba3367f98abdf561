import { describe, expect, it } from 'vitest';
import { beginHistory, decide, type Rules, type ScaleHistory, withChange } from './behaviour.ts';

const RULES: Rules = {
  scaleUp: {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [
      { type: 'Pods', value: 4, periodSeconds: 60 },
      { type: 'Percent', value: 100, periodSeconds: 60 },
    ],
  },
  scaleDown: {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [
      { type: 'Pods', value: 2, periodSeconds: 60 },
      { type: 'Percent', value: 50, periodSeconds: 60 },
    ],
  },
};
const NONE: ScaleHistory = { recommendations: [], ups: [], downs: [] };

const wish = (current: number, desired: number, { nowMs = 600_000, history = NONE } = {}) => ({
  current,
  desired,
  min: 1,
  max: 50,
  nowMs,
  history,
});

function rules(direction: 'scaleUp' | 'scaleDown', change: object): Rules {
  return { ...RULES, [direction]: { ...RULES[direction], ...change } };
}

describe('without rules', () => {
  it.each([
    [3, 20, 6, 'ScaleUpLimit', true],
    [1, 20, 4, 'ScaleUpLimit', true],
    [40, 70, 50, 'TooManyReplicas', true],
    [3, 0, 1, 'TooFewReplicas', true],
    [3, 5, 5, 'DesiredWithinRange', false],
  ])('from %i to %i goes to %i: %s', (current, desired, replicas, reason, isLimited) => {
    const decision = decide(wish(current, desired), undefined);
    expect(decision).toMatchObject({ replicas, isLimited, limit: { reason } });
  });

  it('goes down to the highest of the last five minutes', () => {
    const history = beginHistory(8, 0);
    const early = decide(wish(8, 2, { nowMs: 299_000, history }), undefined);
    expect(early).toMatchObject({ replicas: 8, able: { reason: 'ScaleDownStabilized' } });
    const later = { ...history, recommendations: early.recommendations };
    expect(decide(wish(8, 2, { nowMs: 300_000, history: later }), undefined).replicas).toBe(8);
    expect(decide(wish(8, 2, { nowMs: 300_001, history: later }), undefined)).toMatchObject({
      replicas: 2,
      able: { reason: 'ReadyForNewScale' },
    });
  });
});

describe('with rules', () => {
  it.each([
    ['the fastest policy', RULES, 3, 30, 7, 'ScaleUpLimit'],
    ['percentages of many', RULES, 10, 45, 20, 'ScaleUpLimit'],
    ['the slowest policy', rules('scaleUp', { selectPolicy: 'Min' }), 3, 30, 6, 'ScaleUpLimit'],
    ['no way up', rules('scaleUp', { selectPolicy: 'Disabled' }), 3, 30, 3, 'ScaleUpLimit'],
    ['the bound', RULES, 40, 70, 50, 'TooManyReplicas'],
    ['down by the fastest policy', RULES, 10, 1, 5, 'ScaleDownLimit'],
    ['down by the slowest policy', rules('scaleDown', { selectPolicy: 'Min' }), 10, 1, 8, 'ScaleDownLimit'],
    ['no way down', rules('scaleDown', { selectPolicy: 'Disabled' }), 10, 1, 10, 'ScaleDownLimit'],
    ['down to the bound', RULES, 2, 0, 1, 'TooFewReplicas'],
  ])('%s', (_, given, current, desired, replicas, reason) => {
    expect(decide(wish(current, desired), given)).toMatchObject({ replicas, limit: { reason } });
  });

  it('counts what was done in the period, in both directions', () => {
    const up = withChange(NONE, RULES, { from: 3, to: 7, nowMs: 560_000 });
    expect(decide(wish(7, 30, { history: up }), RULES).replicas).toBe(7);
    const both = withChange(up, RULES, { from: 7, to: 4, nowMs: 570_000 });
    expect(decide(wish(4, 30, { history: both }), RULES).replicas).toBe(7);
    expect(decide(wish(7, 30, { history: up, nowMs: 620_000 }), RULES).replicas).toBe(14);
  });

  it('forgets with a change what its own periods do not reach, though the other direction would count it', () => {
    const uneven = rules('scaleUp', { policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }] });
    const first = withChange(NONE, uneven, { from: 2, to: 6, nowMs: 560_000 });
    expect(decide(wish(6, 1, { history: first, nowMs: 590_000 }), uneven).replicas).toBe(1);
    const second = withChange(first, uneven, { from: 6, to: 10, nowMs: 580_000 });
    expect(second.ups).toEqual([{ atMs: 580_000, by: 4 }]);
    expect(decide(wish(10, 1, { history: second, nowMs: 590_000 }), uneven).replicas).toBe(3);
  });

  it('waits for the window before it goes up', () => {
    const slow = rules('scaleUp', { stabilizationWindowSeconds: 60 });
    const history = beginHistory(3, 600_000);
    expect(decide(wish(3, 5, { history, nowMs: 659_000 }), slow)).toMatchObject({
      replicas: 3,
      able: { reason: 'ScaleUpStabilized' },
    });
    expect(decide(wish(3, 5, { history, nowMs: 660_000 }), slow).replicas).toBe(5);
  });
});
