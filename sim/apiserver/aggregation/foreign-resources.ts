/** What an APIResourceList of somebody else says, as rows of discovery. Pure; what makes no sense in it is left out. */
import type { ServedResource, ServedSubresource } from '../discovery/served.ts';
import type { ForeignService } from './foreign-services.ts';

interface Listed {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly singularName?: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

export function servedResources(
  { group, version }: Pick<ForeignService, 'group' | 'version'>,
  document: unknown,
): readonly ServedResource[] {
  const listed = listedIn(document);
  return listed
    .filter(({ name }) => !name.includes('/'))
    .map(({ name, kind, namespaced, singularName = '', verbs, shortNames = [], categories = [] }) => ({
      group,
      version,
      resource: name,
      singular: singularName,
      kind,
      namespaced,
      verbs,
      shortNames,
      categories,
      subresources: listed
        .filter((each) => each.name.startsWith(`${name}/`))
        .map((each): ServedSubresource => ({
          name: each.name.slice(name.length + 1),
          group: each.group ?? group,
          version: each.version ?? version,
          kind: each.kind,
          verbs: each.verbs,
        })),
    }));
}

function listedIn(document: unknown): readonly Listed[] {
  if (typeof document !== 'object' || document === null || !('resources' in document)) return [];
  const { resources } = document;
  if (!Array.isArray(resources)) return [];
  return (resources as readonly unknown[]).filter(isListed);
}

const isListed = (value: unknown): value is Listed =>
  typeof value === 'object' &&
  value !== null &&
  'name' in value &&
  typeof value.name === 'string' &&
  'kind' in value &&
  typeof value.kind === 'string' &&
  'verbs' in value &&
  Array.isArray(value.verbs) &&
  'namespaced' in value &&
  typeof value.namespaced === 'boolean';
