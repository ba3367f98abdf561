/**
 * One row of the registry: a resource that the server knows, its versions, where it is stored, and
 * the strategy of its kind. Built-in kinds and custom resources give the same rows.
 */
import type { ConvertedCopies } from '../custom-resources/conversion/converted-copies.ts';
import type { ApiObject, JsonObject } from '../../api/object.ts';
import type { PrinterColumn } from '../../api/catalog/printer-columns.ts';
import type { TableClock, TableRow } from './table-row.ts';
import type { StructSchema } from '../../api/schema.ts';
import type { Process } from '../../engine/process.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';
import type { DraftObject, Strategy } from './strategy.ts';

export interface ServedSubresource {
  readonly name: string;
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  readonly verbs: readonly string[];
}

export interface Deprecation {
  /** Text of the `Warning` header. */
  readonly warning: string;
  /** Release in which the version goes, such as `1.32`; empty if that is not known. */
  readonly removedRelease: string;
}

export interface VersionTable {
  readonly columns: readonly PrinterColumn[];
  row(object: ApiObject, clock: TableClock): TableRow;
}

/** Where an object that can be scaled keeps what its Scale shows. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** Empty: it has none. */
  readonly selector: readonly string[];
}

export interface ResourceVersion {
  readonly group: string;
  readonly version: string;
  /** `apps/v1`, or `v1` for the core group. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly listKind: string;
  readonly schema: StructSchema;
  /** That of ObjectMeta. */
  readonly metaSchema: StructSchema;
  readonly verbs: ReadonlySet<string>;
  readonly subresources: ReadonlyMap<string, ServedSubresource>;
  readonly deprecation?: Deprecation | undefined;
  readonly fieldLabels: ReadonlySet<string>;
  /** Text of the 400 for other labels, `{label}` standing for the label. */
  readonly unsupportedFieldLabel: string;
  readonly storageVersionHash?: string | undefined;
  /** Of its Table, where the catalog has them. */
  readonly columns?: readonly PrinterColumn[] | undefined;
  /** Custom resources: `openAPIV3Schema` as it was declared. */
  readonly declaredSchema?: JsonObject | undefined;
  /** Custom resources: how the version looks in a Table. */
  readonly table?: VersionTable | undefined;
  readonly scale?: ScalePaths | undefined;
}

export interface Resource {
  readonly group: string;
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly versions: ReadonlyMap<string, ResourceVersion>;
  /**
   * The version that is worked on, where the release does not serve it: components of the simulation speak it all the same,
   * in place of those of that release, which spoke another one.
   */
  readonly workedOn?: ResourceVersion | undefined;
  /** Prefix of its storage keys, such as `/registry/configmaps/`; resources with one prefix share their objects. */
  readonly storagePrefix: string;
  /** The version in which the server and its caches have it: that whose rules the strategy knows. */
  readonly storageApiVersion: string;
  /** The version in which the storage has it, where releases differ in that; absent: the same. */
  readonly encodedApiVersion?: string | undefined;
  /** The struct that stored objects are written with. */
  readonly storageSchema: StructSchema;
  /** That of ObjectMeta. */
  readonly metaSchema: StructSchema;
  readonly strategy: Strategy;
  /** Sets what an object meant that was stored in an older version, or by an older release, before it is worked on. */
  readonly defaultsOfStored?: ((draft: DraftObject, apiVersion: string) => void) | undefined;
  readonly isCustom: boolean;
  /** The definition of a custom resource is going: nothing new is taken in. */
  readonly isTerminating?: boolean | undefined;
  /** Texts about columns of its Table that the catalog does not have, by their names. */
  readonly columnDescriptions?: Readonly<Record<string, string>> | undefined;
  /** Go type name in messages that print it: `core.ConfigMap`. */
  readonly goTypeName: string;
  /** The object in another version of the kind; the same object if it is in that version already. */
  readonly convert: (object: ApiObject, apiVersion: string) => ApiObject;
  /**
   * Present where somebody else converts: the objects in another version, one for each and in their order.
   * `convert` then only takes objects that are in the version already. @throws ApiError
   */
  readonly askConverted?: AskConverted | undefined;
  /** Present where what somebody else converted is kept for those who read from a cache. */
  readonly copies?: ConvertedCopies | undefined;
}

export type AskConverted = (
  objects: readonly ApiObject[],
  apiVersion: string,
  surroundings: ApiServerSurroundings,
  leaves?: LeftOut,
) => Process<readonly ApiObject[]>;

/** What whoever converts is not told of metadata. Default: what no storage keeps. */
export type LeftOut = 'nothing' | 'resourceVersion' | 'managedFields';

/** Where requests work on objects: in the storage version, but where somebody else converts in their own. */
export const workingVersion = (
  { askConverted, storageApiVersion }: Resource,
  { apiVersion }: Pick<ResourceVersion, 'apiVersion'>,
): string => (askConverted ? apiVersion : storageApiVersion);

/** `deployments.apps`, or `configmaps` in the core group. */
export const resourceText = ({ group, resource }: Pick<Resource, 'group' | 'resource'>): string =>
  group ? `${resource}.${group}` : resource;

export const apiVersionOf = (group: string, version: string): string =>
  group ? `${group}/${version}` : version;

/** The group and resource that errors name: that of the storage (events.k8s.io shares core's). */
export const storageResource = (resource: Resource): { group: string; resource: string } => {
  // Events are stored in the core group, yet called as they are asked for.
  const isCalledByOwnGroup = resource.resource === 'events';
  return { group: isCalledByOwnGroup ? resource.group : storageGroup(resource), resource: resource.resource };
};

/** The group in which it is stored, which messages about its kind show. */
export function storageGroup({ storageApiVersion }: Resource): string {
  const slash = storageApiVersion.indexOf('/');
  return slash < 0 ? '' : storageApiVersion.slice(0, slash);
}
