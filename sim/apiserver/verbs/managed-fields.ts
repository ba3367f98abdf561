/**
 * Who set which field: the seam between the verbs and `api/apply`. Specification: "Field-management
 * record", "Conflict resolution options for apply".
 */
import { applyPatchToObject } from '../../api/apply/apply-patch.ts';
import { schemaErrorsOf } from '../../api/apply/applied-set.ts';
import type { Schema } from '../../api/schema.ts';
import { writeManagers } from '../../api/apply/managers.ts';
import { keepIdleTimes, managedFieldsOfUpdate } from '../../api/apply/managed-update.ts';
import { ConversionError, type Versions } from '../../api/apply/ownership.ts';
import { decodeCustom } from '../custom-resources/custom-decode.ts';
import { customForm } from '../custom-resources/custom-form.ts';
import { DecodeError } from '../../api/codec/decode-error.ts';
import { decodeStruct } from '../../api/codec/decode.ts';
import { canonical } from '../../api/codec/canonical.ts';
import { rewritten } from '../../api/codec/rewritten.ts';
import type { ApiObject, Json, JsonObject, ManagedFieldsEntry } from '../../api/object.ts';
import type { StructSchema } from '../../api/schema.ts';
import { ApiError, plainError } from '../../api/status.ts';
import { andThen, atOnce, rescued, type Steps } from '../../api/steps.ts';
import { wrappedIntegers } from '../../api/codec/wrap-integers.ts';
import { formatTime } from '../../api/time-format.ts';
import { misfitOf } from '../../api/patch/unstructured-check.ts';
import type { FieldConversions } from '../conversion/field-conversions.ts';
import type { Exchange } from '../request/exchange.ts';
import type { Resource, ResourceVersion } from '../registry/resource.ts';
import { type Baseline, baselineOf, draftOf } from './baseline.ts';
import { neverFits } from '../stores/write-size.ts';
import { keepEmptyLists } from './empty-lists.ts';
import { resetFieldsOf } from './reset-fields.ts';
import type { Draft, DraftObject, UpdateRules } from '../registry/strategy.ts';

const MAX_AGENT_CHARACTERS = 128;
const OWN_MANAGER = 'kube-apiserver';

/** The manager of a write: as the request says, else the part of the user agent before the first slash. */
export function managerOf({ request }: Exchange, fieldManager: string): string {
  if (fieldManager !== '') return fieldManager;
  const agent = request.headers['user-agent'] ?? '';
  const slash = agent.indexOf('/');
  const end = Math.min(slash < 0 ? agent.length : slash, MAX_AGENT_CHARACTERS);
  return end === 0 ? 'unknown' : agent.slice(0, end);
}

/** What an endpoint is sent is kept nowhere, but whoever looks at it sees who sets what. */
export function managedFieldsOfEndpoint(
  exchange: Exchange,
  draft: DraftObject,
  { apiVersion, schema, fieldManager }: { apiVersion: string; schema: StructSchema; fieldManager: string },
): void {
  setEntries(draft, undefined);
  if (!notesOwners(exchange, undefined)) return;
  const steps = managedFieldsOfUpdate({
    schemaOf: (version) => (version === apiVersion ? schema : undefined),
    convert: () => undefined,
    live: undefined,
    updated: canonical(schema, draft),
    apiVersion,
    manager: managerOf(exchange, fieldManager),
    subresource: subresourceOf(exchange),
    now: formatTime(exchange.receivedMs),
  });
  setEntries(draft, atOnce(steps));
}

export const managedFieldsOfCreation = (
  exchange: Exchange,
  draft: DraftObject,
  fieldManager: string,
): Steps<DraftObject> =>
  managedFieldsOfChange(exchange, { live: undefined, draft, manager: fieldManager, rules: undefined });

export interface ManagedChange {
  readonly live: ApiObject | undefined;
  /** The new state, defaulted; its entries are replaced. */
  readonly draft: DraftObject;
  /** What the draft may share parts with. */
  readonly baseline?: Baseline | undefined;
  readonly manager: string;
  readonly rules: UpdateRules | undefined;
}

