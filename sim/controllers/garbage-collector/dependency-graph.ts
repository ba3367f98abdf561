/**
 * The graph of owners and dependents, kept by what informers tell. It decides nothing: it names the nodes that
 * somebody has to look at, because an owner has gone, lets go of its dependents, or waits for them.
 * Owners that nobody has seen yet are virtual nodes. Specification: "Owner references, garbage collection".
 */
import type { ApiObject, OwnerReference } from '../../api/object.ts';
import type { AbsentOwners } from './absent-owners.ts';
import {
  FOREGROUND,
  GraphNode,
  hasFinalizer,
  type Identity,
  isBeingDeleted,
  isSamePlace,
  ORPHAN,
} from './graph-node.ts';

export interface GraphEvents {
  /** It may have to go, or its owners may. */
  toDelete(node: GraphNode): void;
  /** Its dependents are to lose it. */
  toOrphan(node: GraphNode): void;
  /** The dependent names an owner that is elsewhere than the reference can mean. */
  misplaced(dependent: GraphNode, reference: OwnerReference): void;
}

/** The owner that a dependent means: in its own namespace, unless owners of that kind have none. */
export type OwnerMeant = (reference: OwnerReference, dependent: Identity) => Identity;

export class DependencyGraph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #events: GraphEvents;
  readonly #absent: AbsentOwners;
  readonly #ownerMeant: OwnerMeant;

  constructor(options: {
    readonly events: GraphEvents;
    readonly absent: AbsentOwners;
    readonly ownerMeant: OwnerMeant;
  }) {
    this.#events = options.events;
    this.#absent = options.absent;
    this.#ownerMeant = options.ownerMeant;
  }

  get size(): number {
    return this.#nodes.size;
  }

  find(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  /** An object has come, or changed. `identityOf` it is asked for where it is not known yet; `old`: as it was last told. */
  changed(identityOf: (object: ApiObject) => Identity, object: ApiObject, old?: ApiObject): void {
    const known = this.#nodes.get(object.metadata.uid ?? '');
    if (known?.isVirtual) this.#observe(known, identityOf(object));
    if (known) this.#update(known, object, old);
    else this.#insert(identityOf(object), object);
  }

  /** An object has gone; or was looked for, and is not there. */
  removed(identity: Identity, wasSeen = true): void {
    const node = this.#nodes.get(identity.uid);
    if (!node) return;
    if (!wasSeen && this.#isStillMeant(node, identity)) return;
    if (node.dependents.size > 0) this.#absent.add(node.identity);
    this.#nodes.delete(identity.uid);
    for (const owner of this.#ownersOf(node)) owner.dependents.delete(node);
    for (const dependent of node.dependents) this.#events.toDelete(dependent);
    for (const owner of this.#ownersOf(node)) if (owner.isDeletingDependents) this.#events.toDelete(owner);
  }

  /** What was not found is not the node, or other dependents mean another place: that is looked at next. */
  #isStillMeant(node: GraphNode, absent: Identity): boolean {
    if (!node.isVirtual && isSamePlace(node.identity, absent)) return false;
    this.#absent.add(absent);
    const others = [...node.dependents].flatMap((dependent) =>
      dependent.owners
        .filter(({ uid }) => uid === absent.uid)
        .map((reference) => ({ dependent, meant: this.#ownerMeant(reference, dependent.identity) })),
    );
    const other = others.find(({ meant }) => !isSamePlace(meant, absent) && !this.#absent.has(meant));
    if (!other && node.isVirtual) return false;
    for (const { dependent, meant } of others)
      if (isSamePlace(meant, absent)) this.#events.toDelete(dependent);
    if (other && node.isVirtual) {
      node.identity = other.meant;
      this.#events.toDelete(node);
    }
    return true;
  }

  /** A virtual node turns out to be there, perhaps elsewhere than some dependents say. */
  #observe(node: GraphNode, identity: Identity): void {
    node.isVirtual = false;
    if (isSamePlace(node.identity, identity)) {
      node.identity = identity;
      return;
    }
    node.identity = identity;
    for (const dependent of node.dependents) {
      for (const reference of dependent.owners) {
        if (reference.uid === identity.uid) this.#checkPlace(node, dependent, reference);
      }
    }
  }

  #insert(identity: Identity, object: ApiObject): void {
    const node = new GraphNode(identity, object.metadata.ownerReferences ?? [], false);
    this.#nodes.set(identity.uid, node);
    node.isDeletingDependents = isBeingDeleted(object) && hasFinalizer(object, FOREGROUND);
    this.#addToOwners(node, node.owners);
    this.#follow(node, object, undefined);
  }

  #update(node: GraphNode, object: ApiObject, old: ApiObject | undefined): void {
    const before = node.owners;
    const after = object.metadata.ownerReferences ?? [];
    if (before !== after) {
      node.owners = after;
      const isIn = (list: readonly OwnerReference[], uid: string): boolean =>
        list.some((reference) => reference.uid === uid);
      const removed = before.filter(({ uid }) => !isIn(after, uid));
      this.#unblock(before, after);
      this.#addToOwners(
        node,
        after.filter(({ uid }) => !isIn(before, uid)),
      );
      for (const { uid } of removed) this.#nodes.get(uid)?.dependents.delete(node);
    }
    this.#follow(node, object, old);
  }

  /** Owners that a dependent does not block any more may go. */
  #unblock(before: readonly OwnerReference[], after: readonly OwnerReference[]): void {
    for (const { uid, blockOwnerDeletion } of before) {
      if (blockOwnerDeletion !== true) continue;
      if (after.some((reference) => reference.uid === uid && reference.blockOwnerDeletion === true)) continue;
      const owner = this.#nodes.get(uid);
      if (owner) this.#events.toDelete(owner);
    }
  }

  #addToOwners(node: GraphNode, references: readonly OwnerReference[]): void {
    for (const reference of references) {
      const owner = this.#nodes.get(reference.uid);
      if (owner) {
        owner.dependents.add(node);
        this.#checkPlace(owner, node, reference);
        continue;
      }
      const virtual = new GraphNode(this.#ownerMeant(reference, node.identity), [], true);
      virtual.dependents.add(node);
      this.#nodes.set(reference.uid, virtual);
      this.#events.toDelete(virtual);
    }
  }

  /** A reference that cannot mean the owner of its uid: its dependent has to be looked at. */
  #checkPlace(owner: GraphNode, dependent: GraphNode, reference: OwnerReference): void {
    const { identity } = owner;
    if (isSamePlace(this.#ownerMeant(reference, dependent.identity), identity)) return;
    if (owner.isVirtual) this.#events.toDelete(owner);
    else if (identity.namespace !== '' && identity.namespace !== dependent.identity.namespace)
      this.#events.misplaced(dependent, reference);
    this.#events.toDelete(dependent);
  }

  /** What the object's own deletion asks for; to let go of its dependents before all else. */
  #follow(node: GraphNode, object: ApiObject, old: ApiObject | undefined): void {
    if (isBeingDeleted(object)) node.isBeingDeleted = true;
    if (startsWith(ORPHAN, object, old)) {
      this.#events.toOrphan(node);
      return;
    }
    if (!startsWith(FOREGROUND, object, old)) return;
    node.isDeletingDependents = true;
    for (const dependent of node.dependents) this.#events.toDelete(dependent);
    this.#events.toDelete(node);
  }

  #ownersOf(node: GraphNode): readonly GraphNode[] {
    return node.owners.flatMap(({ uid }) => this.#nodes.get(uid) ?? []);
  }
}

/** Its deletion has begun under this finalizer since it was last told. */
function startsWith(finalizer: string, object: ApiObject, old: ApiObject | undefined): boolean {
  if (!isBeingDeleted(object) || !hasFinalizer(object, finalizer)) return false;
  return !old || !isBeingDeleted(old) || !hasFinalizer(old, finalizer);
}
