/**
 * Recommendations that come and go, beside the documentation's words about windows, policies and bounds, read off the whole
 * past: nothing is summed up on the way. Of changes a real one forgets some too soon, which is read off the past as well.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import type { HPAScalingRules } from '../../api/types/autoscaling-v2.ts';
import { beginHistory, decide, type Rules, type ScaleHistory, withChange } from './behaviour.ts';

const [MIN, MAX] = [2, 30];

interface Moment {
  readonly at: number;
  readonly desired: number;
  /** Before and after what was decided. */
  readonly from: number;
  readonly to: number;
}

const policy = fc.record({
  type: fc.constantFrom('Pods', 'Percent'),
  value: fc.constantFrom(1, 2, 5, 50, 100),
  periodSeconds: fc.constantFrom(15, 60, 120),
});
const scaling = (window: number): fc.Arbitrary<HPAScalingRules> =>
  fc.record({
    stabilizationWindowSeconds: fc.constantFrom(0, window, 60),
    selectPolicy: fc.constantFrom('Max', 'Max', 'Min', 'Disabled'),
    policies: fc.array(policy, { minLength: 1, maxLength: 2 }),
  });
const rules = fc.option(fc.record({ scaleUp: scaling(0), scaleDown: scaling(300) }), { nil: undefined });
const story = fc.array(
  fc.record({ after: fc.constantFrom(15, 15, 30, 61, 305), desired: fc.integer({ min: 0, max: 40 }) }),
  {
    minLength: 2,
    maxLength: 14,
    size: 'max',
  },
);

/** Recommendations younger than the window, the present one too. */
const lately = (
  past: readonly Moment[],
  now: number,
  desired: number,
  seconds: number,
): readonly number[] => [
  desired,
  ...past.filter(({ at }) => at > now - seconds).map((moment) => moment.desired),
];

/** Without rules one as old as the window counts as well: `seconds` and a bit. */
const A_BIT = 0.5;

/**
 * Changes in one direction that are remembered: each takes the place of one that the direction's own periods, the longest
 * of them, do not reach any more, though the other direction may have longer ones.
 */
function remembered(past: readonly Moment[], sign: number, own: HPAScalingRules = {}): readonly Moment[] {
  const longest = Math.max(0, ...(own.policies ?? []).map(({ periodSeconds }) => periodSeconds));
  return past
    .filter(({ from, to }) => Math.sign(to - from) === sign)
    .reduce<Moment[]>((kept, change) => {
      const old = kept.findLast(({ at }) => at < change.at - longest);
      return old ? kept.map((one) => (one === old ? change : one)) : [...kept, change];
    }, []);
}

/** How many there were when the period began, if nobody else had changed anything. */
function before(
  past: readonly Moment[],
  now: number,
  { current, seconds, given }: { current: number; seconds: number; given: Rules },
): number {
  const known = [...remembered(past, 1, given.scaleUp), ...remembered(past, -1, given.scaleDown)];
  return known
    .filter(({ at }) => at > now - seconds)
    .reduce((count, { from, to }) => count - (to - from), current);
}

function expected(
  past: readonly Moment[],
  now: number,
  { current, desired, given }: { current: number; desired: number; given: Rules | undefined },
): number {
  const window = given ? (given.scaleDown?.stabilizationWindowSeconds ?? 300) : 300 + A_BIT;
  const down = lately(past, now, desired, window);
  if (!given) {
    const calm = Math.max(...down);
    return Math.max(MIN, Math.min(calm, MAX, Math.max(2 * current, 4)));
  }
  const up = lately(past, now, desired, given.scaleUp?.stabilizationWindowSeconds ?? 0);
  const [lowest, highest] = [Math.min(...up), Math.max(...down)];
  const calm = current < lowest ? lowest : current > highest ? highest : current;
  if (calm === current) return current;
  const { policies = [], selectPolicy } = (calm > current ? given.scaleUp : given.scaleDown) ?? {};
  if (selectPolicy === 'Disabled') return current;
  const sign = calm > current ? 1 : -1;
  const bounds = policies.map(({ type, value, periodSeconds }) => {
    const start = before(past, now, { current, seconds: periodSeconds, given });
    if (type === 'Pods') return start + sign * value;
    const exact = start * (1 + (sign * value) / 100);
    return sign > 0 ? Math.ceil(exact) : Math.trunc(exact);
  });
  const isFar = selectPolicy !== 'Min';
  const bound = isFar === sign > 0 ? Math.max(...bounds) : Math.min(...bounds);
  return sign > 0
    ? Math.min(calm, MAX, Math.max(current, bound))
    : Math.max(calm, MIN, Math.min(current, bound));
}

it('changes numbers as far and as fast as windows, policies and bounds allow', () => {
  fc.assert(
    fc.property(rules, story, (given, moments) => {
      let now = 10_000;
      let current = 5;
      let history: ScaleHistory = beginHistory(current, now * 1_000);
      const past: Moment[] = [{ at: now, desired: current, from: current, to: current }];
      for (const { after, desired } of moments) {
        now += after;
        const wish = { current, desired, min: MIN, max: MAX, nowMs: now * 1_000, history };
        const decision = decide(wish, given);
        expect(decision.replicas).toBe(expected(past, now, { current, desired, given }));
        expect(decision.isLimited).toBe(decision.limit.reason !== 'DesiredWithinRange');
        history = { ...history, recommendations: decision.recommendations };
        const change = { from: current, to: decision.replicas, nowMs: now * 1_000 };
        if (change.to !== change.from) history = withChange(history, given, change);
        past.push({ at: now, desired, from: current, to: decision.replicas });
        current = decision.replicas;
      }
    }),
    asOftenAs(400),
  );
});
