/**
 * Looks from outside at what is stored while the releases of API servers change, and tells the rules about it. It changes
 * nothing in the cluster.
 */
import type { SeenObject, StorageRules } from '../../model/storage/storage-rules.ts';
import { type ApiObject, type Cluster, lifeCycleOf, nameOfRelease } from '../../sim/index.ts';

export class ReleaseObserver {
  readonly #cluster: Cluster;
  readonly #rules: StorageRules;

  constructor(cluster: Cluster, rules: StorageRules) {
    this.#cluster = cluster;
    this.#rules = rules;
    cluster.storage.watch({
      prefix: '/registry/',
      onEvents: (events) => {
        if (!cluster.hasSeveralReleases) return;
        for (const event of events)
          if (event.kind === 'put') this.#written(event.entry.key, event.entry.value, event.previous?.value);
      },
    });
  }

  /** Does what replaces servers, and compares what the first that runs sees before and after it. */
  async across(replace: () => Promise<void>, wentBack: boolean): Promise<void> {
    const before = this.#seen();
    if (wentBack) this.#rules.wentBack();
    await replace();
    // What an older release cannot show is still there for the newer one.
    if (wentBack) return;
    const served = this.#servedPrefixes();
    // Whole resources may come to their end.
    const staying = before.filter(({ key }) => served.some((prefix) => key.startsWith(prefix)));
    this.#rules.replaced(this.#cluster.now, staying, this.#seenByKey());
  }

  #written(key: string, value: ApiObject, previous: ApiObject | undefined): void {
    const { apiVersion, kind } = value;
    const releases = this.#cluster.apiServers.flatMap(({ server }) =>
      server ? [nameOfRelease(server.release)] : [],
    );
    if (releases.length === 0) return;
    const introduced = lifeCycleOf({ apiVersion, kind })?.introduced;
    this.#rules.written({
      at: this.#cluster.now,
      key,
      apiVersion,
      before: previous?.apiVersion,
      introduced,
      releases,
    });
  }

  #servedPrefixes(): readonly string[] {
    const server = this.#cluster.apiServers.find((each) => each.server)?.server;
    return server ? [...server.registry.all()].map(({ storagePrefix }) => storagePrefix) : [];
  }

  #seenByKey(): ReadonlyMap<string, SeenObject> {
    return new Map(this.#seen().map((seen) => [seen.key, seen]));
  }

  /** Every stored object of a kind that the server serves. What changes by itself is left out. */
  #seen(): readonly SeenObject[] {
    const server = this.#cluster.apiServers.find((each) => each.server)?.server;
    if (!server) return [];
    return [...server.registry.all()]
      .filter(({ resource }) => !CHANGING.has(resource))
      .flatMap((row) =>
        server.storage.range({ prefix: row.storagePrefix }).entries.map(({ key, value }) => ({
          key,
          object: shownBy(value, row),
        })),
      );
  }
}

/** Leases and events come and go, and the rest is what servers say of themselves. */
const CHANGING: ReadonlySet<string> = new Set([
  'leases',
  'events',
  'apiservices',
  'flowschemas',
  'endpoints',
  'endpointslices',
  'nodes',
]);

/** Undefined: it cannot be shown in the version that is worked on. */
function shownBy(
  value: ApiObject,
  row: { readonly storageApiVersion: string; convert(object: ApiObject, apiVersion: string): ApiObject },
): unknown {
  try {
    const { metadata, ...rest } = row.convert(value, row.storageApiVersion);
    const { resourceVersion: _, managedFields: __, generation: ___, ...identity } = metadata;
    return { ...rest, metadata: identity, status: undefined };
  } catch {
    return undefined;
  }
}
