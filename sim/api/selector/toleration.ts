/** Does a pod's toleration cover a node's taint? Pure. Specification: "Taints". */
import type { Taint, Toleration } from '../types/core-v1.ts';

export function tolerates(
  { key = '', operator = 'Equal', value = '', effect = '' }: Toleration,
  taint: Taint,
): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  // Without a key only `Exists` means every taint.
  if (key === '' && operator !== 'Exists') return false;
  return operator === 'Exists' || value === (taint.value ?? '');
}
