/** What may be wrong with the part of a volume that a container wants to see, once its variables are known. Pure. Kubernetes 1.31 (kubelet). */
import type { Container } from '../../api/types/core-v1.ts';
import { expandReferences, missingReferences } from '../environment/expand-references.ts';

/** Undefined: nothing. */
export function subPathProblem(
  { volumeMounts = [] }: Pick<Container, 'volumeMounts'>,
  variables: ReadonlyMap<string, string>,
): string | undefined {
  for (const { subPath = '', subPathExpr = '' } of volumeMounts) {
    const missing = missingReferences(subPathExpr, variables);
    if (missing.length > 0) return `missing value for ${missing.join(', ')}`;
    const path = subPathExpr === '' ? subPath : expandReferences(subPathExpr, variables);
    if (path.startsWith('/')) return `error SubPath \`${path}\` must not be an absolute path`;
    if (path.split('/').includes('..'))
      return `unable to provision SubPath \`${path}\`: must not contain '..'`;
  }
  return undefined;
}
