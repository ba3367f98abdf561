/**
 * The change of an object, however it was asked for: PUT, any patch, apply; of the object or of a
 * subresource that is a part of it. The new state is produced from the present one, admitted,
 * prepared, validated and written only if nothing else was written meanwhile; otherwise again.
 * Specification: "States and transitions", "Errors".
 */
import { answered } from '../authorization/awaited-answer.ts';
import { invariant } from '../../engine/invariant.ts';
import type { Process } from '../../engine/process.ts';
import type { ApiObject, ObjectMeta } from '../../api/object.ts';
import { ApiError, conflict, type FieldError, forbidden, notFound, plainError } from '../../api/status.ts';
import { atOnce, type Steps } from '../../api/steps.ts';
import { FieldPath } from '../../api/validation/field-path.ts';
import { withinBudget } from '../../api/validation/error-budget.ts';
import { invalid, invalidError } from '../../api/validation/field-error.ts';
import { pathSegmentName } from '../../api/validation/names.ts';
import {
  isCheckedAs,
  validateFinalizerNames,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '../../api/validation/object-meta.ts';
import { GoSyntax } from '../../api/go-text.ts';
import { isReleasedBy, type Release } from '../../api/release/release.ts';
import type { Revision, StoredEntry } from '../../storage/storage.ts';
import type { AdmissionAttributes, SubresourceView } from '../admission/admission.ts';
import { FieldConversions } from '../conversion/field-conversions.ts';
import {
  convertedForFields,
  inStorageVersion,
  inVersion,
  readAgain,
  readFromCache,
  settled,
} from '../conversion/show.ts';
import type { Exchange } from '../request/exchange.ts';
import { giveWay, givesWay, stepByStep } from '../request/give-way.ts';
import { parseUint } from '../options/parse-parameter.ts';
import { type Resource, storageGroup, storageResource, workingVersion } from '../registry/resource.ts';
import { withIdleTimes } from './managed-fields.ts';
import { deepFreeze, frozenAtRevision, stored } from '../registry/storage-form.ts';
import type { Draft, DraftObject, HookContext, UpdateCheck, UpdateRules } from '../registry/strategy.ts';
import type { ResourceStore } from '../stores/resource-store.ts';
import { noteLarge, sizeOfWrite } from '../stores/write-size.ts';
import { accessAttributesOf } from '../stages/authorize.ts';
import { checkNamespace, createObject } from './create-object.ts';
import { isEqualJson } from './equal-json.ts';
import { ExchangeHookContext } from './hook-context.ts';
import { dropDuplicateOwners } from './owner-references.ts';
import { asSent } from './as-sent.ts';
import { nameCheckFor, permitted } from './permitted.ts';

export interface Change {
  readonly name: string;
  readonly isDryRun: boolean;
  /** A missing object is created even if the kind does not allow it for PUT (apply). */
  readonly createsMissing: boolean;
  /** UID that the request insists on; undefined: none. */
  uidPrecondition?: string | undefined;
  /** The new state in the request's version, from the present one (undefined: there is none). May be called again. */
  produce(live: ApiObject | undefined): Steps<DraftObject>;
  /** Only for subresources: their rules instead of the kind's own. */
  readonly rules?: UpdateRules;
  /** The subresource shows another kind than the object's own. */
  readonly view?: SubresourceView;
}

export interface Changed {
  readonly object: ApiObject;
  readonly isCreated: boolean;
}

const MODIFIED =
  'the object has been modified; please apply your changes to the latest version and try again';

/** @throws ApiError */
export function* updateObject(exchange: Exchange, change: Change): Process<Changed> {
  const { resource, version } = exchange.routed;
  const store = exchange.server.storeOf(resource);
  const key = store.key(exchange.info.namespace, change.name);
  // Whoever has lost to another once goes through with it, so that a large change is not overtaken for ever.
  for (let isFirst = true; ; isFirst = false) {
    const entry = store.get(key);
    const mayCreate =
      change.createsMissing ||
      (resource.strategy.allowsCreateOnUpdate === true &&
        (!change.rules || exchange.info.subresource === 'status'));
    // Who what is not there is, is not asked since 1.34 where nobody may make it.
    if (entry || mayCreate || !isReleasedBy(exchange.server.release, '1.34'))
      checkUid(resource, key, entry, change);
    const copy = change.isDryRun ? undefined : entry && resource.copies?.of(entry.value, version.apiVersion);
    if (copy) yield* readFromCache(exchange, copy);
    const live =
      copy ?? (entry ? yield* settled(inVersion(exchange, entry.value, version.apiVersion)) : undefined);
    if (!live && !mayCreate) throw notFound(storageResource(resource), change.name);
    const again = copy && entry ? () => readAgain(exchange, entry.value) : undefined;
    const producing = resource.askConverted && live ? produceAsking(exchange, change, live) : undefined;
    const steps = producing ? yield* rereading(again, producing) : change.produce(live);
    const present = entry?.value;
    const produced =
      isFirst && givesWay(exchange, present) ? yield* stepByStep(exchange, steps, present) : atOnce(steps);
    if (!entry) {
      const created = yield* createMissing(exchange, change, {
        draft: produced,
        isThere: () => !!store.get(key),
      });
      if (created) return { object: created, isCreated: true };
      continue;
    }
    const afterMerging = isFirst ? giveWay(exchange, present) : undefined;
    if (afterMerging) yield* afterMerging;
    const old = resource.isCustom && live ? live : entry.value;
    const trying = attempt(exchange, change, { store, key, entry, old, produced, isFirst });
    const done = yield* again ? rereading(again, trying) : trying;
    if (again && done === entry.value) yield* again();
    if (done) return { object: done, isCreated: false };
  }
}

/** Owners of fields may have to be named in versions that somebody else knows. */
function* produceAsking(exchange: Exchange, change: Change, live: ApiObject): Process<DraftObject> {
  const conversions = new FieldConversions();
  exchange.fieldConversions = conversions;
  return yield* conversions.during(
    (object, apiVersion) => convertedForFields(exchange, object, apiVersion),
    () => atOnce(change.produce(live)),
  );
}

/** What was found in a cache is looked up in the storage before a failure is told. */
function* rereading<T>(again: (() => Process<void>) | undefined, work: Process<T>): Process<T> {
  if (!again) return yield* work;
  try {
    return yield* work;
  } catch (error) {
    yield* again();
    throw error;
  }
}

interface Missing {
  readonly draft: DraftObject;
  readonly isThere: () => boolean;
}

/** Undefined: somebody else has created it meanwhile, and it is changed after all. @throws ApiError */
function* createMissing(
  exchange: Exchange,
  change: Change,
  { draft, isThere }: Missing,
): Process<ApiObject | undefined> {
  const text = draft.metadata.resourceVersion ?? '';
  const version = text === '' ? 0 : parseUint(text);
  if (typeof version === 'object') throw plainError(version.error);
  delete draft.metadata.resourceVersion;
  try {
    return yield* createObject(exchange, {
      draft,
      isDryRun: change.isDryRun,
      nameInPath: change.name,
      mayCreate: () => checkCreation(exchange),
    });
  } catch (error) {
    if (error instanceof ApiError && error.status.reason === 'AlreadyExists' && isThere()) return undefined;
    throw error;
  }
}

interface Attempt {
  readonly store: ResourceStore;
  readonly key: string;
  readonly entry: StoredEntry<ApiObject>;
  /** What is there, in the version in which the request works. */
  readonly old: ApiObject;
  readonly produced: DraftObject;
  readonly isFirst: boolean;
}

/** Undefined: something else was written meanwhile. */
function* attempt(
  exchange: Exchange,
  change: Change,
  { store, key, entry, old, produced, isFirst }: Attempt,
): Process<ApiObject | undefined> {
  const { resource, version } = exchange.routed;
  const stage = inVersion(exchange, produced, workingVersion(resource, version));
  const draft = (yield* settled(stage)) as DraftObject;
  const beforeAdmission = isFirst ? giveWay(exchange, entry.value) : undefined;
  if (beforeAdmission) yield* beforeAdmission;
  const context = new ExchangeHookContext(exchange, change.isDryRun);
  const attributes: AdmissionAttributes = {
    operation: 'UPDATE',
    resource,
    version,
    subresource: exchange.info.subresource,
    namespace: exchange.info.namespace,
    name: change.name,
    object: draft,
    oldObject: old,
    isDryRun: change.isDryRun,
    context,
    ...(change.view && { view: change.view }),
  };
  checkNamespace(exchange, resource, draft.metadata);
  const admitting = exchange.server.admission.admit(attributes);
  if (admitting) yield* admitting;
  // Of a patch nobody has seen the object before.
  dropDuplicateOwners(exchange, draft.metadata, true);
  checkNamespace(exchange, resource, draft.metadata);
  checkVersion(resource, draft.metadata, old, change);
  const rules = change.rules ?? resource.strategy;
  prepare(exchange, draft, old, rules, context);
  const beforeChecks = isFirst ? giveWay(exchange, entry.value) : undefined;
  if (beforeChecks) yield* beforeChecks;
  const errors = withinBudget(() => changeErrors(exchange, { store, key, draft, old }, rules, context));
  if (errors.length > 0)
    throw invalidError(
      { group: storageGroup(resource), kind: draft.kind },
      change.name,
      asSent(errors, exchange.request),
    );
  const afterChecks = isFirst ? giveWay(exchange, entry.value) : undefined;
  if (afterChecks) yield* afterChecks;
  for (const text of rules.warningsOnUpdate?.(draft, old, context) ?? []) exchange.warn(text);
  resource.strategy.canonicalize?.(draft);
  resource.strategy.allocate?.(draft, old, context);
  const allocatedAt = store.storage.revision;
  const validating = exchange.server.admission.validate(attributes);
  if (validating) yield* validating;
  if (isFinalized(resource, draft, old))
    return removeFinalized({
      store,
      key,
      entry,
      draft: yield* inStorageVersion(exchange, draft),
      resource,
      isDryRun: change.isDryRun,
    });
  const beforeWriting = isFirst ? giveWay(exchange, entry.value) : undefined;
  if (beforeWriting) yield* beforeWriting;
  const isWhole =
    rules === resource.strategy || resource.strategy.metadataChecks?.includes('object') !== true;
  return write(exchange, {
    store,
    key,
    entry,
    draft: yield* inStorageVersion(exchange, draft),
    isWhole,
    allocatedAt,
    context,
  });
}

function write(
  exchange: Exchange,
  {
    store,
    key,
    entry,
    draft,
    isWhole,
    allocatedAt,
    context,
  }: {
    store: ResourceStore;
    key: string;
    entry: StoredEntry<ApiObject>;
    draft: DraftObject;
    /** All that the kind has to say of metadata was asked. */
    isWhole: boolean;
    /** Revision at which shared things were chosen. */
    allocatedAt: Revision;
    context: HookContext;
  },
): ApiObject | undefined {
  const { resource } = exchange.routed;
  const old = entry.value;
  // Only answers of dry runs show it.
  if ('selfLink' in draft.metadata && !context.isDryRun) delete draft.metadata.selfLink;
  const oldVersion = old.metadata.resourceVersion;
  if (oldVersion !== undefined) draft.metadata.resourceVersion = oldVersion;
  const base = exchange.server.writesByDelta ? old : undefined;
  if (store.storage.revision !== allocatedAt) resource.strategy.reallocate?.(draft, old, context);
  resource.strategy.leaveOut?.(draft);
  let next = withIdleTimes(old, stored(resource, draft, base));
  const mayStay = !store.isStale(old) && !(entry.version === 1 && resource.strategy.isStoredOtherwise?.(old));
  if (mayStay && (next === old || isUnchanged(next, old))) return old;
  const written = next;
  const size = context.isDryRun
    ? 'small'
    : sizeOfWrite({ resource, key, object: () => written, entry, request: exchange.request });
  if (size === 'bare') {
    delete draft.metadata.managedFields;
    next = stored(resource, draft, base);
    if (mayStay && isUnchanged(next, old)) return old;
  }
  if (context.isDryRun) return deepFreeze(next);
  const seconds = resource.strategy.timeToLiveSeconds;
  const leaseId = seconds === undefined ? undefined : exchange.server.upkeep.leaseFor(seconds);
  const isWellKnown = isWhole || store.checkedMetadata.has(key, old.metadata);
  const done = store.replace(key, entry.modRevision, (revision) => frozenAtRevision(next, revision), leaseId);
  if (done && isWellKnown) store.checkedMetadata.add(key, done.metadata);
  if (done && size !== 'small') noteLarge(done);
  return done;
}

/** What is cheap to compare, and differs as a rule, comes first. */
function isUnchanged(next: ApiObject, old: ApiObject): boolean {
  for (const name in next)
    if (name !== 'metadata' && next[name] !== old[name] && !isEqualJson(next[name], old[name])) return false;
  return isEqualJson(next, old);
}

function checkUid(
  resource: Resource,
  key: string,
  entry: StoredEntry<ApiObject> | undefined,
  { uidPrecondition, name, isDryRun }: Change,
): void {
  if (uidPrecondition === undefined || uidPrecondition === '') return;
  const uid = entry?.value.metadata.uid ?? '';
  if (uid === uidPrecondition) return;
  throw conflict(
    storageResource(resource),
    name,
    `StorageError: invalid object, Code: 4, Key: ${isDryRun ? key.replace('/registry', '') : key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uidPrecondition}, UID in object meta: ${uid}`,
  );
}

/** A PUT or an apply that creates needs the right to create as well; a refusal says no more than that. */
function checkCreation(exchange: Exchange): Process<void> | void {
  if (exchange.server.allowsEverything) return undefined;
  const attributes = { ...accessAttributesOf(exchange), verb: 'create' };
  return answered(() => {
    if (!exchange.authorizer.authorize(attributes).isAllowed)
      throw forbidden(storageResource(exchange.routed.resource), exchange.info.name, '');
  });
}

function checkVersion(resource: Resource, meta: Draft<ObjectMeta>, old: ApiObject, { name }: Change): void {
  const text = meta.resourceVersion ?? '';
  const version = text === '' ? 0 : parseUint(text);
  if (typeof version === 'object') throw plainError(version.error);
  if (version === 0) {
    if (!resource.strategy.requiresVersionOnUpdate) {
      meta.resourceVersion = old.metadata.resourceVersion ?? '';
      return;
    }
    const error = invalid(
      FieldPath.of('metadata', 'resourceVersion'),
      new GoSyntax('0x0', '0'),
      'must be specified for an update',
    );
    throw invalidError({ group: resource.group, kind: resource.resource }, name, [error]);
  }
  if (text !== old.metadata.resourceVersion) throw conflict(storageResource(resource), name, MODIFIED);
}

function prepare(
  exchange: Exchange,
  draft: DraftObject,
  old: ApiObject,
  rules: UpdateRules,
  context: HookContext,
): void {
  const { resource } = exchange.routed;
  const { metadata } = draft;
  if (resource.isNamespaced) metadata.namespace = exchange.info.namespace;
  else if ('namespace' in metadata) delete metadata.namespace;
  keep(metadata, old.metadata, 'generation');
  rules.prepareForUpdate?.(draft, old, context);
  if (!metadata.uid) keep(metadata, old.metadata, 'uid');
  keep(metadata, old.metadata, 'creationTimestamp');
  if (old.metadata.deletionTimestamp) {
    metadata.deletionTimestamp = old.metadata.deletionTimestamp;
    if (old.metadata.deletionGracePeriodSeconds === undefined && metadata.deletionGracePeriodSeconds === 0) {
      delete metadata.deletionGracePeriodSeconds;
    }
  }
  // Also of what does not go: it may have been created with one.
  if (old.metadata.deletionGracePeriodSeconds !== undefined)
    metadata.deletionGracePeriodSeconds ??= old.metadata.deletionGracePeriodSeconds;
}

function keep<Name extends 'generation' | 'uid' | 'creationTimestamp'>(
  meta: Draft<ObjectMeta>,
  old: Pick<ObjectMeta, Name>,
  name: Name,
): void {
  const value = old[name] as Draft<ObjectMeta>[Name];
  if (value !== undefined) meta[name] = value;
  else if (name in meta) delete meta[name];
}

interface Difference {
  readonly store: ResourceStore;
  readonly key: string;
  readonly draft: DraftObject;
  readonly old: ApiObject;
}

function changeErrors(
  { server, routed: { resource } }: Exchange,
  { store, key, draft, old }: Difference,
  rules: UpdateRules,
  context: HookContext,
): readonly FieldError[] {
  const object = draft as ApiObject;
  const order = orderOf(rules, server.release);
  const isNamedAnew = resource.strategy.nameCheckOf !== undefined && order.includes('object');
  const isKnown =
    server.writesByDelta &&
    !isNamedAnew &&
    store.checkedMetadata.has(key, old.metadata) &&
    isCheckedAs(object.metadata, old.metadata);
  const ofObject = order.includes('rules') ? objectErrors(resource, object, old, rules, context) : NO_ERRORS;
  const metadata = isKnown ? NO_METADATA_ERRORS : metadataErrors(resource, object, old, server.release);
  const update = permitted(
    rules.validateUpdate?.(object, old, context, metadata.change) ?? NO_ERRORS,
    server,
  );
  if (isKnown && ofObject.length === 0) return update;
  const own = { rules: permitted(ofObject, server), update };
  const wholeOrder = order.includes('update') ? order : [...order, 'update' as const];
  return [...metadata.first, ...wholeOrder.flatMap((check) => ({ ...metadata, ...own })[check])];
}

const NO_ERRORS: readonly FieldError[] = [];
const CHANGE: readonly UpdateCheck[] = ['change'];

function orderOf(
  { metadataChecks = CHANGE, asksOnceSince, laterChecks = [] }: UpdateRules,
  release: Release,
): readonly UpdateCheck[] {
  const later = laterChecks.findLast(([since]) => isReleasedBy(release, since));
  if (later) return later[1];
  const asksOnce = asksOnceSince !== undefined && isReleasedBy(release, asksOnceSince);
  return asksOnce ? [...new Set(metadataChecks)] : metadataChecks;
}

function objectErrors(
  { strategy }: Resource,
  object: ApiObject,
  old: ApiObject,
  rules: UpdateRules,
  context: HookContext,
): readonly FieldError[] {
  return rules.rulesOnUpdate?.(object, old, context) ?? strategy.validate?.(object, context) ?? NO_ERRORS;
}

/** What every kind is asked first, and what its checks say of the metadata. */
type MetadataErrors = Readonly<Record<'first' | 'object' | 'change', readonly FieldError[]>>;

const NO_METADATA_ERRORS: MetadataErrors = { first: NO_ERRORS, object: NO_ERRORS, change: NO_ERRORS };

function metadataErrors(
  { isNamespaced, isCustom, strategy }: Resource,
  object: ApiObject,
  old: ApiObject,
  release: Release,
): MetadataErrors {
  const { metadata } = object;
  const path = FieldPath.of('metadata');
  const ofUpdate = validateObjectMetaUpdate(metadata, old.metadata, path);
  const checksFinalizerNames = !isCustom && strategy.hasFreeFinalizers !== true;
  const nameCheck = nameCheckFor(strategy, object, release);
  return {
    first: [...validateObjectMeta(metadata, { isNamespaced, nameCheck: pathSegmentName }, path), ...ofUpdate],
    object: validateObjectMeta(metadata, { isNamespaced, nameCheck, checksFinalizerNames }, path),
    change: checksFinalizerNames ? [...ofUpdate, ...validateFinalizerNames(metadata, path)] : ofUpdate,
  };
}

/** The last finalizer of an object in its finalization phase is gone: the write removes it. */
function isFinalized(resource: Resource, draft: DraftObject, old: ApiObject): boolean {
  if ((draft.metadata.finalizers?.length ?? 0) > 0) return false;
  if (resource.strategy.hasOtherFinalizers) {
    return old.metadata.deletionTimestamp !== undefined && !resource.strategy.hasOtherFinalizers(draft);
  }
  // Whoever applies what does not exist may say when it was deleted, and nothing of a grace.
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = old.metadata;
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0;
}

function removeFinalized({
  store,
  key,
  entry,
  draft,
  resource,
  isDryRun,
}: Pick<Attempt, 'store' | 'key' | 'entry'> & { draft: DraftObject; resource: Resource; isDryRun: boolean }):
  ApiObject | undefined {
  const last = stored(resource, draft);
  const { resourceVersion } = entry.value.metadata;
  invariant(resourceVersion !== undefined, 'a stored object has a resourceVersion', { key });
  const answer = { ...last, metadata: { ...last.metadata, resourceVersion } };
  if (isDryRun) return answer;
  if (store.remove(key, entry.modRevision) === undefined) return undefined;
  return answer;
}
