/**
 * Budgets over pods in every state, beside plain counting: whoever was allowed to go and is not seen to go yet counts as
 * gone for two minutes, and no more may be disturbed than are left over.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from '../../api/types/policy-v1.ts';
import { budgetStatus, disruptedPods, expectationOf, saysTheSame } from './budget-status.ts';

const NOW = 10_000;
const timeOf = (second: number): string => new Date(second * 1_000).toISOString().replace('.000', '');

interface Kept {
  readonly isReady: boolean;
  readonly isGoing: boolean;
  /** Seconds since it was allowed to go. */
  readonly allowedFor: number | undefined;
}

const pod = fc.record<Kept>({
  isReady: fc.boolean(),
  isGoing: fc.constantFrom(false, false, true),
  allowedFor: fc.constantFrom(undefined, undefined, 1, 119, 120, 121, 500),
});
const spec = fc.constantFrom<PodDisruptionBudgetSpec>(
  { minAvailable: 0 },
  { minAvailable: 2 },
  { minAvailable: '50%' },
  { maxUnavailable: 0 },
  { maxUnavailable: 1 },
  { maxUnavailable: '30%' },
  {},
);

const podOf = ({ isReady, isGoing }: Kept, index: number): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `p${index}`, ...(isGoing && { deletionTimestamp: timeOf(NOW) }) },
  status: { conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
});

const percent = (value: number | string, of: number): number =>
  typeof value === 'number' ? value : Math.ceil((Number.parseInt(value, 10) * of) / 100);

it('allows as many to be disturbed as are well and not needed', () => {
  fc.assert(
    fc.property(spec, fc.array(pod, { maxLength: 6, size: 'max' }), fc.nat(6), (of, kept, scale) => {
      const pods = kept.map(podOf);
      const noted = kept.flatMap(({ allowedFor }, index) =>
        allowedFor === undefined ? [] : [[`p${index}`, timeOf(NOW - allowedFor)] as const],
      );
      const budget: PodDisruptionBudget = {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'b', generation: 3 },
        spec: of,
        status: {
          disruptedPods: Object.fromEntries(noted),
          ...{ currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 },
        },
      };
      const disrupted = disruptedPods(budget, pods, NOW * 1_000);
      const expectation = expectationOf(budget, kept.length, scale);
      const status = budgetStatus(budget, { ...expectation, pods, disrupted, now: timeOf(NOW) });

      const leaving = kept.map(({ isGoing, allowedFor = Infinity }) => !isGoing && allowedFor <= 120);
      const healthy = kept.filter(
        ({ isReady, isGoing }, index) => isReady && !isGoing && !leaving[index],
      ).length;
      const isOfScale = of.maxUnavailable !== undefined || typeof of.minAvailable === 'string';
      const all = isOfScale ? scale : of.minAvailable === undefined ? 0 : kept.length;
      const needed =
        of.maxUnavailable === undefined
          ? percent(of.minAvailable ?? 0, scale)
          : Math.max(0, scale - percent(of.maxUnavailable, scale));
      const allowed = all === 0 ? 0 : Math.max(0, healthy - needed);
      expect(status).toMatchObject({
        observedGeneration: 3,
        currentHealthy: healthy,
        desiredHealthy: needed,
        expectedPods: all,
        disruptionsAllowed: allowed,
        conditions: [{ type: 'DisruptionAllowed', status: allowed > 0 ? 'True' : 'False' }],
      });
      expect(Object.keys(status.disruptedPods ?? {})).toEqual(
        kept.flatMap((_, index) => (leaving[index] ? [`p${index}`] : [])),
      );
      expect(disrupted.overdue.map(({ metadata }) => metadata.name)).toEqual(
        kept.flatMap(({ isGoing, allowedFor = 0 }, index) =>
          !isGoing && allowedFor > 120 ? [`p${index}`] : [],
        ),
      );
      const left = kept.flatMap(({ allowedFor = 0 }, index) =>
        leaving[index] ? [(120 - allowedFor) * 1_000] : [],
      );
      expect(disrupted.recheckInMs).toBe(left.length > 0 ? Math.min(...left) : undefined);
      expect(saysTheSame(status, { ...status })).toBe(true);
      for (const member of [
        'currentHealthy',
        'desiredHealthy',
        'expectedPods',
        'disruptionsAllowed',
      ] as const)
        expect(saysTheSame(status, { ...status, [member]: 99 }), member).toBe(false);
    }),
    asOftenAs(300),
  );
});
