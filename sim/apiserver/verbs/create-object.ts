/**
 * The creation of an object, however it was asked for: POST, a PUT or an apply of a missing object.
 * Fixed order: admission, system metadata, the kind's preparation, validation, validating admission,
 * the write. Specification: "Generated values", "Object names".
 */
import type { Process } from '../../engine/process.ts';
import type { ApiObject, ObjectMeta } from '../../api/object.ts';
import { formatTime } from '../../api/time-format.ts';
import { ApiError, alreadyExists, badRequest, type FieldError, plainError } from '../../api/status.ts';
import { FieldPath } from '../../api/validation/field-path.ts';
import { withinBudget } from '../../api/validation/error-budget.ts';
import { invalidError } from '../../api/validation/field-error.ts';
import { pathSegmentName } from '../../api/validation/names.ts';
import { validateObjectMeta, validateObjectName } from '../../api/validation/object-meta.ts';
import type { AdmissionAttributes } from '../admission/admission.ts';
import { inStorageVersion, inVersion, settled } from '../conversion/show.ts';
import type { Exchange } from '../request/exchange.ts';
import { giveWay } from '../request/give-way.ts';
import { type Resource, storageGroup, storageResource, workingVersion } from '../registry/resource.ts';
import { deepFreeze, frozenAtRevision, stored } from '../registry/storage-form.ts';
import type { Draft, DraftObject } from '../registry/strategy.ts';
import { noteLarge, sizeOfWrite, type WriteSize } from '../stores/write-size.ts';
import { ExchangeHookContext } from './hook-context.ts';
import { dropDuplicateOwners } from './owner-references.ts';
import { asSent } from './as-sent.ts';
import { nameCheckFor, permitted } from './permitted.ts';

const OF_STORAGE = ['resourceVersion', 'selfLink'] as const;
const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const MAX_GENERATED_PREFIX = 58;
/** With RetryGenerateName a taken generated name is drawn again so many times. */
const NAME_TRIES = 8;

export interface Creation {
  /** In the request's version, defaulted, with its managed fields. */
  readonly draft: DraftObject;
  readonly isDryRun: boolean;
  /** Name in the path of a PUT or an apply. */
  readonly nameInPath?: string;
  /** Called after validation and before the write: may it be created at all? */
  readonly mayCreate?: () => Process<void> | void;
}

