/** The words that operation ids and tags are made of. */
import { groupVersionText } from '../../api/catalog/builtin-kinds.ts';
import type { ServedResource } from '../discovery/served.ts';
import type { BuiltinSchemas } from './builtin-schemas.ts';

/** Of one group version. */
export interface Names {
  /** `CoreV1`, `RbacAuthorizationV1` */
  readonly prefix: string;
  /** `core_v1`, `rbacAuthorization_v1` */
  readonly tag: string;
  /** Where the names of schemas come from. */
  readonly schemas: BuiltinSchemas;
}

/** `rbac.authorization.k8s.io` → `RbacAuthorization`; the core group is `Core`. */
export function groupWord(group: string): string {
  if (group === '') return 'Core';
  return group
    .replace(/\.k8s\.io$/, '')
    .split(/[.-]/)
    .map(capital)
    .join('');
}

export const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

export const tagOfGroup = (group: string): string => {
  const word = groupWord(group);
  return word.charAt(0).toLowerCase() + word.slice(1);
};

export const rootOf = (group: string, version: string): string =>
  `${group ? '/apis' : '/api'}/${groupVersionText({ group, version })}`;

export const namesOf = (group: string, version: string, schemas: BuiltinSchemas): Names => ({
  prefix: groupWord(group) + capital(version),
  tag: `${tagOfGroup(group)}_${version}`,
  schemas,
});

/** `NamespacedPod`, `Node` */
export const scoped = ({ namespaced, kind }: ServedResource): string =>
  namespaced ? `Namespaced${kind}` : kind;
