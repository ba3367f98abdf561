import { expect, test } from 'vitest';
import type { Node, Pod, Taint } from '../../sim/api/types/core-v1.ts';
import { SECOND } from './observation.ts';
import { PlannedEvictions } from './planned-evictions.ts';

const nodeWith = (...keys: readonly string[]): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n' },
  spec: { taints: keys.map((key): Taint => ({ key, effect: 'NoExecute' })) },
});

/** Tolerates each for its seconds, and those without a number for ever. */
const podWith = (seconds: Readonly<Record<string, number | undefined>>): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'default', uid: 'p' },
  spec: {
    containers: [],
    tolerations: Object.entries(seconds).map(([key, tolerationSeconds]) => ({
      key,
      operator: 'Exists' as const,
      effect: 'NoExecute' as const,
      ...(tolerationSeconds !== undefined && { tolerationSeconds }),
    })),
  },
});

function dueAfter(
  pod: Pod,
  spells: readonly (readonly [at: number, ...keys: string[]])[],
  boundAt = 0,
): number | undefined {
  const planned = new PlannedEvictions();
  for (const [at, ...keys] of spells) planned.nodeStored(at * SECOND, 'n', nodeWith(...keys));
  const due = planned.dueAt('n', pod, boundAt * SECOND);
  return due === undefined ? undefined : due / SECOND;
}

const pod = podWith({ slow: 300, fast: 20, never: undefined });

test('what is planned first stands, whatever is tolerated for less later', () => {
  expect(
    dueAfter(pod, [
      [10, 'slow'],
      [50, 'fast'],
    ]),
  ).toBe(310);
  expect(
    dueAfter(pod, [
      [10, 'fast'],
      [15, 'slow'],
    ]),
  ).toBe(30);
  expect(
    dueAfter(pod, [
      [10, 'slow'],
      [20, 'slow', 'fast'],
      [60, 'fast'],
    ]),
  ).toBe(310);
});

test('nothing stays planned once nothing asks for it', () => {
  expect(dueAfter(pod, [[10, 'slow'], [50]])).toBeUndefined();
  expect(dueAfter(pod, [[10, 'slow'], [50], [60, 'fast']])).toBe(80);
  expect(
    dueAfter(pod, [
      [10, 'slow'],
      [50, 'never'],
      [60, 'fast'],
    ]),
  ).toBe(80);
});

test('what is not tolerated at all is gone from at once', () => {
  expect(
    dueAfter(pod, [
      [10, 'slow'],
      [50, 'slow', 'other'],
    ]),
  ).toBe(50);
});

test('a pod counts from when it came', () => {
  expect(
    dueAfter(
      pod,
      [
        [10, 'slow'],
        [50, 'fast'],
      ],
      60,
    ),
  ).toBe(80);
  expect(
    dueAfter(
      pod,
      [
        [10, 'slow'],
        [50, 'fast'],
      ],
      20,
    ),
  ).toBe(320);
});