/** The draft, with its entries. */
export function managedFieldsOfChange(
  exchange: Exchange,
  { live, draft, baseline, manager, rules }: ManagedChange,
): Steps<DraftObject> {
  const { resource, version } = exchange.routed;
  const noted = (entries: Entries): DraftObject => {
    setEntries(draft, entries);
    return draft;
  };
  if (!notesOwners(exchange, live) || neverFits(resource, draft, exchange.request)) return noted(undefined);
  const updated = shownForm(exchange, canonicalForm(exchange, draft, baseline));
  if (resource.isCustom && !fitsSchema(exchange, updated)) return noted(undefined);
  const known = versionsOf(resource, exchange.fieldConversions);
  const work = () =>
    managedFieldsOfUpdate({
      ...known,
      live: live as JsonObject | undefined,
      updated,
      apiVersion: version.apiVersion,
      manager: managerOf(exchange, manager),
      subresource: subresourceOf(exchange),
      now: formatTime(exchange.receivedMs),
      sentEntries: draft.metadata.managedFields,
      resetFields: resetFieldsOf(resource, version, rules ?? resource.strategy),
      isGeneral: known.isAsked === true || !exchange.server.writesByDelta,
    });
  if (known.isAsked === true) return noted(unlessRefused(() => atOnce(work())));
  return andThen(rescued(work, nobodyIfUnconvertible), noted);
}

/** Releases that know no apply note nobody; the first that did began with the first apply. */
function notesOwners({ server: { machinery } }: Exchange, live: ApiObject | undefined): boolean {
  if (machinery.notesEveryOwner) return machinery.applies;
  return machinery.applies && (live?.metadata.managedFields?.length ?? 0) > 0;
}

/** Nobody is noted for fields whose names nobody knows. */
function unlessRefused<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    return error instanceof ApiError ? undefined : nobodyIfUnconvertible(error);
  }
}

function nobodyIfUnconvertible(error: unknown): undefined {
  if (!(error instanceof ConversionError)) throw error;
}

/**
 * Whether it can be told which fields were written. Validation sees to what the request may change, but lets lists
 * through where a text of a format is wanted; the rest is put back before, and so may be anything.
 */
function fitsSchema({ routed: { version } }: Exchange, updated: JsonObject): boolean {
  for (const name of Object.keys(updated)) {
    const field = name === 'metadata' ? undefined : version.schema.fieldsByName.get(name);
    if (field && !isOfType(field.schema, updated[name])) return false;
  }
  return true;
}

const isOfType = (schema: Schema, value: Json | undefined): boolean =>
  value === undefined || schemaErrorsOf(schema, value).every((error) => error.includes('duplicate entries'));

/** The server itself writes an object of a built-in kind, in its storage version, on its way to answer. */
export function managedFieldsOfOwnWrite(
  resource: Resource,
  {
    live,
    draft,
    subresource,
    nowMs,
  }: { live: ApiObject; draft: DraftObject; subresource: string; nowMs: number },
): void {
  const rules = resource.strategy.subresources?.[subresource] ?? resource.strategy;
  const steps = managedFieldsOfUpdate({
    ...versionsOf(resource),
    live: live as JsonObject,
    updated: canonical(resource.storageSchema, draft),
    apiVersion: resource.storageApiVersion,
    manager: OWN_MANAGER,
    subresource,
    now: formatTime(nowMs),
    sentEntries: draft.metadata.managedFields,
    resetFields: resetFieldsOf(resource, undefined, rules),
  });
  setEntries(draft, atOnce(steps));
}

/** The server notes what it would show: with the annotations that conversion makes of other members. */
function shownForm({ routed: { resource, version } }: Exchange, updated: JsonObject): JsonObject {
  const { apiVersion, schema } = version;
  if (!resource.strategy.versionedAnnotations || apiVersion === resource.storageApiVersion) return updated;
  const inStorage = resource.convert(updated as ApiObject, resource.storageApiVersion);
  return canonical(schema, resource.convert(inStorage, apiVersion));
}

