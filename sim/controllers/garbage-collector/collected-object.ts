/**
 * What is done about one node of the graph: the object is read, its owners are looked for, and it is deleted, loses
 * references to owners that are gone, or stays. A failing call brings it back later.
 */
import type { ApiObject, OwnerReference } from '../../api/object.ts';
import type { ApiClient } from '../../client/api-client.ts';
import {
  type CallFailure,
  hasReason,
  isCallFailure,
  isConflict,
  isNotFound,
} from '../../client/api-failure.ts';
import type { ServedResources } from '../../client/discovery/discovery.ts';
import type { DeleteOptions, Patch } from '../../client/options.ts';
import type { ResourceHandle } from '../../client/resource-handle.ts';
import type { Process } from '../../engine/process.ts';
import { milliseconds } from '../../engine/time.ts';
import type { AbsentOwners } from './absent-owners.ts';
import type { OwnerMeant } from './dependency-graph.ts';
import {
  FOREGROUND,
  type GraphNode,
  hasFinalizer,
  type Identity,
  isBeingDeleted,
  ORPHAN,
} from './graph-node.ts';
import {
  unblocked,
  unblocking,
  withoutFinalizer,
  withoutOwners,
  withoutOwnersOf,
} from './reference-patches.ts';

/** What came of looking at a node. */
export type Outcome =
  | 'done'
  /** The object is not there. */
  | 'absent'
  /** Its dependents have to go first: they are looked at next. */
  | 'waits'
  /** It, or an owner of it, is of a kind that is not served, at least not now. */
  | 'unknown kind';

export interface CollectorView {
  readonly client: ApiClient;
  readonly absent: AbsentOwners;
  readonly ownerMeant: OwnerMeant;
  /** As of the last time that it was asked for. */
  readonly served: ServedResources;
}

type Policy = NonNullable<DeleteOptions['propagationPolicy']>;

const UNKNOWN = Symbol('unknown kind');
type OwnerState = 'solid' | 'dangling' | 'waiting';

/** @throws ApiError, NoAnswer */
export function* collect(view: CollectorView, node: GraphNode): Process<Outcome> {
  if (node.isBeingDeleted && !node.isDeletingDependents) return 'done';
  const { client, served } = view;
  const { identity } = node;
  const handle = served.handleOf(identity.apiVersion, identity.kind);
  if (!handle) return 'unknown kind';
  const latest = yield* found(client, handle, identity);
  if (latest?.metadata.uid !== identity.uid) return 'absent';
  if (node.isDeletingDependents) return yield* finishForeground(client, handle, node);
  const references = latest.metadata.ownerReferences ?? [];
  if (references.length === 0) return 'done';
  const states = yield* ownerStates(view, references, identity);
  if (states === UNKNOWN) return 'unknown kind';
  if (!states) return 'done';
  const uidsOf = (...wanted: readonly OwnerState[]): readonly string[] =>
    references.flatMap(({ uid }) => (wanted.includes(states.get(uid) ?? 'solid') ? [uid] : []));
  if (uidsOf('solid').length > 0) {
    const gone = uidsOf('dangling', 'waiting');
    if (gone.length > 0) yield* dropOwners(client, handle, identity, gone);
    return 'done';
  }
  const isWaitedFor = uidsOf('waiting').length > 0 && node.dependents.size > 0;
  if (isWaitedFor && [...node.dependents].some((dependent) => dependent.isDeletingDependents))
    yield* unblock(client, handle, latest, identity);
  const propagationPolicy = isWaitedFor ? 'Foreground' : policyOf(latest);
  return yield* deleted(client, handle, { identity, propagationPolicy });
}

function policyOf(object: ApiObject): Policy {
  if (hasFinalizer(object, ORPHAN)) return 'Orphan';
  return hasFinalizer(object, FOREGROUND) ? 'Foreground' : 'Background';
}

function* deleted(
  client: ApiClient,
  handle: ResourceHandle,
  { identity, propagationPolicy }: { readonly identity: Identity; readonly propagationPolicy: Policy },
): Process<Outcome> {
  try {
    const preconditions = { uid: identity.uid };
    yield* client.delete(handle, keyOf(identity), { propagationPolicy, preconditions });
    return 'done';
  } catch (error) {
    if (isNotFound(error)) return 'absent';
    throw error;
  }
}

/** The last blocking dependent has gone, or is still to go. */
function* finishForeground(client: ApiClient, handle: ResourceHandle, node: GraphNode): Process<Outcome> {
  if (node.blockingDependents().length > 0) return 'waits';
  yield* dropFinalizer(client, handle, node.identity, FOREGROUND);
  return 'done';
}