/** The stored object, in its storage version. @throws ApiError */
export function* createObject(exchange: Exchange, creation: Creation): Process<ApiObject> {
  const { resource, version } = exchange.routed;
  const { draft: sent, isDryRun } = creation;
  const meta = sent.metadata;
  const sentVersion = meta.resourceVersion ?? '';
  checkNamespace(exchange, resource, meta);
  dropDuplicateOwners(exchange, meta, false);
  const stage = inVersion(exchange, sent, workingVersion(resource, version));
  const draft = (yield* settled(stage)) as DraftObject;
  const context = new ExchangeHookContext(exchange, isDryRun);
  const attributes: AdmissionAttributes = {
    operation: 'CREATE',
    resource,
    version,
    subresource: '',
    namespace: exchange.info.namespace,
    ...(isNamespace(resource) && meta.name && { toldNamespace: meta.name }),
    name: draft.metadata.name ?? creation.nameInPath ?? '',
    object: draft,
    oldObject: undefined,
    isDryRun,
    context,
  };
  const beforeAdmission = giveWay(exchange);
  if (beforeAdmission) yield* beforeAdmission;
  const admitting = exchange.server.admission.admit(attributes);
  if (admitting) yield* admitting;
  checkNamespace(exchange, resource, draft.metadata);
  dropDuplicateOwners(exchange, draft.metadata, true);
  const asking = creation.mayCreate?.();
  if (asking) yield* asking;
  const { strategy } = resource;
  const generated = fillSystemMetadata(exchange, draft.metadata);
  strategy.prepareForCreate?.(draft, context);
  const beforeValidation = giveWay(exchange);
  if (beforeValidation) yield* beforeValidation;
  for (let attempt = 1; ; attempt += 1) {
    const errors = withinBudget(() => creationErrors(exchange, draft, context));
    if (errors.length > 0) {
      throw invalidError(
        { group: storageGroup(resource), kind: resource.isCustom ? draft.kind : resource.kind },
        draft.metadata.name ?? '',
        asSent(errors, exchange.request),
      );
    }
    const afterValidation = giveWay(exchange);
    if (afterValidation) yield* afterValidation;
    for (const warning of strategy.warningsOnCreate?.(draft, context) ?? []) exchange.warn(warning);
    strategy.canonicalize?.(draft);
    strategy.allocate?.(draft, undefined, context);
    const { storage } = exchange.server.storeOf(resource);
    const allocatedAt = storage.revision;
    const name = draft.metadata.name ?? '';
    const validating = exchange.server.admission.validate(
      name === attributes.name ? attributes : { ...attributes, name },
    );
    if (validating) yield* validating;
    if (isStorageVersion(sentVersion) && !isDryRun)
      throw plainError('resourceVersion should not be set on objects to be created');
    // The storage sees to them, which a dry run never reaches: what was sent is shown.
    if (!isDryRun) for (const name of OF_STORAGE) if (name in draft.metadata) delete draft.metadata[name];
    const beforeWriting = giveWay(exchange);
    if (beforeWriting) yield* beforeWriting;
    const ready = yield* inStorageVersion(exchange, draft);
    const write = isDryRun ? UNMEASURED : measured(exchange, ready);
    const afterMeasuring = giveWay(exchange);
    if (afterMeasuring) yield* afterMeasuring;
    if (storage.revision !== allocatedAt) strategy.reallocate?.(ready, undefined, context);
    const created = store(exchange, ready, write, context);
    if (created) return created;
    const tries = exchange.server.machinery.retriesNames ? NAME_TRIES : 1;
    if (!generated || attempt >= tries) throw nameTaken(exchange, resource, draft.metadata);
    draft.metadata.name = generatedName(exchange, draft.metadata.generateName ?? '');
  }
}

/** Only numbers other than 0 count as a version that a new object must not have. */
const isStorageVersion = (text: string): boolean => /^[0-9]+$/.test(text) && Number(text) !== 0;

function store(
  exchange: Exchange,
  draft: DraftObject,
  { size, object }: Measured,
  context: ExchangeHookContext,
): ApiObject | undefined {
  const { resource } = exchange.routed;
  const { server } = exchange;
  const { strategy } = resource;
  const objects = server.storeOf(resource);
  const key = objects.key(draft.metadata.namespace ?? '', draft.metadata.name ?? '');
  if (objects.get(key)) return undefined;
  strategy.leaveOut?.(draft);
  // Frozen as what is stored: it is shown with the defaults that reading adds.
  if (context.isDryRun) return deepFreeze(stored(resource, draft));
  const seconds = strategy.timeToLiveSeconds;
  const leaseId = seconds === undefined ? undefined : server.upkeep.leaseFor(seconds);
  // What was measured is what is stored, as long as nothing was changed since.
  const ready = strategy.allocate ? undefined : object;
  const created = objects.create(
    key,
    (revision) => {
      if (ready) return frozenAtRevision(ready, revision);
      draft.metadata.resourceVersion = String(revision);
      return deepFreeze(stored(resource, draft));
    },
    leaseId,
  );
  if (created) objects.checkedMetadata.add(key, created.metadata);
  if (created && size !== 'small') noteLarge(created);
  return created;
}

interface Measured {
  readonly size: WriteSize;
  /** As it will be stored, if it had to be made to be measured. */
  readonly object?: ApiObject | undefined;
}

const UNMEASURED: Measured = { size: 'small' };

/** Takes the managed fields off if there is no room for them. */
function measured({ routed: { resource }, request, server }: Exchange, draft: DraftObject): Measured {
  const key = server.storeOf(resource).key(draft.metadata.namespace ?? '', draft.metadata.name ?? '');
  let made: ApiObject | undefined;
  // Any version keeps the place of the one to come.
  const versioned = (): DraftObject => ({ ...draft, metadata: { ...draft.metadata, resourceVersion: '0' } });
  const object = (): ApiObject => (made = stored(resource, versioned()));
  const size = sizeOfWrite({ resource, key, object, entry: undefined, request });
  if (size !== 'bare') return { size, object: made };
  delete draft.metadata.managedFields;
  return { size };
}