/** What was decoded is canonical already, as long as no defaults or empty lists were set since. */
function canonicalForm(
  { routed: { resource, version } }: Exchange,
  draft: DraftObject,
  baseline: Baseline | undefined,
): JsonObject {
  if (resource.isCustom) return customForm(draft, resource.metaSchema) as JsonObject;
  const { defaults, tellingEmptyLists } = resource.strategy;
  return defaults || tellingEmptyLists
    ? canonical(version.schema, draft, baseline?.object)
    : (draft as JsonObject);
}

/** Releases before 1.22 do not tell subresources apart. */
function subresourceOf({ info, types }: Exchange): string {
  if (info.subresource === '') return '';
  const isTold = types.structOf('meta.k8s.io/v1.ManagedFieldsEntry').fieldsByName.has('subresource');
  return isTold ? info.subresource : '';
}

export interface Application {
  readonly live: ApiObject | undefined;
  readonly applied: JsonObject;
  readonly manager: string;
  readonly force: boolean;
  readonly rules: UpdateRules | undefined;
}

/** The object after an apply, in the request's version and defaulted. @throws ApiError */
export function applyToObject(
  exchange: Exchange,
  { live, applied, manager, force, rules }: Application,
): Steps<DraftObject> {
  const { resource, version } = exchange.routed;
  const known = versionsOf(resource, exchange.fieldConversions);
  const merging = applyPatchToObject({
    ...known,
    live: live as JsonObject | undefined,
    mayNotFit: resource.isCustom,
    kind: version.kind,
    apiVersion: version.apiVersion,
    applied,
    manager,
    subresource: subresourceOf(exchange),
    force,
    now: formatTime(exchange.receivedMs),
    resetFields: resetFieldsOf(resource, version, rules ?? resource.strategy),
  });
  const baseline = baselineOf(exchange, live);
  return andThen(merging, ({ object, managers }) => () => {
    const draft =
      object || !live
        ? decoded(exchange, { object: object ?? applied, sent: applied, baseline })
        : draftOf(live as JsonObject, baseline);
    if (object || !live) resource.strategy.defaults?.(draft, version.apiVersion, exchange.server.features);
    return () => {
      setEntries(draft, writeManagers(managers));
      return draft;
    };
  });
}

function decoded(
  exchange: Exchange,
  { object, sent, baseline }: { object: JsonObject; sent: JsonObject; baseline: Baseline | undefined },
): DraftObject {
  const { version, resource } = exchange.routed;
  try {
    if (resource.isCustom) return decodeCustom(version, object, { isApplied: true }).draft;
    const misfit = misfitOf(version.schema, object, baseline?.object as JsonObject | undefined);
    if (misfit !== undefined) throw new DecodeError(misfit);
    const merged = wrappedIntegers(version.schema, object) as JsonObject;
    const whole = rewritten(version.schema, merged);
    const shared = whole === merged ? baseline?.object : undefined;
    const draft = draftOf(decodeStruct(version.schema, whole, undefined, shared), baseline);
    draft.kind = version.kind;
    draft.apiVersion = version.apiVersion;
    draft.metadata ??= {};
    if (resource.strategy.tellingEmptyLists) keepEmptyLists(draft, whole, resource.strategy);
    return draft;
  } catch (error) {
    if (error instanceof DecodeError) throw plainError(`${notConverted(exchange, sent)}${error.message}`);
    throw error;
  }
}

/** What the server says of an applied object whose members have the wrong types. */
function notConverted({ routed: { version } }: Exchange, { metadata }: JsonObject): string {
  const { namespace, name } = (metadata ?? {}) as { readonly [Name in 'namespace' | 'name']?: string | null };
  const named = `${namespace ?? ''}/${name ?? ''}`;
  return `failed to convert new object (${named}; ${typeText(version)}) to proper version: ${unconvertible(version)}`;
}

