/**
 * HorizontalPodAutoscaler: stored as v2. What v1 cannot express (metrics other than CPU, behaviour,
 * conditions, current metrics) stands there in annotations, in the words of the old beta version.
 * Specification: "Deprecation rules" 2.
 */
import { DecodeError } from '../../../../api/codec/decode-error.ts';
import { decodeStruct } from '../../../../api/codec/decode.ts';
import type { BuiltinTypes } from '../../../../api/catalog/builtin-types.ts';
import { RELEASE_1_31 } from '../../../../api/release/release-1-31.ts';
import type { ApiObject, JsonObject, ObjectMeta } from '../../../../api/object.ts';
import type { Conversion, VersionPair } from '../../../conversion/conversion.ts';

const METRICS = 'autoscaling.alpha.kubernetes.io/metrics';
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior';
const CONDITIONS = 'autoscaling.alpha.kubernetes.io/conditions';
const CURRENT_METRICS = 'autoscaling.alpha.kubernetes.io/current-metrics';
export const VERSIONED_ANNOTATIONS: readonly string[] = [METRICS, BEHAVIOR, CONDITIONS, CURRENT_METRICS];

type Fields = Readonly<Record<string, unknown>>;

interface AutoscalerSpec extends Fields {
  readonly metrics?: readonly Metric[];
  readonly behavior?: unknown;
  readonly targetCPUUtilizationPercentage?: number;
}

interface AutoscalerStatus extends Fields {
  readonly conditions?: readonly unknown[];
  readonly currentMetrics?: readonly Metric[] | null;
  readonly currentCPUUtilizationPercentage?: number;
}

interface Metric extends Fields {
  readonly type: string;
}

export const AUTOSCALER_CONVERSION: Conversion = {
  storage: 'autoscaling/v2',
  versions: {
    'autoscaling/v1': { toStorage: fromV1, fromStorage: toV1 },
    'autoscaling/v2': {
      toStorage: (object) => ({ ...object, metadata: withoutOwn(object.metadata) }),
      fromStorage: (object) => object,
    },
  },
};

/** Of a beta version of v2: metrics in their old words, or in those of today. */
export function autoscalerPair(apiVersion: 'autoscaling/v2beta1' | 'autoscaling/v2beta2'): VersionPair {
  const isOld = apiVersion === 'autoscaling/v2beta1';
  return isOld
    ? { toStorage: fromBeta1, fromStorage: toBeta1 }
    : {
        toStorage: (object) => ({
          ...object,
          apiVersion: 'autoscaling/v2',
          metadata: withoutOwn(object.metadata),
        }),
        fromStorage: (object) => ({ ...object, apiVersion }),
      };
}

function fromBeta1(object: ApiObject, types: BuiltinTypes): ApiObject {
  const { metrics, ...spec } = (object['spec'] ?? {}) as AutoscalerSpec;
  const { currentMetrics, ...status } = (object['status'] ?? {}) as AutoscalerStatus;
  const behavior = behaviorIn(object.metadata.annotations?.[BEHAVIOR], types);
  return {
    ...object,
    apiVersion: 'autoscaling/v2',
    metadata: withoutOwn(object.metadata),
    spec: {
      ...spec,
      ...(metrics && { metrics: metrics.map(newMetric) }),
      ...(behavior && { behavior }),
    },
    ...(object['status'] !== undefined && {
      status: { ...status, ...(currentMetrics && { currentMetrics: currentMetrics.map(newCurrent) }) },
    }),
  };
}

function toBeta1(object: ApiObject, types: BuiltinTypes): ApiObject {
  const { metrics, behavior, ...spec } = (object['spec'] ?? {}) as AutoscalerSpec;
  const { currentMetrics, ...status } = (object['status'] ?? {}) as AutoscalerStatus;
  const annotations = {
    ...object.metadata.annotations,
    ...(behavior !== undefined && { [BEHAVIOR]: JSON.stringify(goBehavior(behavior, types)) }),
  };
  return {
    ...object,
    apiVersion: 'autoscaling/v2beta1',
    metadata: withAnnotations(object.metadata, annotations),
    spec: { ...spec, ...(metrics && { metrics: metrics.map(oldMetric) }) },
    ...(object['status'] !== undefined && {
      status: { ...status, ...(currentMetrics && { currentMetrics: currentMetrics.map(oldCurrent) }) },
    }),
  };
}

