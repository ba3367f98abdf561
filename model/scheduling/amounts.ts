/** Amounts of resources, read as simply as can be. */
import type { Pod } from '../../sim/api/types/core-v1.ts';

const FACTORS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** `1500m` → 1.5 */
export function amountOf(text: string): number {
  const [, digits = '0', suffix = ''] = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([a-zA-Z]*)$/.exec(text) ?? [];
  return Number(digits) * (FACTORS[suffix] ?? 1);
}

/** What a pod asks for of a resource at the most at a time. */
export function requestOf({ spec }: Pod, resource: string): number {
  const of = (container: {
    readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
  }): number => amountOf(container.resources?.requests?.[resource] ?? '0');
  let sidecars = 0;
  let starting = 0;
  for (const container of spec?.initContainers ?? []) {
    if (container.restartPolicy === 'Always') sidecars += of(container);
    starting = Math.max(starting, sidecars + (container.restartPolicy === 'Always' ? 0 : of(container)));
  }
  const running = (spec?.containers ?? []).reduce((sum, container) => sum + of(container), sidecars);
  return Math.max(running, starting) + amountOf(spec?.overhead?.[resource] ?? '0');
}
