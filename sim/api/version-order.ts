import { compareStrings } from './go-text.ts';

/** `v2`, `v1beta3`: what Kubernetes recognises as a version with an order of its own. */
const KUBE_VERSION = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/;

const STABILITY: Readonly<Record<string, number>> = { alpha: 1, beta: 2, '': 3 };

/**
 * The order in which discovery lists the versions of a custom group: stable before beta before alpha, higher numbers
 * first, and names that are no such versions last, by the alphabet.
 */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [KUBE_VERSION.exec(left), KUBE_VERSION.exec(right)];
  if (!a || !b) return a ? -1 : b ? 1 : compareStrings(left, right);
  return (
    (STABILITY[b[2] ?? ''] ?? 0) - (STABILITY[a[2] ?? ''] ?? 0) ||
    Number(b[1]) - Number(a[1]) ||
    Number(b[3] ?? 0) - Number(a[3] ?? 0)
  );
}