function toV1(object: ApiObject, types: BuiltinTypes): ApiObject {
  const { metrics = [], behavior, ...spec } = (object['spec'] ?? {}) as AutoscalerSpec;
  const { conditions, currentMetrics, ...status } = (object['status'] ?? {}) as AutoscalerStatus;
  // The first of several is told; the others are lost.
  const isCpu = (metric: Metric) => targetOf(metric, 'Utilization') !== undefined;
  const cpu = metrics.find(isCpu);
  const others = metrics.filter((metric) => !isCpu(metric));
  const utilization = cpu && targetOf(cpu, 'Utilization');
  const current = currentCpu(currentMetrics ?? []);
  const annotations: Record<string, string> = {
    ...object.metadata.annotations,
    ...(others.length > 0 && { [METRICS]: JSON.stringify(others.map(oldMetric)) }),
    ...(behavior !== undefined && { [BEHAVIOR]: JSON.stringify(goBehavior(behavior, types)) }),
    ...(conditions && conditions.length > 0 && { [CONDITIONS]: JSON.stringify(conditions) }),
    ...(currentMetrics &&
      currentMetrics.length > 0 && { [CURRENT_METRICS]: JSON.stringify(currentMetrics.map(oldCurrent)) }),
  };
  return {
    ...object,
    apiVersion: 'autoscaling/v1',
    metadata: withAnnotations(object.metadata, annotations),
    spec: { ...spec, ...(utilization !== undefined && { targetCPUUtilizationPercentage: utilization }) },
    // v1 writes the count also where it is none.
    status: {
      currentReplicas: 0,
      ...status,
      ...(current !== undefined && { currentCPUUtilizationPercentage: current }),
    },
  };
}

function fromV1(object: ApiObject, types: BuiltinTypes): ApiObject {
  const { targetCPUUtilizationPercentage: cpu, ...spec } = (object['spec'] ?? {}) as AutoscalerSpec;
  const { currentCPUUtilizationPercentage: current, ...status } = (object['status'] ??
    {}) as AutoscalerStatus;
  const { annotations = {} } = object.metadata;
  const metrics = listIn('MetricSpec', annotations[METRICS]).map(newMetric);
  if (cpu !== undefined) metrics.push(cpuMetric(cpu));
  const behavior = behaviorIn(annotations[BEHAVIOR], types);
  const conditions = listIn('HorizontalPodAutoscalerCondition', annotations[CONDITIONS]);
  const known = listIn('MetricStatus', annotations[CURRENT_METRICS]).map(newCurrent);
  const currentMetrics = known.length > 0 || current === undefined ? known : [cpuCurrent(current)];
  return {
    ...object,
    apiVersion: 'autoscaling/v2',
    metadata: withoutOwn(object.metadata),
    spec: {
      ...spec,
      ...(metrics.length > 0 && { metrics }),
      ...(behavior && { behavior }),
    },
    status: {
      ...status,
      ...(currentMetrics.length > 0 && { currentMetrics }),
      ...(conditions.length > 0 && { conditions }),
    },
  };
}

const cpuMetric = (averageUtilization: number): Metric => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});

const cpuCurrent = (averageUtilization: number): Metric => ({
  type: 'Resource',
  resource: { name: 'cpu', current: { averageUtilization } },
});

/** Does the annotation of a v1 object hold metrics that can be read? */
export const hasReadableMetrics = (annotations: Readonly<Record<string, string>> = {}): boolean =>
  listIn('MetricSpec', annotations[METRICS]).length > 0;

const asFields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

/** The CPU utilisation that the metric aims at, if that is what it is. */
function targetOf({ type, resource }: Metric, wanted: string): number | undefined {
  const { name, target } = asFields(resource);
  const aim = asFields(target);
  if (type !== 'Resource' || name !== 'cpu' || aim['type'] !== wanted) return undefined;
  return typeof aim['averageUtilization'] === 'number' ? aim['averageUtilization'] : undefined;
}