function creationErrors(
  exchange: Exchange,
  draft: DraftObject,
  context: ExchangeHookContext,
): readonly FieldError[] {
  const { strategy, isNamespaced } = exchange.routed.resource;
  const path = FieldPath.of('metadata');
  const object = draft as ApiObject;
  const rules = {
    isNamespaced,
    nameCheck: nameCheckFor(strategy, object, exchange.server.release),
    checksFinalizerNames: !exchange.routed.resource.isCustom && strategy.hasFreeFinalizers !== true,
  };
  const isOther = (strategy.typeErrors?.(object, context).length ?? 0) > 0;
  const ofMetadata =
    strategy.ignoresMetadataOfNew || isOther ? [] : validateObjectMeta(object.metadata, rules, path);
  const own = [
    ...ofMetadata,
    ...permitted(strategy.validate?.(object, context, ofMetadata) ?? [], exchange.server),
  ];
  if (own.length > 0) return own;
  if (strategy.ignoresMetadataOfNew)
    return validateObjectMeta(object.metadata, { isNamespaced, nameCheck: pathSegmentName }, path);
  // All of the second look has just been found right, but for the other check of names.
  return validateObjectName(object.metadata, pathSegmentName, path);
}

/** The namespace of the body has to be that of the path; cluster-scoped objects have none. */
export function checkNamespace(
  { info, viewOf }: Exchange,
  resource: Resource,
  meta: Draft<ObjectMeta>,
): void {
  // A view is where that is of which it is one.
  if (!(viewOf?.routed.resource ?? resource).isNamespaced) {
    // Deleting what is not there would be slow.
    if ('namespace' in meta) delete meta.namespace;
    return;
  }
  if (meta.namespace && meta.namespace !== info.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  meta.namespace = info.namespace;
}

/** Forgets what only the server may set, before anything of it counts as the client's. */
export function wipeSystemMetadata(meta: Draft<ObjectMeta>): void {
  for (const name of SYSTEM_MEMBERS) if (name in meta) delete meta[name];
}

const SYSTEM_MEMBERS = [
  'creationTimestamp',
  'uid',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
] as const;

/** Sets what only the server may set. True if it has chosen the name. */
function fillSystemMetadata(exchange: Exchange, meta: Draft<ObjectMeta>): boolean {
  meta.creationTimestamp = formatTime(exchange.receivedMs);
  meta.uid = exchange.server.surroundings.uuid();
  if (meta.name || !meta.generateName) return false;
  const { generatesNothing } = exchange.routed.resource.strategy;
  meta.name = generatesNothing ? meta.generateName : generatedName(exchange, meta.generateName);
  return generatesNothing !== true;
}

function generatedName(exchange: Exchange, prefix: string): string {
  let name = prefix.slice(0, MAX_GENERATED_PREFIX);
  for (let index = 0; index < SUFFIX_LENGTH; index += 1) {
    name += SUFFIX_ALPHABET[exchange.server.surroundings.uint32() % SUFFIX_ALPHABET.length] ?? '';
  }
  return name;
}

function nameTaken(exchange: Exchange, resource: Resource, meta: Draft<ObjectMeta>): ApiError {
  const { name = '', namespace = '', generateName } = meta;
  const objects = exchange.server.storeOf(resource);
  const present = objects.get(objects.key(namespace, name));
  const error = alreadyExists(storageResource(resource), name);
  const isEnding = present?.value.metadata.deletionTimestamp !== undefined;
  const message = isEnding ? `object is being deleted: ${error.message}` : error.message;
  if (!generateName)
    return new ApiError({ reason: 'AlreadyExists', message, details: error.status.details ?? {} });
  return new ApiError({
    reason: 'AlreadyExists',
    message: `${message}, the server was not able to generate a unique name for the object`,
    details: { ...error.status.details, retryAfterSeconds: 1 },
  });
}

const isNamespace = ({ group, resource }: Resource): boolean => group === '' && resource === 'namespaces';
