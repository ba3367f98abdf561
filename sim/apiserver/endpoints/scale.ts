/**
 * The `scale` subresource of workloads: the number of replicas as an object of its own, autoscaling/v1
 * Scale. Reading makes it from the workload; writing changes the workload's replicas by the workload's
 * own rules. Specification: "Subresources".
 */
import { structOf } from '../../api/catalog/builtin-types.ts';
import { canonical } from '../../api/codec/canonical.ts';
import { scaleEntriesOf, workloadEntriesOf } from '../../api/apply/scale-fields.ts';
import type { ApiObject, ManagedFieldsEntry } from '../../api/object.ts';
import { labelSelectorOf, selectorOfLabels } from '../../api/selector/label-selector.ts';
import { notFound } from '../../api/status.ts';
import type { Scale } from '../../api/types/autoscaling-v1.ts';
import type { LabelSelector } from '../../api/types/meta-k8s-io-v1.ts';
import { invalidError } from '../../api/validation/field-error.ts';
import { FieldPath } from '../../api/validation/field-path.ts';
import { pathSegmentName } from '../../api/validation/names.ts';
import { notNegative } from '../../api/validation/numbers.ts';
import type { Process } from '../../engine/process.ts';
import type { Endpoint } from '../endpoints.ts';
import type { Exchange, Target } from '../exchange.ts';
import { managedFieldsOfChange } from '../managed-fields.ts';
import { writeOptionsOf } from '../options/write-options.ts';
import type { Resource, ResourceVersion } from '../registry/resource.ts';
import { thawed } from '../registry/storage-form.ts';
import type { Draft, DraftObject } from '../registry/strategy.ts';
import { respondTyped } from '../representation/respond.ts';
import { methodNotAllowed } from '../stages/route.ts';
import { decodeObject } from '../verbs/decode-object.ts';
import { patcherOf } from '../verbs/patch.ts';
import { applyPatcher } from '../verbs/patchers/apply-patcher.ts';
import { checkName } from '../verbs/update.ts';
import { type Change, storageResource, updateObject } from '../verbs/update-object.ts';

const API_VERSION = 'autoscaling/v1';
const REPLICAS = FieldPath.of('spec', 'replicas');

const SCALE_VERSION: ResourceVersion = {
  group: 'autoscaling',
  version: 'v1',
  apiVersion: API_VERSION,
  kind: 'Scale',
  listKind: 'ScaleList',
  get schema() {
    return structOf('autoscaling/v1.Scale');
  },
  verbs: new Set(['get', 'patch', 'update']),
  subresources: new Map(),
  fieldLabels: new Set(),
  unsupportedFieldLabel: '',
};

/** A Scale as if it were a resource: what patches and decoding need to know of it. It is stored nowhere. */
const SCALE_RESOURCE: Resource = {
  group: 'autoscaling',
  resource: 'scales',
  singular: 'scale',
  kind: 'Scale',
  isNamespaced: true,
  shortNames: [],
  categories: [],
  versions: new Map([['v1', SCALE_VERSION]]),
  storagePrefix: '',
  storageApiVersion: API_VERSION,
  strategy: { nameCheck: pathSegmentName },
  isCustom: false,
  goTypeName: 'autoscaling.Scale',
  convert: (object) => object,
};

const SCALE_TARGET: Target = { resource: SCALE_RESOURCE, version: SCALE_VERSION };

export const scaleEndpoint: Endpoint = function* scaleEndpoint(exchange: Exchange): Process<void> {
  const { verb } = exchange.info;
  if (verb === 'get') respondScale(exchange, readWorkload(exchange));
  else if (verb === 'update') yield* write(exchange, preparePut(exchange));
  else if (verb === 'patch') yield* write(exchange, preparePatch(exchange));
  else throw methodNotAllowed();
};

function readWorkload({ server, routed, info }: Exchange): ApiObject {
  const { resource } = routed;
  const store = server.storeOf(resource);
  const entry = store.get(store.key(info.namespace, info.name));
  if (entry) return entry.value;
  throw notFound({ group: resource.group, resource: `${resource.resource}/scale` }, info.name);
}

interface PreparedWrite {
  readonly isDryRun: boolean;
  readonly uidPrecondition?: string | undefined;
  /** The new Scale, from the present one with its managed fields. */
  produce(live: Scale): DraftObject;
}

