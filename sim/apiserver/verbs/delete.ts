/**
 * DELETE of one object: at once, after a grace period, or in two phases while finalizers remain.
 * Specification: "Object deletion".
 */
import { canonical } from '../../api/codec/canonical.ts';
import type { Process } from '../../engine/process.ts';
import type { ApiObject } from '../../api/object.ts';
import { conflict, notFound } from '../../api/status.ts';
import { formatTime, parseTime } from '../../api/time-format.ts';
import type { StoredEntry } from '../../storage/storage.ts';
import type { AdmissionAttributes } from '../admission/admission.ts';
import { inVersion, readAgain, readFromCache, settled } from '../conversion/show.ts';
import type { Exchange } from '../request/exchange.ts';
import { deleteOptionsOf, isDryRunOf } from '../options/delete-options.ts';
import { type Resource, storageGroup, storageResource, workingVersion } from '../registry/resource.ts';
import { atRevision, deepFreeze, stored } from '../registry/storage-form.ts';
import type { DeleteOptions, DraftObject } from '../registry/strategy.ts';
import { respondObject, respondSuccess } from '../representation/respond.ts';
import { respondShown } from './respond-shown.ts';
import type { ResourceStore } from '../stores/resource-store.ts';
import { checkPathName } from './path-name.ts';
import { ExchangeHookContext } from './hook-context.ts';

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

export function* deleteVerb(exchange: Exchange): Process<void> {
  const { resource } = exchange.routed;
  const options = deleteOptionsOf(exchange);
  checkPathName(exchange.info.name);
  const outcome = yield* deleteObject(exchange, exchange.info.name, options);
  if (outcome.isUnread) respondObject(exchange, 200, nothingOf(exchange));
  else if (outcome.isRemoved && !resource.strategy.returnsDeletedObject)
    respondSuccess(exchange, outcome.object);
  else {
    const isAccepted = !outcome.isRemoved && options.orphanDependents === false;
    yield* respondShown(exchange, isAccepted ? 202 : 200, outcome.object);
  }
}

export interface Deletion {
  /** As it is now, or was last. */
  readonly object: ApiObject;
  readonly isRemoved: boolean;
  /** Who asks is shown an object of nothing. */
  readonly isUnread?: boolean;
}

/** As Go has a new one. A custom resource has no metadata then, but where they alone are shown. */
function nothingOf({ routed, accepted }: Exchange): ApiObject {
  const { kind, apiVersion, schema } = routed.version;
  const metadata = { creationTimestamp: null };
  if (routed.resource.isCustom)
    return { apiVersion, kind, ...(accepted?.view && { metadata }) } as object as ApiObject;
  return canonical(schema, { kind, apiVersion, metadata }) as ApiObject;
}

/** What one look at the object decides. */
type Step =
  /** Nothing to do: it is in its graceful deletion already. */
  | { readonly kind: 'pending' }
  /** Store the changed object; `isLast`: and remove it then. */
  | { readonly kind: 'mark'; readonly draft: DraftObject; readonly isLast: boolean }
  | { readonly kind: 'remove' };

export interface DeletionTerms {
  /** Admission has let through what the deletion is a part of. */
  readonly isAdmitted?: boolean;
}

/** @throws ApiError */
export function* deleteObject(
  exchange: Exchange,
  name: string,
  options: DeleteOptions,
  { isAdmitted = false }: DeletionTerms = {},
): Process<Deletion> {
  const { resource, version } = exchange.routed;
  const store = exchange.server.storeOf(resource);
  const key = store.key(exchange.info.namespace, name);
  const isDryRun = isDryRunOf(options);
  const context = new ExchangeHookContext(exchange, isDryRun);
  for (const text of resource.strategy.warningsOnDelete?.(options) ?? []) exchange.warn(text);
  for (;;) {
    const entry = store.get(key);
    if (!entry) throw notFound(storageResource(resource), name);
    const attributes: AdmissionAttributes = {
      operation: 'DELETE',
      resource,
      version,
      subresource: '',
      namespace: exchange.info.namespace,
      name,
      object: undefined,
      oldObject: yield* settled(inVersion(exchange, entry.value, workingVersion(resource, version))),
      isDryRun,
      context,
    };
    const admitting = isAdmitted ? undefined : exchange.server.admission.admit(attributes);
    if (admitting) yield* admitting;
    checkPreconditions(resource, name, entry.value, options);
    if (exchange.info.name !== '') resource.strategy.beforeDelete?.(entry.value, context);
    const validating = isAdmitted ? undefined : exchange.server.admission.validate(attributes);
    if (validating) yield* validating;
    const asked = resource.askConverted && !isDryRun ? attributes.oldObject : undefined;
    if (asked) yield* readFromCache(exchange, asked);
    const deletion = carryOut({ exchange, store, key, entry, options, isDryRun });
    if (asked && deletion?.isRemoved === true) yield* readAgain(exchange, entry.value);
    if (deletion) return deletion;
  }
}

