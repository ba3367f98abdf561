/** Kinds and the paths of their resources: the built-in ones from the catalog, others from what the server says. */
import { everyResource, RELEASE_1_31 } from '../../sim/index.ts';

/** Where objects of a kind live. */
export interface ResourcePlace {
  readonly apiVersion: string;
  readonly resource: string;
  readonly isNamespaced: boolean;
}

export type KindLookup =
  | { readonly kind: 'found'; readonly place: ResourcePlace }
  | { readonly kind: 'no-version'; readonly versions: readonly string[] }
  /** `elsewhere`: versions that do have the kind. */
  | { readonly kind: 'no-kind'; readonly kinds: readonly string[]; readonly elsewhere: readonly string[] };

/** Of which releases: 1.31 alone, or all. */
export type Scope = '1.31' | 'all';

/** By `apps/v1` and then by `Deployment`. */
type Kinds = ReadonlyMap<string, ReadonlyMap<string, ResourcePlace>>;

const known = new Map<Scope, Kinds>();

function builtinKinds(scope: Scope): Kinds {
  const versions =
    known.get(scope) ?? kindsOf(scope === 'all' ? everyResource() : RELEASE_1_31.catalog.resources.all);
  known.set(scope, versions);
  return versions;
}

function kindsOf(resources: ReturnType<typeof everyResource>): Kinds {
  const found = new Map<string, Map<string, ResourcePlace>>();
  for (const { group, version, resource, kind, namespaced } of resources) {
    const apiVersion = group === '' ? version : `${group}/${version}`;
    const kinds = found.get(apiVersion) ?? new Map<string, ResourcePlace>();
    kinds.set(kind, { apiVersion, resource, isNamespaced: namespaced });
    found.set(apiVersion, kinds);
  }
  return found;
}

export function knownKind(apiVersion: string, kind: string, scope: Scope = '1.31'): KindLookup {
  const all = builtinKinds(scope);
  const kinds = all.get(apiVersion);
  if (!kinds) return { kind: 'no-version', versions: [...all.keys()] };
  const place = kinds.get(kind);
  if (place) return { kind: 'found', place };
  const elsewhere = [...all].filter(([, others]) => others.has(kind)).map(([other]) => other);
  return { kind: 'no-kind', kinds: [...kinds.keys()].sort(), elsewhere };
}

/** Path of a resource's collection, or of one object or subresource in it. */
export function pathOf(
  { apiVersion, resource, isNamespaced }: ResourcePlace,
  {
    namespace,
    name,
    subresource,
  }: {
    readonly namespace?: string | undefined;
    readonly name?: string | undefined;
    readonly subresource?: string | undefined;
  },
): string {
  const parts = [apiVersion.includes('/') ? '/apis' : '/api', apiVersion];
  if (isNamespaced && namespace !== undefined) parts.push('namespaces', encodeURIComponent(namespace));
  parts.push(resource);
  if (name !== undefined) parts.push(encodeURIComponent(name));
  if (subresource !== undefined) parts.push(subresource);
  return parts.join('/');
}
