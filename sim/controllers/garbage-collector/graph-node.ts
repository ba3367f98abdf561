/** An object in the graph of owners and dependents, as the garbage collector knows it. */
import type { ApiObject, OwnerReference } from '../../api/object.ts';

export const ORPHAN = 'orphan';
export const FOREGROUND = 'foregroundDeletion';

/** Where an object is, and which one of those that were ever there. */
export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty: of no namespace. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export const isSamePlace = (a: Identity, b: Identity): boolean =>
  a.apiVersion === b.apiVersion && a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;

export const textOfIdentity = ({ apiVersion, kind, namespace, name, uid }: Identity): string =>
  `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;

export class GraphNode {
  /** Of a virtual node: what a dependent says of it. */
  identity: Identity;
  owners: readonly OwnerReference[];
  /** In the order in which they became known. */
  readonly dependents = new Set<GraphNode>();
  isBeingDeleted = false;
  /** It waits for its dependents: its deletion is in the foreground. */
  isDeletingDependents = false;
  /** Nobody has seen it: only dependents speak of it. */
  isVirtual: boolean;

  constructor(identity: Identity, owners: readonly OwnerReference[], isVirtual: boolean) {
    this.identity = identity;
    this.owners = owners;
    this.isVirtual = isVirtual;
  }

  /** Dependents that it may not go before. */
  blockingDependents(): readonly GraphNode[] {
    const { uid } = this.identity;
    return [...this.dependents].filter(({ owners }) =>
      owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true),
    );
  }
}

export const isBeingDeleted = ({ metadata }: ApiObject): boolean => metadata.deletionTimestamp !== undefined;

export const hasFinalizer = ({ metadata }: ApiObject, finalizer: string): boolean =>
  metadata.finalizers?.includes(finalizer) ?? false;