interface Plan {
  readonly exchange: Exchange;
  readonly store: ResourceStore;
  readonly key: string;
  readonly entry: StoredEntry<ApiObject>;
  readonly options: DeleteOptions;
  readonly isDryRun: boolean;
}

/** Undefined: something else was written meanwhile. */
function carryOut({ exchange, store, key, entry, options, isDryRun }: Plan): Deletion | undefined {
  const { resource } = exchange.routed;
  const step = stepOf(resource, entry.value, options, exchange.receivedMs);
  if (step.kind === 'pending') return { object: entry.value, isRemoved: false };
  if (step.kind === 'mark') {
    const next = stored(resource, step.draft);
    if (isDryRun) return { object: deepFreeze(next), isRemoved: step.isLast };
    const replaced = store.replace(key, entry.modRevision, (revision) => atRevision(next, revision));
    if (!replaced) return undefined;
    if (!step.isLast) return { object: replaced, isRemoved: false };
    const marked = store.get(key);
    return marked && remove(store, key, marked);
  }
  if (!isDryRun) return remove(store, key, entry);
  // What would go with the finalizers that go is not read again.
  const isUnread = hasFinalizers(entry.value) && !resource.strategy.hasOtherFinalizers;
  return { object: entry.value, isRemoved: true, isUnread };
}

function remove(store: ResourceStore, key: string, entry: StoredEntry<ApiObject>): Deletion | undefined {
  const revision = store.remove(key, entry.modRevision);
  if (revision === undefined) return undefined;
  return { object: atRevision(entry.value, revision), isRemoved: true };
}