const typeText = ({ group, version, kind }: ResourceVersion): string => `${group}/${version}, Kind=${kind}`;

const unconvertible = (version: ResourceVersion): string =>
  `unable to convert unstructured object to ${typeText(version)}: `;

/** A write that changes nothing keeps the times of the entries, so that it is not stored. */
export const withIdleTimes = (live: ApiObject, updated: ApiObject): ApiObject =>
  keepIdleTimes(live as JsonObject, updated as JsonObject) as ApiObject;

type Entries = readonly ManagedFieldsEntry[] | undefined;

function setEntries(draft: DraftObject, entries: Entries): void {
  if (entries) draft.metadata.managedFields = entries as Draft<ManagedFieldsEntry>[];
  else if ('managedFields' in draft.metadata) delete draft.metadata.managedFields;
}

const versions = new WeakMap<Resource, Versions>();

/** `asked`: who has the answers of somebody else who converts; without it the same names stand for the same fields. */
function versionsOf(resource: Resource, asked?: FieldConversions): Versions {
  const isAsked = asked !== undefined && resource.askConverted !== undefined;
  const known = isAsked ? undefined : versions.get(resource);
  if (known) return known;
  const all = [...resource.versions.values(), ...(resource.workedOn ? [resource.workedOn] : [])];
  const byName = new Map(all.map((version) => [version.apiVersion, version]));
  // An empty group is none.
  const versionNamed = (text: string): ResourceVersion | undefined => byName.get(text.replace(/^\//, ''));
  const made: Versions = {
    isAsked,
    schemaOf: (apiVersion) => versionNamed(apiVersion)?.schema,
    checkVersion: (apiVersion) => {
      if (resource.isCustom && !byName.has(apiVersion))
        throw new ConversionError(`request to convert CR to an invalid group/version: ${apiVersion}`);
      if (apiVersion.split('/').length > 2)
        throw new ConversionError(`unexpected GroupVersion string: ${apiVersion}`);
    },
    convert: (object, named) => {
      const target = versionNamed(named);
      if (!target) return undefined;
      const toApiVersion = target.apiVersion;
      const isForeign = resource.askConverted !== undefined && object['apiVersion'] !== toApiVersion;
      const typed = resource.isCustom
        ? object
        : typedForm(byName.get(object['apiVersion'] as string), object);
      const converted = !isForeign
        ? convertedPart(resource, typed, toApiVersion)
        : (asked?.convert(typed as ApiObject, toApiVersion) ??
          ({ ...typed, apiVersion: toApiVersion } as ApiObject));
      // What only changes its name stays as it was applied, with what is empty in it.
      if (resource.isCustom)
        return (isForeign ? customForm(converted, resource.metaSchema) : converted) as JsonObject;
      return canonical(target.schema, converted);
    },
  };
  if (!isAsked) versions.set(resource, made);
  return made;
}

/** Of what a manager has applied, nothing may be left but fields outside of its metadata. */
function convertedPart(resource: Resource, part: JsonObject, toApiVersion: string): ApiObject {
  if (part['metadata'] !== undefined) return resource.convert(part as ApiObject, toApiVersion);
  const { metadata, ...rest } = resource.convert({ ...part, metadata: {} } as ApiObject, toApiVersion);
  return (Object.keys(metadata).length === 0 ? rest : { ...rest, metadata }) as ApiObject;
}

/** What was merged is untyped until it is converted. @throws ConversionError */
function typedForm(version: ResourceVersion | undefined, object: JsonObject): JsonObject {
  if (!version) return object;
  const misfit = misfitOf(version.schema, object);
  if (misfit !== undefined) throw new ConversionError(`${unconvertible(version)}${misfit}`);
  const whole = wrappedIntegers(version.schema, object) as JsonObject;
  try {
    // Times, quantities and whatever else has a text of its own.
    decodeStruct(version.schema, whole);
  } catch (error) {
    if (error instanceof DecodeError) throw new ConversionError(`${unconvertible(version)}${error.message}`);
    throw error;
  }
  return whole;
}
