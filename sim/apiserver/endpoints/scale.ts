/**
 * `/scale` of workloads and of custom resources that have one: a Scale is a view of the object's
 * replicas, read and written as an object of its own. Specification: "What the service does" 2
 * (not shown: Kubernetes 1.31).
 */
import type { Process } from '../../engine/process.ts';
import { scaleEntriesOf, workloadEntriesOf, type ReplicasPaths } from '../../api/apply/scale-fields.ts';
import { canonical } from '../../api/codec/canonical.ts';
import type { ApiObject, ManagedFieldsEntry } from '../../api/object.ts';
import type { LabelSelectorFields } from '../../api/validation/labels.ts';
import { labelSelectorOf, selectorOfLabels } from '../../api/selector/label-selector.ts';
import {
  ApiError,
  badRequest,
  conflict,
  type GroupResource,
  internalError,
  notFound,
  plainError,
} from '../../api/status.ts';
import type { Scale } from '../../api/types/autoscaling-v1.ts';
import { invalid, invalidError } from '../../api/validation/field-error.ts';
import { FieldPath } from '../../api/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../api/validation/names.ts';
import { validateObjectMeta } from '../../api/validation/object-meta.ts';
import { Exchange, type Target } from '../request/exchange.ts';
import { atOnce } from '../../api/steps.ts';
import { managedFieldsOfChange } from '../verbs/managed-fields.ts';
import { writeOptionsOf, type WriteOptions } from '../options/write-options.ts';
import {
  type Resource,
  type ResourceVersion,
  type ScalePaths,
  storageResource,
} from '../registry/resource.ts';
import { thawed } from '../registry/storage-form.ts';
import type { Draft, DraftObject, UpdateRules } from '../registry/strategy.ts';
import { respondTyped } from '../representation/respond.ts';
import { methodNotAllowed } from '../stages/route.ts';
import { expectedTypeOf } from '../verbs/body-type.ts';
import { decodeObject } from '../verbs/decode-object.ts';
import { patcherOf } from '../verbs/patch.ts';
import type { PreparedPatch } from '../verbs/patchers/patcher.ts';
import { checkNamespace } from '../verbs/create-object.ts';
import { dropDuplicateOwners } from '../verbs/owner-references.ts';
import { checkName } from '../verbs/update.ts';
import { inVersion, settled } from '../conversion/show.ts';
import { updateObject } from '../verbs/update-object.ts';
import type { SubresourceView } from '../admission/admission.ts';
import { scaleTarget } from './scale-target.ts';

const API_VERSION = 'autoscaling/v1';

export function* scale(exchange: Exchange): Process<void> {
  const { verb } = exchange.info;
  if (verb === 'get') yield* getScale(exchange);
  else if (verb === 'update') yield* writeScale(exchange, 'UpdateOptions');
  else if (verb === 'patch') yield* writeScale(exchange, 'PatchOptions');
  else throw methodNotAllowed();
}

function* getScale(exchange: Exchange): Process<void> {
  const { resource, version } = exchange.routed;
  const { info, server } = exchange;
  const store = server.storeOf(resource);
  const entry = store.get(store.key(info.namespace, info.name));
  if (!entry) throw notFound(missingScale(resource), info.name);
  const workload = yield* settled(inVersion(exchange, entry.value, version.apiVersion));
  const { specReplicas } = pathsOf(exchange);
  if (resource.isCustom && valueAt(workload, specReplicas) === undefined)
    throw internalError(`the spec replicas field ".${specReplicas.join('.')}" does not exist`);
  respondScale(exchange, workload);
}

/** Each registry of a real server names what is missing in its own way. */
function missingScale(resource: Resource): GroupResource {
  const { group, resource: plural } = resource;
  if (resource.isCustom || plural === 'statefulsets') return storageResource(resource);
  return { group: plural === 'replicationcontrollers' ? 'autoscaling' : group, resource: `${plural}/scale` };
}

function respondScale(exchange: Exchange, workload: ApiObject): void {
  const { routed } = exchange;
  const scaled = scaleOf(exchange, workload, pathsOf(exchange));
  // A Table shows it as what it is.
  const target = targetOf(exchange);
  exchange.target = target;
  respondTyped(exchange, 200, scaled, target.version);
  exchange.target = routed;
}