/** @throws ApiError `Conflict`: it is another object, or another version of it. */
export function checkPreconditions(
  resource: Resource,
  name: string,
  { metadata }: ApiObject,
  options: DeleteOptions,
): void {
  const { kind, strategy } = resource;
  const called = { group: storageGroup(resource), resource: kind };
  const { uid, resourceVersion } = options.preconditions ?? {};
  if (strategy.hasOtherFinalizers) {
    if (uid !== undefined && uid !== metadata.uid) {
      throw conflict(
        storageResource(resource),
        name,
        `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid ?? ''}`,
      );
    }
    if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
      throw conflict(
        storageResource(resource),
        name,
        `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${metadata.resourceVersion ?? ''}`,
      );
    }
  } else if (uid !== undefined && uid !== metadata.uid) {
    throw conflict(
      called,
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid ?? ''}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw conflict(
      called,
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion ?? ''}). The object might have been modified`,
    );
  }
}

const LONGEST_SECONDS = 9_000_000_000;

/** As Go adds a duration to a time: in nanoseconds of 64 bits, which a long one overflows. */
function secondsLater(startMs: number, seconds: number | bigint): number {
  const ms = Number(seconds) * 1_000;
  if (Math.abs(ms) < LONGEST_SECONDS * 1_000) return startMs + ms;
  return startMs + Number(BigInt.asIntN(64, BigInt(seconds) * 1_000_000_000n) / 1_000_000n);
}

function stepOf(resource: Resource, object: ApiObject, options: DeleteOptions, nowMs: number): Step {
  const { strategy } = resource;
  const { metadata } = object;
  if (strategy.hasOtherFinalizers) {
    if (metadata.deletionTimestamp === undefined) return terminated(resource, object, options, nowMs);
    if (strategy.hasOtherFinalizers(object)) return { kind: 'pending' };
  }
  const grace = strategy.gracefulDeletion?.(object, options);
  const draft: DraftObject = { ...object, metadata: { ...metadata } } as DraftObject;
  if (metadata.deletionTimestamp !== undefined && grace !== undefined) {
    const present = metadata.deletionGracePeriodSeconds;
    // With no time left the deletion is as any other: what becomes of dependents may still be said.
    if (present !== undefined && present !== 0) {
      const wanted = options.gracePeriodSeconds;
      if (wanted === undefined || wanted >= present) return { kind: 'pending' };
      const endMs = parseTime(metadata.deletionTimestamp).epochSeconds * 1_000;
      draft.metadata.deletionTimestamp = formatTime(secondsLater(secondsLater(endMs, -present), wanted));
      draft.metadata.deletionGracePeriodSeconds = wanted;
      return { kind: 'mark', draft, isLast: wanted === 0 && !hasFinalizers(draft) };
    }
  } else if (grace !== undefined) {
    draft.metadata.deletionTimestamp = formatTime(secondsLater(nowMs, grace));
    draft.metadata.deletionGracePeriodSeconds = grace;
    raiseGeneration(draft);
    changeFinalizers(resource, draft, options);
    return { kind: 'mark', draft, isLast: grace === 0 && !hasFinalizers(draft) };
  }
  const isChanged = changeFinalizers(resource, draft, options);
  if (!hasFinalizers(draft)) return { kind: 'remove' };
  const isMarked = markAsDeleting(draft, nowMs);
  return isChanged || isMarked ? { kind: 'mark', draft, isLast: false } : { kind: 'pending' };
}

/** The first deletion of what finalizes in its own way only marks it. */
function terminated(resource: Resource, object: ApiObject, options: DeleteOptions, nowMs: number): Step {
  const draft: DraftObject = { ...object, metadata: { ...object.metadata } } as DraftObject;
  draft.metadata.deletionTimestamp = formatTime(nowMs);
  const { strategy } = resource;
  strategy.markTerminating?.(draft);
  if (!strategy.marksWithoutPropagation) changeFinalizers(resource, draft, options);
  return { kind: 'mark', draft, isLast: false };
}

const hasFinalizers = ({ metadata }: DraftObject | ApiObject): boolean =>
  (metadata.finalizers?.length ?? 0) > 0;

function raiseGeneration({ metadata }: DraftObject): void {
  if ((metadata.generation ?? 0) > 0) metadata.generation = (metadata.generation ?? 0) + 1;
}

/** For kinds without graceful deletion: the finalization phase begins now. False if it had begun already. */
function markAsDeleting(draft: DraftObject, nowMs: number): boolean {
  const { metadata } = draft;
  if (metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0) return false;
  if (metadata.deletionTimestamp === undefined) raiseGeneration(draft);
  metadata.deletionTimestamp ??= formatTime(nowMs);
  metadata.deletionGracePeriodSeconds = 0;
  return true;
}

/** Adds or removes the two finalizers that stand for a propagation policy. True if anything changed. */
function changeFinalizers(resource: Resource, { metadata }: DraftObject, options: DeleteOptions): boolean {
  if (resource.strategy.hasNoDependents) return false;
  const present = metadata.finalizers ?? [];
  const wanted = wantedPropagation(resource, present, options);
  const kept = present.filter((finalizer) => finalizer !== ORPHAN && finalizer !== FOREGROUND);
  if (wanted === 'Orphan') kept.push(ORPHAN);
  if (wanted === 'Foreground') kept.push(FOREGROUND);
  const before = new Set(present);
  if (kept.length === present.length && kept.every((finalizer) => before.has(finalizer))) return false;
  metadata.finalizers = kept;
  return true;
}

function wantedPropagation({ strategy }: Resource, finalizers: readonly string[], options: DeleteOptions) {
  if (options.orphanDependents === true) return 'Orphan';
  if (options.orphanDependents === false) return strategy.propagationWithoutOrphans ?? 'Background';
  if (options.propagationPolicy !== undefined) return options.propagationPolicy;
  if (finalizers.includes(ORPHAN)) return 'Orphan';
  if (finalizers.includes(FOREGROUND)) return 'Foreground';
  return strategy.defaultPropagation ?? 'Background';
}
