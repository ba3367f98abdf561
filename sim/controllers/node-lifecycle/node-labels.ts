/** Labels that the controller keeps equal to their successors. Pure. */
import type { Node } from '../../api/types/core-v1.ts';

const OLD_NAMES: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
};

/** Labels to be set; undefined: none. */
export function labelCorrection({ metadata: { labels } }: Node): Record<string, string> | undefined {
  const wanted: Record<string, string> = {};
  for (const [old, name] of Object.entries(OLD_NAMES)) {
    const value = labels?.[name];
    if (value !== undefined && labels?.[old] !== value) wanted[old] = value;
  }
  return Object.keys(wanted).length > 0 ? wanted : undefined;
}
