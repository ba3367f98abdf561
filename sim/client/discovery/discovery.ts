/**
 * What the API serves, as clients find it out: two requests for aggregated discovery. A client that asks again gets the
 * same value while nothing has changed. Specification: "Discovery".
 */
import { invariant } from '../../engine/invariant.ts';
import type { Process } from '../../engine/process.ts';
import type { ApiClient } from '../api-client.ts';
import type { ResourceHandle } from '../resource-handle.ts';

const ACCEPT = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

export interface DiscoveredResource {
  readonly handle: ResourceHandle;
  readonly verbs: readonly string[];
}

/** `APIGroupDiscoveryList`, as far as it is read here. */
interface DiscoveryDocument {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      /** `Stale`: who serves it did not answer. */
      readonly freshness?: 'Current' | 'Stale';
      readonly resources: readonly {
        readonly resource: string;
        readonly responseKind: { readonly kind: string };
        readonly scope: 'Namespaced' | 'Cluster';
        readonly verbs: readonly string[];
      }[];
    }[];
  }[];
}

/** All that is served at one time. */
export class ServedResources {
  /** Each resource once, in the version that its group prefers. */
  readonly preferred: readonly DiscoveredResource[];
  /** Versions (`metrics.k8s.io/v1beta1`) of which nobody could say what they have; none of it is in `preferred`. */
  readonly stale: readonly string[];
  /** Each kind of each version once. */
  readonly all: readonly ResourceHandle[];
  readonly #byKind = new Map<string, ResourceHandle>();

  constructor(documents: readonly DiscoveryDocument[]) {
    const preferred = new Map<string, DiscoveredResource>();
    for (const { group, found } of documents.flatMap(resourcesOf)) {
      const { version, kind, resource } = found.handle;
      const name = `${group}/${resource}`;
      if (!preferred.has(name)) preferred.set(name, found);
      const key = kindKey(group ? `${group}/${version}` : version, kind);
      if (!this.#byKind.has(key)) this.#byKind.set(key, found.handle);
    }
    this.preferred = [...preferred.values()];
    this.all = [...this.#byKind.values()];
    this.stale = documents.flatMap(staleVersionsOf);
  }

  /** The resource whose objects say this of themselves. */
  handleOf(apiVersion: string, kind: string): ResourceHandle | undefined {
    return this.#byKind.get(kindKey(apiVersion, kind));
  }
}

const kindKey = (apiVersion: string, kind: string): string => `${apiVersion}, Kind=${kind}`;

type DiscoveredVersion = DiscoveryDocument['items'][number]['versions'][number];

const isCurrent = ({ freshness }: DiscoveredVersion): boolean => freshness !== 'Stale';

const staleVersionsOf = ({ items }: DiscoveryDocument): readonly string[] =>
  items.flatMap(({ metadata: { name = '' }, versions }) =>
    versions.filter((version) => !isCurrent(version)).map(({ version }) => `${name}/${version}`),
  );

const resourcesOf = ({
  items,
}: DiscoveryDocument): readonly { readonly group: string; readonly found: DiscoveredResource }[] =>
  items.flatMap(({ metadata: { name: group = '' }, versions }) =>
    versions.filter(isCurrent).flatMap(({ version, resources }) =>
      resources.map(({ resource, responseKind: { kind }, scope, verbs }) => ({
        group,
        found: { handle: { group, version, resource, kind, isNamespaced: scope === 'Namespaced' }, verbs },
      })),
    ),
  );

export class Discovery {
  readonly #client: ApiClient;
  #documents: readonly unknown[] = [];
  #served: ServedResources | undefined;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  /** @throws ApiError, NoAnswer */
  *served(): Process<ServedResources> {
    const documents: unknown[] = [];
    for (const path of ['/api', '/apis']) documents.push(yield* this.#client.read(path, ACCEPT));
    const isSame = documents.every((document, at) => document === this.#documents[at]);
    if (this.#served && isSame) return this.#served;
    this.#documents = documents;
    return (this.#served = servedIn(documents.map(asDocument)));
  }
}

/** By the document of all groups with a name: servers hand out the same ones to whoever is near. */
const known = new WeakMap<DiscoveryDocument, { core: DiscoveryDocument; served: ServedResources }>();

function servedIn([core, groups]: readonly DiscoveryDocument[]): ServedResources {
  if (!core || !groups) return new ServedResources([]);
  const found = known.get(groups);
  if (found?.core === core) return found.served;
  const served = new ServedResources([core, groups]);
  if (Object.isFrozen(core) && Object.isFrozen(groups)) known.set(groups, { core, served });
  return served;
}

function asDocument(value: unknown): DiscoveryDocument {
  invariant(
    typeof value === 'object' && value !== null && Array.isArray(Reflect.get(value, 'items')),
    'aggregated discovery answers with a list of groups',
    { value },
  );
  return value as DiscoveryDocument;
}
