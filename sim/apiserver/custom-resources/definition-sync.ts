/**
 * Keeps an API server's registry in step with the stored definitions, and the definitions' status in
 * step with what is served: names are accepted, resources established, objects removed with their
 * definition. Works a moment after each change, like the controllers inside a real server.
 */
import type { ApiObject } from '../../api/object.ts';
import { formatTime } from '../../api/time-format.ts';
import type { Release } from '../../api/release/release.ts';
import type { CustomResourceDefinition } from '../../api/types/apiextensions-k8s-io-v1.ts';
import type { Storage, StoredEntry, StorageWatch } from '../../storage/storage.ts';
import { writeOwnStatus } from '../stores/own-status.ts';
import { untilWritten } from '../stores/until-written.ts';
import type { Resource } from '../registry/resource.ts';
import { atRevision } from '../registry/storage-form.ts';
import type { Meters, StoreView } from '../request/server-view.ts';
import type { ResourceStore } from '../stores/resource-store.ts';
import type { StoredObject } from '../stores/stored-object.ts';
import { cachedObject, viewOf } from '../stores/cached-object.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';
import { isEqualJson } from '../verbs/equal-json.ts';
import { approvalCondition } from './api-approval.ts';
import { decideNames } from './accepted-names.ts';
import { customResourceRow } from './custom-resource-row.ts';
import { type Condition, conditionOf, isConditionTrue, withCondition } from './definition-conditions.ts';
import { CLEANUP_FINALIZER } from './definition-strategy.ts';

export const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';
const META_KEY = 'meta.k8s.io/v1.ObjectMeta';
/** Time between a change and the work that follows it. */
const REACTION_MS = 2;
/** While objects with finalizers hold a definition, one looks again so often. */
const RECHECK_MS = 1_000;

/** Time in which watches are told of the end, as in a real server. */
const FAREWELL_MS = 1_000;

interface Installed {
  readonly row: Resource;
  /** What the row was made of. */
  readonly of: Pick<CustomResourceDefinition, 'spec' | 'status'>;
}

/** What of a server is kept in step. */
export interface DefinitionHost extends StoreView {
  readonly release: Release;
  readonly storage: Storage<StoredObject>;
  readonly surroundings: ApiServerSurroundings;
  readonly meters: Meters | undefined;
  /** The custom resource is another one, or gone; what it answers ends the watches of what there was. */
  retireStore(storagePrefix: string): () => void;
  endWithServer(watch: StorageWatch): void;
}

export class DefinitionSync {
  readonly #host: DefinitionHost;
  readonly #definitions: Resource;
  readonly #store: ResourceStore;
  readonly #installed = new Map<string, Installed>();
  #isScheduled = false;
  #isRecheckScheduled = false;

  /** Undefined if the server does not serve definitions. */
  static start(host: DefinitionHost): DefinitionSync | undefined {
    const definitions = host.registry.findByText(DEFINITIONS);
    if (!definitions) return undefined;
    const sync = new DefinitionSync(host, definitions);
    const onEvents = (): void => sync.#schedule(REACTION_MS);
    host.endWithServer(host.storage.watch({ prefix: definitions.storagePrefix, onEvents }));
    sync.#schedule(0);
    return sync;
  }

  private constructor(host: DefinitionHost, definitions: Resource) {
    this.#host = host;
    this.#definitions = definitions;
    this.#store = host.storeOf(definitions);
  }