function* writeScale(exchange: Exchange, kind: 'UpdateOptions' | 'PatchOptions'): Process<void> {
  const { resource, version } = exchange.routed;
  const { info, server } = exchange;
  const view = viewOf(exchange);
  const patcher = kind === 'PatchOptions' ? patcherOf(view) : undefined;
  const options = writeOptionsOf(exchange, kind, { isApply: patcher?.isApply === true });
  const store = server.storeOf(resource);
  if (patcher && !store.get(store.key(info.namespace, info.name)))
    throw notFound(storageResource(resource), info.name);
  const prepared =
    patcher?.prepare({ exchange: view, options, rules: RULES }) ?? putOf(view, resource, options);
  const paths = pathsOf(exchange);
  const { object } = yield* updateObject(exchange, {
    name: info.name,
    isDryRun: options.isDryRun,
    createsMissing: false,
    view: scaleView(exchange),
    ...(prepared.uidPrecondition !== undefined && { uidPrecondition: prepared.uidPrecondition }),
    produce: (live) => {
      if (!live) throw notFound(storageResource(resource), info.name);
      const before = withEntries(
        scaleOf(exchange, live, paths),
        scaleEntriesOf(live.metadata.managedFields, replicasPaths(resource, paths)),
      );
      if (patcher?.isApply === true) checkAppliesTo(before, resource);
      const after = atOnce(prepared.produce(before)) as Draft<Scale>;
      if (patcher) dropDuplicateOwners(view, after.metadata, true);
      checkScale(exchange, after);
      checkUid(exchange, live, after);
      return rescaled(exchange, live, after, version);
    },
  });
  respondScale(exchange, yield* settled(inVersion(exchange, object, version.apiVersion)));
}

/** What admission sees, and may change, is the Scale. */
function scaleView(exchange: Exchange): SubresourceView {
  const { resource, version } = exchange.routed;
  const paths = pathsOf(exchange);
  return {
    version: targetOf(exchange).version,
    show: (object) => scaleOf(exchange, resource.convert(object, version.apiVersion), paths),
    take(draft, shown) {
      const { spec } = shown as Scale;
      setAt(draft, paths.specReplicas, spec?.replicas ?? 0);
    },
  };
}

function putOf(view: Exchange, resource: Resource, options: WriteOptions): PreparedPatch {
  const decode = (): DraftObject => decodeScale(view, options);
  const sent = decode();
  checkNamespace(view, resource, sent.metadata);
  checkName(sent.metadata.name ?? '', view.info.name);
  dropDuplicateOwners(view, sent.metadata, false);
  return {
    ...(sent.metadata.uid !== undefined && { uidPrecondition: sent.metadata.uid }),
    produce: (live) => {
      const draft = decode();
      // Whoever puts that of a custom resource is not noted, and nobody owns the replicas any more.
      if (resource.isCustom) return ownedByNobody(draft);
      return managedFieldsOfChange(view, { live, draft, manager: options.fieldManager, rules: RULES });
    },
  };
}

function ownedByNobody(draft: DraftObject): DraftObject {
  delete draft.metadata.managedFields;
  return draft;
}

/** The first apply notes who had the fields before, which custom resources cannot do for their Scale. */
function checkAppliesTo(before: Scale, { isCustom }: Resource): void {
  if (!isCustom || (before.metadata.managedFields ?? []).length > 0) return;
  throw plainError(
    `failed to create manager for existing fields: failed to convert live object (/; ${API_VERSION}, Kind=Scale) to proper version: request to convert CR to an invalid group/version: ${API_VERSION}`,
  );
}

/** The scheme of custom resources does not know the type, so it cannot even say what is wrong with the body. */
function decodeScale(view: Exchange, options: WriteOptions): DraftObject {
  try {
    return decodeObject(view, expectedTypeOf(view.routed), options.fieldValidation);
  } catch (error) {
    if (
      view.viewOf?.routed.resource.isCustom !== true ||
      !(error instanceof ApiError) ||
      error.reason !== 'BadRequest'
    )
      throw error;
    throw badRequest('no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:100"');
  }
}

function checkScale(exchange: Exchange, { metadata, spec }: Draft<Scale>): void {
  const { info } = exchange;
  const { resource } = exchange.routed;
  const replicas = spec?.replicas ?? 0;
  if (resource.isCustom) {
    if (replicas >= 0) return;
    const path = FieldPath.of(`.${pathsOf(exchange).specReplicas.join('.')}`);
    const error = invalid(path, replicas, 'should be a non-negative integer');
    throw invalidError({ group: resource.group, kind: resource.kind }, info.name, [error]);
  }
  const rules = { isNamespaced: true, nameCheck: nameIsDnsSubdomain, checksFinalizerNames: true };
  const placed = { ...metadata, namespace: metadata.namespace ?? info.namespace };
  const errors = [...validateObjectMeta(placed, rules, FieldPath.of('metadata'))];
  if (replicas < 0)
    errors.push(invalid(FieldPath.of('spec', 'replicas'), replicas, 'must be greater than or equal to 0'));
  if (errors.length > 0) throw invalidError({ group: 'autoscaling', kind: 'Scale' }, info.name, errors);
}

