/** Names in faults that mean nothing, and would let a fault hit nobody: resources. Actors are looked up in the cluster. */
import { RELEASE_1_31 } from '../../sim/index.ts';
import type { Path } from './read-value.ts';
import type { Fault } from './scenario-shape.ts';
import { didYouMean } from './suggest.ts';

interface StrangeName {
  /** Within the fault. */
  readonly path: Path;
  readonly message: string;
  readonly expected: string;
}

/** `definesKinds`: the scenario brings kinds of its own, whose resources only the API server knows. */
export function checkFaultNames(fault: Fault, definesKinds: boolean): readonly StrangeName[] {
  const known = [...new Set(RELEASE_1_31.catalog.resources.all.map(({ resource }) => resource))];
  return Object.entries(fault).flatMap(([verb, chosen]) => {
    const { resource } = chosen as { readonly resource?: string };
    if (resource === undefined || resource.includes('${') || known.includes(resource)) return [];
    const hint = didYouMean(resource, known);
    if (definesKinds && hint === '') return [];
    return {
      path: [verb, 'resource'],
      message: `there is no resource \`${resource}\`${hint}`,
      expected: 'the plural of a kind, in lower case, such as `pods` or `leases`',
    };
  });
}