  #schedule(delayMs: number): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#host.surroundings.after(delayMs, () => {
      this.#isScheduled = false;
      untilWritten(this.#host.surroundings, () => this.#run());
    });
  }

  /** What waits for others keeps nobody else waiting. */
  #recheckLater(): void {
    if (this.#isRecheckScheduled) return;
    this.#isRecheckScheduled = true;
    this.#host.surroundings.after(RECHECK_MS, () => {
      this.#isRecheckScheduled = false;
      this.#schedule(0);
    });
  }

  #run(): void {
    const entries = this.#store.storage.range({ prefix: this.#definitions.storagePrefix }).entries;
    const definitions = entries.map(({ value }) => value as CustomResourceDefinition);
    this.#install(definitions);
    for (const entry of entries) {
      const definition = entry.value as CustomResourceDefinition;
      // One at a time: every decision may change what others may have.
      if (this.#settleStatus(entry, definition, definitions)) return;
      if (definition.metadata.deletionTimestamp !== undefined) this.#cleanUp(entry, definition);
    }
  }

  #install(definitions: readonly CustomResourceDefinition[]): void {
    const wanted = new Map<string, CustomResourceDefinition>();
    for (const definition of definitions) {
      if (isConditionTrue(definition, 'Established') && definition.spec.versions.some(({ served }) => served))
        wanted.set(definition.metadata.name ?? '', definition);
    }
    for (const [name, { row }] of this.#installed) {
      if (wanted.has(name)) continue;
      this.#host.registry.remove(row);
      row.copies?.end();
      this.#endLater(row);
      this.#installed.delete(name);
    }
    for (const [name, definition] of wanted) {
      const present = this.#installed.get(name);
      const { spec, status } = definition;
      if (present && isEqualJson(present.of.spec, spec) && isEqualJson(present.of.status, status)) continue;
      if (present) this.#giveWay(present, definition);
      const row = customResourceRow(definition, {
        metaSchema: this.#host.release.catalog.types.structOf(META_KEY),
        lookup: (resource, namespace, object) =>
          cachedObject(viewOf(this.#host), resource, namespace, object),
        metrics: this.#host.meters?.conversion,
      });
      this.#host.registry.add(row);
      this.#keepCopies(row, this.#host.storeOf(row));
      this.#installed.set(name, { row, of: { spec, ...(status && { status }) } });
    }
  }

  #keepCopies({ versions, storageApiVersion, copies }: Resource, store: ResourceStore): void {
    const others = [...versions.values()].map(({ apiVersion }) => apiVersion);
    copies?.keep(
      store,
      others.filter((apiVersion) => apiVersion !== storageApiVersion),
      this.#host.surroundings,
    );
  }

  /** Whoever watches a resource whose definition says something else now has to begin anew. */
  #giveWay({ row, of }: Installed, { spec, status }: CustomResourceDefinition): void {
    this.#host.registry.remove(row);
    row.copies?.end();
    const isSame = isEqualJson(of.spec, spec) && isEqualJson(of.status?.acceptedNames, status?.acceptedNames);
    if (!isSame) this.#endLater(row);
  }

  /** Watches first hear of the last changes. A definition that is back, or is another one, has a store of its own. */
  #endLater({ storagePrefix }: Resource): void {
    const end = this.#host.retireStore(storagePrefix);
    this.#host.surroundings.after(FAREWELL_MS, end);
  }

  /** True if something was written: the next round goes on from there. */
  #settleStatus(
    entry: StoredEntry<StoredObject>,
    definition: CustomResourceDefinition,
    all: readonly CustomResourceDefinition[],
  ): boolean {
    const { names, condition } = decideNames(definition, all);
    const established = conditionOf(definition, 'Established');
    const now = this.#now();
    let conditions = withCondition(definition.status?.conditions ?? [], condition, now);
    const approval = approvalCondition(definition);
    if (approval) conditions = withCondition(conditions, approval, now);
    if (established?.status !== 'True')
      conditions = withCondition(conditions, establishment(condition.status === 'True'), now);
    const status = { ...definition.status, conditions, acceptedNames: names };
    if (isEqualJson(status, definition.status)) return false;
    this.#writeStatus(entry, { ...definition, status });
    return true;
  }

  /** It tells first what it does; the next round goes on from there. */
  #cleanUp(entry: StoredEntry<StoredObject>, definition: CustomResourceDefinition): void {
    if (!definition.metadata.finalizers?.includes(CLEANUP_FINALIZER)) return;
    const status = this.#ending(definition, IN_PROGRESS);
    if (!isEqualJson(status, definition.status)) {
      this.#writeStatus(entry, { ...definition, status });
      return;
    }
    const wasServed = isConditionTrue(definition, 'Established');
    const { group, names } = definition.spec;
    const prefix = `/registry/${group}/${definition.status?.acceptedNames?.plural || names.plural}/`;
    if (wasServed && this.#removeObjects(prefix) > 0) {
      this.#recheckLater();
      return;
    }
    const finalizers = definition.metadata.finalizers.filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
    if (finalizers.length === 0) this.#store.remove(entry.key, entry.modRevision);
    else
      this.#writeStatus(entry, {
        ...definition,
        metadata: { ...definition.metadata, finalizers },
        status: this.#ending(definition, wasServed ? COMPLETED : NEVER_SERVED),
      });
  }

  #ending({ status }: CustomResourceDefinition, condition: Condition): CustomResourceDefinition['status'] {
    return { ...status, conditions: withCondition(status?.conditions ?? [], condition, this.#now()) };
  }

  /** How many are left, because something finalizes them. */
  #removeObjects(prefix: string): number {
    const { storage } = this.#store;
    let left = 0;
    for (const { key, value, modRevision } of storage.range({ prefix }).entries) {
      const { metadata } = value;
      const compare = [{ key, modRevision }];
      if ((metadata.finalizers?.length ?? 0) === 0) {
        storage.transact({ compare, success: [{ kind: 'delete', key }] });
        continue;
      }
      left += 1;
      if (metadata.deletionTimestamp !== undefined) continue;
      const marked: ApiObject = {
        ...value,
        metadata: {
          ...metadata,
          deletionTimestamp: this.#now(),
          deletionGracePeriodSeconds: 0,
          generation: (metadata.generation ?? 0) + 1,
        },
      };
      storage.transact({
        compare,
        success: [{ kind: 'put', key, value: (revision) => atRevision(marked, revision) }],
      });
    }
    return left;
  }

  #writeStatus(entry: StoredEntry<StoredObject>, next: ApiObject): void {
    writeOwnStatus({ store: this.#store, resource: this.#definitions, now: this.#now() }, entry, next);
  }

  #now(): string {
    return formatTime(this.#host.surroundings.wallMs());
  }
}

const IN_PROGRESS: Condition = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
};
const COMPLETED: Condition = {
  type: 'Terminating',
  status: 'False',
  reason: 'InstanceDeletionCompleted',
  message: 'removed all instances',
};
const NEVER_SERVED: Condition = {
  type: 'Terminating',
  status: 'False',
  reason: 'NeverEstablished',
  message: 'resource was never established',
};

const establishment = (isAccepted: boolean): Condition =>
  isAccepted
    ? {
        type: 'Established',
        status: 'True',
        reason: 'InitialNamesAccepted',
        message: 'the initial names have been accepted',
      }
    : { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