function preparePut(exchange: Exchange): PreparedWrite {
  const options = writeOptionsOf(exchange.request.query, 'UpdateOptions');
  const { goTypeName } = SCALE_RESOURCE;
  const decode = (): DraftObject => decodeObject(exchange, { ...SCALE_VERSION, schema: SCALE_VERSION.schema, goTypeName }, options.fieldValidation);
  const sent = decode();
  checkName(sent.metadata.name ?? '', exchange.info.name);
  return {
    isDryRun: options.isDryRun,
    uidPrecondition: sent.metadata.uid,
    produce: (live) => {
      const draft = decode();
      managedFieldsOfChange(exchange, { live, draft, manager: options.fieldManager, rules: undefined });
      return draft;
    },
  };
}

function preparePatch(exchange: Exchange): PreparedWrite {
  const patcher = patcherOf(exchange);
  const options = writeOptionsOf(exchange.request.query, 'PatchOptions', { isApply: patcher === applyPatcher });
  const { server, routed, info } = exchange;
  const store = server.storeOf(routed.resource);
  if (!store.get(store.key(info.namespace, info.name))) throw notFound(storageResource(routed.resource), info.name);
  const { produce, uidPrecondition } = asScale(exchange, () => patcher({ exchange, options, rules: undefined }));
  return { isDryRun: options.isDryRun, uidPrecondition, produce };
}

/** Runs what takes the exchange's target for a Scale. */
function asScale<T>(exchange: Exchange, run: () => T): T {
  const { target } = exchange;
  exchange.target = SCALE_TARGET;
  try {
    return run();
  } finally {
    exchange.target = target;
  }
}

function* write(exchange: Exchange, { isDryRun, uidPrecondition, produce }: PreparedWrite): Process<void> {
  const { resource, version } = exchange.routed;
  const { name } = exchange.info;
  const change: Change = {
    name,
    isDryRun,
    createsMissing: false,
    uidPrecondition,
    rules: resource.strategy,
    produce: (live) => {
      if (!live) throw notFound(storageResource(resource), name);
      const paths = replicasPaths(resource);
      const { managedFields } = live.metadata;
      const scale = asScale(exchange, () => produce(scaleOf(live, scaleEntriesOf(managedFields, paths))));
      const replicas = replicasOf(scale, name);
      const draft = thawed(live) as DraftObject;
      draft['spec'] = { ...specOf(draft), replicas };
      draft.metadata.resourceVersion = scale.metadata.resourceVersion ?? '';
      const entries = workloadEntriesOf(managedFields, scale.metadata.managedFields, version.apiVersion, paths);
      if (entries) draft.metadata.managedFields = [...entries] as Draft<ManagedFieldsEntry>[];
      else delete draft.metadata.managedFields;
      return draft;
    },
  };
  const { object } = yield* updateObject(exchange, change);
  respondScale(exchange, object);
}

/** @throws ApiError Invalid for a negative number */
function replicasOf(scale: DraftObject, name: string): number {
  const replicas = numberIn(specOf(scale), 'replicas');
  const errors = notNegative(replicas, REPLICAS);
  if (errors.length > 0) throw invalidError({ group: 'autoscaling', kind: 'Scale' }, name, errors);
  return replicas;
}

const replicasPaths = ({ versions }: Resource): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries([...versions.values()].map(({ apiVersion }) => [apiVersion, ['f:spec', 'f:replicas']]));

function respondScale(exchange: Exchange, workload: ApiObject): void {
  const scale = canonical(SCALE_VERSION.schema, scaleOf(workload)) as ApiObject;
  respondTyped(exchange, 200, scale, SCALE_VERSION);
}

function scaleOf(workload: ApiObject, managedFields?: readonly ManagedFieldsEntry[]): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = workload.metadata;
  const spec = specOf(workload);
  const scale: Scale = {
    kind: 'Scale',
    apiVersion: API_VERSION,
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      creationTimestamp: creationTimestamp ?? null,
      ...(managedFields && { managedFields }),
    },
    spec: { replicas: numberIn(spec, 'replicas') },
    status: { replicas: numberIn(memberOf(workload, 'status'), 'replicas'), selector: selectorText(memberOf(spec, 'selector')) },
  };
  return canonical(SCALE_VERSION.schema, scale) as Scale;
}

const memberOf = (object: object, name: string): object => {
  const member: unknown = Reflect.get(object, name);
  return typeof member === 'object' && member !== null ? member : {};
};

const specOf = (object: object): object => memberOf(object, 'spec');

const numberIn = (object: object, name: string): number => {
  const member: unknown = Reflect.get(object, name);
  return typeof member === 'number' ? member : 0;
};

/** A ReplicationController selects by labels alone, everybody else by a LabelSelector. */
function selectorText(selector: object): string {
  const isLabels = Object.values(selector).every((value) => typeof value === 'string');
  if (isLabels) return selectorOfLabels(selector as Readonly<Record<string, string>>).text;
  return labelSelectorOf(selector as LabelSelector).text;
}