/** Undefined: the object cannot have such an owner, and stays as it is. */
function* ownerStates(
  { client, absent, ownerMeant, served }: CollectorView,
  references: readonly OwnerReference[],
  dependent: Identity,
): Process<ReadonlyMap<string, OwnerState> | typeof UNKNOWN | undefined> {
  const states = new Map<string, OwnerState>();
  for (const reference of references) {
    const owner = ownerMeant(reference, dependent);
    if (absent.has(owner)) {
      states.set(owner.uid, 'dangling');
      continue;
    }
    const handle = served.handleOf(owner.apiVersion, owner.kind);
    if (!handle) return UNKNOWN;
    if (handle.isNamespaced && dependent.namespace === '') return undefined;
    const object = yield* found(client, handle, owner);
    if (object?.metadata.uid !== owner.uid) {
      absent.add(owner);
      states.set(owner.uid, 'dangling');
    } else states.set(owner.uid, isWaiting(object) ? 'waiting' : 'solid');
  }
  return states;
}

const isWaiting = (owner: ApiObject): boolean => isBeingDeleted(owner) && hasFinalizer(owner, FOREGROUND);

/**
 * Takes the owner out of all dependents at once, and then lets it go. One that cannot be freed keeps no other from it; those
 * that become known meanwhile are freed as well. @throws ApiError, NoAnswer
 */
export function* orphan(view: CollectorView, node: GraphNode): Process<Outcome> {
  const { identity } = node;
  const { client, served } = view;
  const freed = new Set<GraphNode>();
  for (;;) {
    const left = [...node.dependents].filter((dependent) => !freed.has(dependent));
    if (left.length === 0) break;
    const outcomes = yield* client.context.all(
      left.map((dependent) => free(view, dependent.identity, identity.uid)),
    );
    const problems = outcomes.filter((outcome) => outcome !== 'done');
    const failure = problems.find((problem) => problem !== 'unknown kind');
    if (failure) throw failure;
    if (problems.length > 0) return 'unknown kind';
    for (const dependent of left) freed.add(dependent);
  }
  const handle = served.handleOf(identity.apiVersion, identity.kind);
  if (!handle) return 'unknown kind';
  yield* dropFinalizer(client, handle, identity, ORPHAN);
  return 'done';
}

function* free(
  { client, served }: CollectorView,
  dependent: Identity,
  owner: string,
): Process<'done' | 'unknown kind' | CallFailure> {
  const handle = served.handleOf(dependent.apiVersion, dependent.kind);
  if (!handle) return 'unknown kind';
  try {
    yield* dropOwners(client, handle, dependent, [owner]);
    return 'done';
  } catch (error) {
    if (!isCallFailure(error)) throw error;
    return error;
  }
}

/** It blocks none of its owners any more. */
function* unblock(
  client: ApiClient,
  handle: ResourceHandle,
  latest: ApiObject,
  identity: Identity,
): Process<void> {
  try {
    yield* client.patch(handle, keyOf(identity), unblocking(latest));
  } catch (error) {
    if (!hasReason(error, 'UnsupportedMediaType')) throw error;
    yield* client.patch(handle, keyOf(identity), unblocked(latest));
  }
}

/** Whoever is gone, or is another one by now, has nothing to lose. */
function* dropOwners(
  client: ApiClient,
  handle: ResourceHandle,
  identity: Identity,
  owners: readonly string[],
): Process<void> {
  const patchWith = (patch: Patch): Process<unknown> => client.patch(handle, keyOf(identity), patch);
  try {
    yield* patchWith(withoutOwners(identity.uid, owners));
  } catch (error) {
    if (isNotFound(error) || hasReason(error, 'Invalid')) return;
    if (!hasReason(error, 'UnsupportedMediaType')) throw error;
    const latest = yield* found(client, handle, identity);
    if (latest?.metadata.uid === identity.uid) yield* patchWith(withoutOwnersOf(latest, owners));
  }
}

/** After a conflict. */
const PAUSES_MS = [10, 50, 250];

function* dropFinalizer(
  client: ApiClient,
  handle: ResourceHandle,
  identity: Identity,
  finalizer: string,
): Process<void> {
  for (let tries = 0; ; tries++) {
    const latest = yield* found(client, handle, identity);
    if (latest?.metadata.uid !== identity.uid || !hasFinalizer(latest, finalizer)) return;
    try {
      yield* client.patch(handle, keyOf(identity), withoutFinalizer(latest, finalizer));
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      const pauseMs = PAUSES_MS[tries];
      if (!isConflict(error) || pauseMs === undefined) throw error;
      yield* client.context.sleep(milliseconds(pauseMs));
    }
  }
}

function* found(
  client: ApiClient,
  handle: ResourceHandle,
  identity: Identity,
): Process<ApiObject | undefined> {
  try {
    return yield* client.get(handle, keyOf(identity));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

const keyOf = ({ namespace, name }: Identity): { readonly namespace?: string; readonly name: string } => ({
  name,
  ...(namespace !== '' && { namespace }),
});
