/**
 * The garbage collector: it deletes objects whose owners are gone, finishes deletions in the foreground, and takes owners
 * out of dependents that are to stay. It follows every kind that can be listed, watched and deleted, and asks every
 * 30 s which kinds there are. While it does not know all of them it does nothing: one that nobody can list holds up all
 * others, as on a real cluster. The graph is in `dependency-graph.ts`, what is done about an object in
 * `collected-object.ts`. Specification: "Owner references, garbage collection".
 */
import type { ApiObject, OwnerReference } from '../../api/object.ts';
import type { DiscoveredResource } from '../../client/discovery/discovery.ts';
import { EventRecorder } from '../../client/event-recorder.ts';
import { apiVersionOf, type ResourceHandle } from '../../client/resource-handle.ts';
import { type ReconcileResult, startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import { type ControllerContext, defineController } from '../manager/controller.ts';
import { type FollowedKind, FollowedKinds } from '../manager/followed-kinds.ts';
import { AbsentOwners } from './absent-owners.ts';
import { collect, type CollectorView, orphan, type Outcome } from './collected-object.ts';
import { DependencyGraph } from './dependency-graph.ts';
import { type GraphNode, type Identity, textOfIdentity } from './graph-node.ts';

const WORKERS = 20;
const NEEDED = ['delete', 'list', 'watch'];

export const GARBAGE_COLLECTOR = defineController({
  name: 'garbage-collector-controller',
  formerNames: ['garbagecollector'],
  serviceAccount: 'generic-garbage-collector',
  start: (world) => new GarbageCollector(world).run(),
});

class GarbageCollector {
  readonly #world: ControllerContext;
  readonly #context: Context;
  readonly #kinds: FollowedKinds;
  readonly #recorder: EventRecorder;
  readonly #absent = new AbsentOwners();
  readonly #graph: DependencyGraph;
  readonly #toDelete: WorkQueue;
  readonly #toOrphan: WorkQueue;

  constructor(world: ControllerContext) {
    const { context, client } = world;
    this.#world = world;
    this.#context = context;
    this.#kinds = new FollowedKinds(world, { wants: isFollowed, onFollow: (kind) => this.#follow(kind) });
    this.#recorder = new EventRecorder(client, 'garbage-collector-controller');
    this.#toDelete = new WorkQueue(context);
    this.#toOrphan = new WorkQueue(context);
    this.#graph = new DependencyGraph({
      absent: this.#absent,
      ownerMeant: (reference, dependent) => this.#ownerMeant(reference, dependent),
      events: {
        toDelete: (node) => this.#toDelete.add(node.identity.uid),
        toOrphan: (node) => this.#toOrphan.add(node.identity.uid),
        misplaced: (dependent, reference) => this.#tellOfMisplaced(dependent, reference),
      },
    });
  }

  *run(): Process<void> {
    yield* this.#kinds.begin();
    startWorkers(this.#context, this.#toDelete, {
      workers: WORKERS,
      reconcile: (uid) => this.#attempt(uid, collect),
    });
    startWorkers(this.#context, this.#toOrphan, {
      workers: WORKERS,
      reconcile: (uid) => this.#attempt(uid, orphan),
    });
    yield* this.#kinds.goOn();
  }

  #follow({ handle, informer }: FollowedKind): void {
    const identity = (object: ApiObject): Identity => identityOf(handle, object);
    informer.addHandler({
      added: (object) => this.#graph.changed(identity, object),
      changed: (object, old) => {
        // Behind a broken watch it was deleted and made anew.
        const isSame = old.metadata.uid === object.metadata.uid;
        if (!isSame) this.#graph.removed(identity(old));
        this.#graph.changed(identity, object, isSame ? old : undefined);
      },
      removed: (object) => this.#graph.removed(identity(object)),
    });
  }

  *#attempt(
    uid: string,
    act: (view: CollectorView, node: GraphNode) => Process<Outcome>,
  ): Process<ReconcileResult | undefined> {
    yield* this.#kinds.untilSettled();
    const node = this.#graph.find(uid);
    if (!node) return undefined;
    const { identity } = node;
    const view: CollectorView = {
      client: this.#world.client,
      absent: this.#absent,
      served: this.#kinds.served,
      ownerMeant: (reference, dependent) => this.#ownerMeant(reference, dependent),
    };
    const outcome = yield* act(view, node);
    if (outcome === 'absent') this.#graph.removed(identity, false);
    if (outcome === 'waits') {
      for (const dependent of node.blockingDependents())
        if (!dependent.isDeletingDependents) this.#toDelete.add(dependent.identity.uid);
    }
    // Nobody has seen it yet, or its kind may come: it is asked for again.
    const isUnseen = node.isVirtual && this.#graph.find(uid) === node && outcome !== 'absent';
    return outcome === 'unknown kind' || isUnseen ? { requeue: true } : undefined;
  }

  /** Owners of kinds that have no namespaces are in none. */
  #ownerMeant({ apiVersion, kind, name, uid }: OwnerReference, dependent: Identity): Identity {
    const isNamespaced = this.#kinds.served.handleOf(apiVersion, kind)?.isNamespaced ?? true;
    return { apiVersion, kind, namespace: isNamespaced ? dependent.namespace : '', name, uid };
  }

  #tellOfMisplaced({ identity }: GraphNode, reference: OwnerReference): void {
    const { apiVersion, kind, namespace, name, uid } = identity;
    const { apiVersion: ownerVersion, kind: ownerKind, name: ownerName, uid: ownerUid } = reference;
    const meant = textOfIdentity({
      apiVersion: ownerVersion,
      kind: ownerKind,
      namespace,
      name: ownerName,
      uid: ownerUid,
    });
    this.#recorder.recordFor(
      { apiVersion, kind, name, uid, ...(namespace !== '' && { namespace }) },
      {
        type: 'Warning',
        reason: 'OwnerRefInvalidNamespace',
        message: `ownerRef ${meant} does not exist in namespace "${namespace}"`,
      },
    );
  }
}

/** Events belong to nobody, and nothing to them. */
const isFollowed = ({ handle, verbs }: DiscoveredResource): boolean =>
  handle.resource !== 'events' && NEEDED.every((verb) => verbs.includes(verb));

const identityOf = (handle: ResourceHandle, { metadata }: ApiObject): Identity => ({
  apiVersion: apiVersionOf(handle),
  kind: handle.kind,
  namespace: metadata.namespace ?? '',
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
});