/** A patch may ask for one object among those of a name, too. */
function checkUid(
  { routed: { resource }, info }: Exchange,
  { metadata: { uid: own = '' } }: ApiObject,
  { metadata: { uid } }: Draft<Scale>,
): void {
  if (!uid || uid === own || resource.isCustom) return;
  const { group, resource: plural } = resource;
  throw conflict(
    { group, resource: `${plural}/scale` },
    info.name,
    `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${own}`,
  );
}

/** The workload with the Scale's replicas; nothing else of the Scale counts. */
function rescaled(
  exchange: Exchange,
  live: ApiObject,
  after: Draft<Scale>,
  version: ResourceVersion,
): DraftObject {
  const { resource } = exchange.routed;
  const paths = pathsOf(exchange);
  const draft = thawed(live) as DraftObject;
  setAt(draft, paths.specReplicas, after.spec?.replicas ?? 0);
  if (after.metadata.resourceVersion) draft.metadata.resourceVersion = after.metadata.resourceVersion;
  const entries = workloadEntriesOf(
    live.metadata.managedFields,
    after.metadata.managedFields,
    version.apiVersion,
    replicasPaths(resource, paths),
  );
  if (entries) draft.metadata.managedFields = entries as Draft<ManagedFieldsEntry>[];
  else delete draft.metadata.managedFields;
  return draft;
}

const RULES: UpdateRules = {};

const targetOf = ({ server, routed }: Exchange): Target =>
  scaleTarget(server.release, routed.resource.isCustom);

function viewOf(exchange: Exchange): Exchange {
  const view = new Exchange(exchange.server, exchange.request, exchange.info, exchange.user);
  view.target = targetOf(exchange);
  view.viewOf = exchange;
  return view;
}

function pathsOf(exchange: Exchange): ScalePaths {
  const { version } = exchange.routed;
  if (version.scale) return version.scale;
  throw new ApiError({
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
    details: {},
  });
}

const replicasPaths = ({ versions }: Resource, { specReplicas }: ScalePaths): ReplicasPaths =>
  Object.fromEntries(
    [...versions.values()].map(({ apiVersion, scale }) => [
      apiVersion,
      (scale?.specReplicas ?? specReplicas).map((name) => `f:${name}`),
    ]),
  );

function scaleOf(exchange: Exchange, workload: ApiObject, paths: ScalePaths): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = workload.metadata;
  const selector = selectorText(valueAt(workload, paths.selector));
  return canonical(targetOf(exchange).version.schema, {
    kind: 'Scale',
    apiVersion: API_VERSION,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      uid,
      resourceVersion,
      creationTimestamp,
    },
    spec: { replicas: numberAt(workload, paths.specReplicas) },
    status: { replicas: numberAt(workload, paths.statusReplicas), ...(selector !== '' && { selector }) },
  }) as object as Scale;
}

function withEntries(scaleObject: Scale, entries: readonly ManagedFieldsEntry[] | undefined): Scale {
  return entries
    ? { ...scaleObject, metadata: { ...scaleObject.metadata, managedFields: entries } }
    : scaleObject;
}

/** A LabelSelector, a plain map of labels, or the text that a custom resource keeps. */
function selectorText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  const isStructured = 'matchLabels' in value || 'matchExpressions' in value;
  if (isStructured) return labelSelectorOf(value as LabelSelectorFields).text;
  return selectorOfLabels(value as Readonly<Record<string, string>>).text;
}

function valueAt(object: unknown, path: readonly string[]): unknown {
  let value = object;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = Reflect.get(value, name);
  }
  return path.length === 0 ? undefined : value;
}

function numberAt(object: ApiObject, path: readonly string[]): number {
  const value = valueAt(object, path);
  return typeof value === 'number' ? value : 0;
}

function setAt(draft: DraftObject, path: readonly string[], value: number): void {
  let target: object = draft;
  for (const name of path.slice(0, -1)) {
    const next: unknown = Reflect.get(target, name);
    const member: object = typeof next === 'object' && next !== null ? next : {};
    Reflect.set(target, name, member);
    target = member;
  }
  Reflect.set(target, path.at(-1) ?? '', value);
}