function currentCpu(metrics: readonly Metric[]): number | undefined {
  for (const { type, resource } of metrics) {
    const { name, current } = asFields(resource);
    const utilization = asFields(current)['averageUtilization'];
    if (type === 'Resource' && name === 'cpu' && typeof utilization === 'number') return utilization;
  }
  return undefined;
}

const defined = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

function oldMetric(metric: Metric): Fields {
  const { type } = metric;
  const [member, source] = sourceOf(metric);
  const target = asFields(source['target']);
  const { name, selector } = asFields(source['metric']);
  if (type === 'Resource' || type === 'ContainerResource') {
    const { averageUtilization, averageValue } = target;
    const body = {
      name: source['name'],
      targetAverageUtilization: averageUtilization,
      targetAverageValue: averageValue,
      container: source['container'],
    };
    return { type, [member]: defined(body) };
  }
  if (type === 'Pods')
    return {
      type,
      pods: defined({ metricName: name, targetAverageValue: target['averageValue'], selector }),
    };
  if (type === 'Object') {
    const body = {
      target: source['describedObject'],
      metricName: name,
      targetValue: target['value'] ?? '0',
      selector,
      averageValue: target['averageValue'],
    };
    return { type, object: defined(body) };
  }
  const body = {
    metricName: name,
    metricSelector: selector,
    targetValue: target['value'],
    targetAverageValue: target['averageValue'],
  };
  return { type, external: defined(body) };
}

/** Members that may hold where a metric comes from. */
const SOURCES: readonly string[] = ['object', 'pods', 'resource', 'containerResource', 'external'];

/** Each member of the old version as one of the new, whatever the type says. */
const converted = (metric: Metric, source: (member: string, fields: Fields) => Fields): Metric => ({
  type: metric.type,
  ...Object.fromEntries(
    SOURCES.filter((member) => metric[member] !== undefined).map((member) => [
      member,
      source(member, asFields(metric[member])),
    ]),
  ),
});

const newMetric = (metric: Metric): Metric => converted(metric, newSource);

const namedIn = (source: Fields): Fields => ({
  metric: defined({ name: source['metricName'], selector: source['selector'] ?? source['metricSelector'] }),
});

function newSource(member: string, source: Fields): Fields {
  const named = namedIn(source);
  switch (member) {
    case 'resource':
    case 'containerResource': {
      const { targetAverageUtilization: averageUtilization, targetAverageValue: averageValue } = source;
      const target =
        averageUtilization === undefined
          ? { type: 'AverageValue', averageValue }
          : { type: 'Utilization', averageUtilization };
      return defined({ name: source['name'], target: defined(target), container: source['container'] });
    }
    case 'pods':
      return { ...named, target: { type: 'AverageValue', averageValue: source['targetAverageValue'] } };
    case 'object': {
      const target =
        source['averageValue'] === undefined
          ? { type: 'Value', value: source['targetValue'] }
          : { type: 'AverageValue', averageValue: source['averageValue'] };
      return { describedObject: source['target'], target, ...named };
    }
    default: {
      const target =
        source['targetValue'] === undefined
          ? { type: 'AverageValue', averageValue: source['targetAverageValue'] }
          : { type: 'Value', value: source['targetValue'] };
      return { ...named, target: defined(target) };
    }
  }
}

function oldCurrent(metric: Metric): Fields {
  const { type } = metric;
  const [member, source] = sourceOf(metric);
  const { averageUtilization, averageValue, value } = asFields(source['current']);
  const { name, selector } = asFields(source['metric']);
  if (type === 'Resource' || type === 'ContainerResource') {
    const body = {
      name: source['name'],
      currentAverageUtilization: averageUtilization,
      currentAverageValue: averageValue ?? '0',
      container: source['container'],
    };
    return { type, [member]: defined(body) };
  }
  if (type === 'Pods')
    return { type, pods: defined({ metricName: name, currentAverageValue: averageValue ?? '0', selector }) };
  if (type === 'Object') {
    const body = {
      target: source['describedObject'],
      metricName: name,
      currentValue: value ?? '0',
      selector,
      averageValue,
    };
    return { type, object: defined(body) };
  }
  const body = {
    metricName: name,
    metricSelector: selector,
    currentValue: value ?? '0',
    currentAverageValue: averageValue,
  };
  return { type, external: defined(body) };
}

