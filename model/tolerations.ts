/** Whether a toleration is about a taint, by key, value and effect. Specification: "Taints". */
import type { Taint, Toleration } from '../sim/api/types/core-v1.ts';

export const tolerates = (
  { key = '', operator = 'Equal', value = '', effect = '' }: Toleration,
  taint: Taint,
): boolean =>
  (effect === '' || effect === taint.effect) &&
  (key === taint.key || (key === '' && operator === 'Exists')) &&
  (operator === 'Exists' || value === (taint.value ?? ''));
