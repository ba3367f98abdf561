import { expect, test } from 'vitest';
import { disruptionTarget } from './disruption-target.ts';

const cause = { reason: 'DeletionByTaintManager', message: 'tainted' };

test('a disruption that is announced again turned when it was announced first', () => {
  const first = disruptionTarget({}, cause, '2025-01-01T00:00:01Z');
  const status = { conditions: [first] };
  expect(first).toEqual({
    type: 'DisruptionTarget',
    status: 'True',
    ...cause,
    lastTransitionTime: '2025-01-01T00:00:01Z',
  });
  const again = disruptionTarget({ status }, { ...cause, reason: 'DeletionByPodGC' }, '2025-01-01T00:01:00Z');
  expect(again).toEqual({ ...first, reason: 'DeletionByPodGC' });
});

test('one that was taken back turns anew', () => {
  const takenBack = { ...disruptionTarget({}, cause, '2025-01-01T00:00:01Z'), status: 'False' };
  const status = { conditions: [takenBack] };
  expect(disruptionTarget({ status }, cause, '2025-01-01T00:05:00Z').lastTransitionTime).toBe(
    '2025-01-01T00:05:00Z',
  );
});