const newCurrent = (metric: Metric): Metric => converted(metric, newReading);

function newReading(member: string, source: Fields): Fields {
  const current = defined({
    value: source['currentValue'],
    averageValue: source['currentAverageValue'] ?? source['averageValue'],
    averageUtilization: source['currentAverageUtilization'],
  });
  if (member === 'resource' || member === 'containerResource')
    return defined({ name: source['name'], current, container: source['container'] });
  return { ...namedIn(source), current, ...(member === 'object' && { describedObject: source['target'] }) };
}

/** The member that holds what its type says: `containerResource` of a ContainerResource. */
function sourceOf(metric: Metric): readonly [string, Fields] {
  // Required, but a client may leave it out.
  const { type = '' } = metric;
  const member = type.charAt(0).toLowerCase() + type.slice(1);
  return [member, asFields(metric[member])];
}

/** The annotation has Go's field names, and says what is not there. */
const goBehavior = (value: unknown, types: BuiltinTypes): unknown =>
  Object.fromEntries(
    ['scaleUp', 'scaleDown'].map((name) => [goName(name), goRules(asFields(value)[name], types)]),
  );

function goRules(value: unknown, types: BuiltinTypes): unknown {
  if (value === undefined || value === null) return null;
  const {
    stabilizationWindowSeconds = null,
    selectPolicy = null,
    policies = null,
    tolerance = null,
  } = asFields(value);
  const knowsTolerance = types.structOf(RULES_KEY).fieldsByName.has('tolerance');
  const rules = { stabilizationWindowSeconds, selectPolicy, policies, ...(knowsTolerance && { tolerance }) };
  return renamed(rules, goName);
}

const RULES_KEY = 'autoscaling/v2.HPAScalingRules';
const goName = (name: string): string => (name[0] ?? '').toUpperCase() + name.slice(1);
const jsonBehavior = (value: unknown): unknown =>
  renamed(value, (name) => (name[0] ?? '').toLowerCase() + name.slice(1));

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [rename(name), renamed(member, rename)]),
  );
}

/** Words of the old beta version are the same in all releases, and some no longer have its types. */
const betaTypes = RELEASE_1_31.catalog.types;

/** A value of a type, as Go decodes it; undefined: it is none. */
function typedIn(key: string, value: unknown, types: BuiltinTypes): JsonObject | undefined {
  try {
    return decodeStruct(types.structOf(key), value ?? {});
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** All of a list, or nothing: what cannot be read is not there. Its words are those of the old beta version. */
function listIn(type: string, text: string | undefined): Metric[] {
  const value = jsonIn(text);
  if (!Array.isArray(value)) return [];
  const items = value.map((item: unknown) => typedIn(`autoscaling/v2beta1.${type}`, item, betaTypes));
  return items.every((item) => item !== undefined) ? (items as Metric[]) : [];
}

function behaviorIn(text: string | undefined, types: BuiltinTypes): JsonObject | undefined {
  const value = jsonIn(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const typed = typedIn('autoscaling/v2.HorizontalPodAutoscalerBehavior', jsonBehavior(value), types);
  return typed && Object.keys(typed).length > 0 ? typed : undefined;
}

function jsonIn(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function withoutOwn(metadata: ObjectMeta): ObjectMeta {
  const { annotations } = metadata;
  if (!annotations || !VERSIONED_ANNOTATIONS.some((name) => Object.hasOwn(annotations, name)))
    return metadata;
  const kept = Object.entries(annotations).filter(([name]) => !VERSIONED_ANNOTATIONS.includes(name));
  return withAnnotations(metadata, Object.fromEntries(kept));
}

/** In their place, sorted: they are shown as they are. */
function withAnnotations(
  { annotations: _old, ...metadata }: ObjectMeta,
  annotations: Readonly<Record<string, string>>,
): ObjectMeta {
  const names = Object.keys(annotations).sort();
  if (names.length === 0) return metadata;
  const { ownerReferences, finalizers, managedFields, ...before } = metadata;
  return {
    ...before,
    annotations: Object.fromEntries(names.map((name) => [name, annotations[name] ?? ''])),
    ...(ownerReferences && { ownerReferences }),
    ...(finalizers && { finalizers }),
    ...(managedFields && { managedFields }),
  };
}
