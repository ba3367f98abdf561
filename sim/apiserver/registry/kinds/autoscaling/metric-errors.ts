/** Rules of the metrics by which a HorizontalPodAutoscaler scales. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { MetricIdentifier, MetricSpec, MetricTarget } from '../../../../api/types/autoscaling-v2.ts';
import { checkedBy, isPositiveQuantity } from '../../../../api/validation/field-checks.ts';
import { forbidden, invalid, notSupported, required } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { dns1123Label, pathSegmentName } from '../../../../api/validation/names.ts';
import { containerResourceNameErrors } from '../pod-spec/validate-resources.ts';
import { goQuantity } from '../pod-spec/quantities.ts';

type Errors = readonly FieldError[];

const METRIC_TYPES = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];
/** In the order in which the server looks at them. */
const SOURCES = ['object', 'external', 'pods', 'resource', 'containerResource'] as const;

export function metricErrors(metric: MetricSpec, path: FieldPath): Errors {
  const { type } = metric;
  const errors: FieldError[] = [];
  if (!type) errors.push(required(path.child('type'), 'must specify a metric source type'));
  const isKnown = METRIC_TYPES.includes(type);
  const unknown = isKnown ? [] : [notSupported(path.child('type'), type, METRIC_TYPES)];
  append(errors, unknown);
  const expected = isKnown ? type.charAt(0).toLowerCase() + type.slice(1) : '';
  const present = SOURCES.filter((name) => metric[name] !== undefined);
  const [first] = present;
  if (first) append(errors, sourceErrors(metric, first, path.child(first)));
  if (expected !== '' && !present.some((name) => name === expected)) {
    errors.push(required(path.child(expected), 'must populate information for the given metric source'));
  }
  // Of an unknown type it is told again, behind what is said of the source.
  append(errors, unknown);
  if (present.length === 1) return errors;
  const why = 'must populate the given metric source only';
  return [
    ...errors,
    ...present.filter((name) => name !== expected).map((name) => forbidden(path.child(name), why)),
  ];
}

function sourceErrors(metric: MetricSpec, name: (typeof SOURCES)[number], path: FieldPath): Errors {
  const { object, external, pods, resource, containerResource } = metric;
  const target = path.child('target');
  switch (name) {
    case 'object':
      return [
        ...referenceErrors(object?.describedObject, path.child('describedObject')),
        ...identifierErrors(object?.metric, path.child('metric')),
        ...targetErrors(object?.target, target),
        ...(object?.target?.value === undefined && object?.target?.averageValue === undefined
          ? [required(target.child('averageValue'), 'must set either a target value or averageValue')]
          : []),
      ];
    case 'external':
      return [
        ...identifierErrors(external?.metric, path.child('metric')),
        ...targetErrors(external?.target, target),
        ...externalTargetErrors(external?.target, target),
      ];
    case 'pods':
      return [
        ...identifierErrors(pods?.metric, path.child('metric')),
        ...targetErrors(pods?.target, target),
        ...(pods?.target?.averageValue === undefined
          ? [required(target.child('averageValue'), 'must specify a positive target averageValue')]
          : []),
      ];
    default: {
      const own = resource && name === 'resource' ? resource : containerResource;
      const isOfContainer = name === 'containerResource';
      const namePath = path.child('name');
      const ofName = own?.name
        ? containerNameErrors(own.name, namePath, isOfContainer)
        : [required(namePath, NO_RESOURCE)];
      const ofContainer = isOfContainer ? containerErrors(containerResource?.container, path) : [];
      return [
        ...ofName,
        ...ofContainer,
        ...targetErrors(own?.target, target),
        ...resourceTargetErrors(own?.target, target),
      ];
    }
  }
}

function containerErrors(container: string | undefined, path: FieldPath): Errors {
  const own = path.child('container');
  return container ? checkedBy(dns1123Label, container, own) : [required(own, 'must specify a container')];
}

const NO_RESOURCE = 'must specify a resource name';

const containerNameErrors = (name: string, path: FieldPath, isOfContainer: boolean): Errors =>
  isOfContainer ? containerResourceNameErrors(name, path, name) : [];

interface Reference {
  readonly kind?: string;
  readonly name?: string;
}

export function referenceErrors(reference: Reference | undefined, path: FieldPath): FieldError[] {
  return (['kind', 'name'] as const).flatMap((member) =>
    segmentErrors(reference?.[member], path.child(member)),
  );
}

function segmentErrors(value: string | undefined, path: FieldPath, why = ''): FieldError[] {
  if (!value) return [required(path, why)];
  return pathSegmentName(value).map((finding) => invalid(path, value, finding));
}

const identifierErrors = (metric: MetricIdentifier | undefined, path: FieldPath): Errors =>
  segmentErrors(metric?.name, path.child('name'), 'must specify a metric name');

const TARGET_TYPES = ['Utilization', 'Value', 'AverageValue'];

function targetErrors(target: MetricTarget | undefined, path: FieldPath): Errors {
  const { type = '', averageUtilization } = target ?? {};
  const errors: FieldError[] = [];
  if (type === '') errors.push(required(path.child('type'), 'must specify a metric target type'));
  if (!TARGET_TYPES.includes(type))
    errors.push(invalid(path.child('type'), type, 'must be either Utilization, Value, or AverageValue'));
  for (const member of ['value', 'averageValue'] as const) {
    const amount = target?.[member];
    if (amount !== undefined && !isPositiveQuantity(amount))
      errors.push(invalid(path.child(member), goQuantity(amount), 'must be positive'));
  }
  if (averageUtilization !== undefined && averageUtilization < 1)
    errors.push(invalid(path.child('averageUtilization'), averageUtilization, 'must be greater than 0'));
  return errors;
}

function externalTargetErrors(target: MetricTarget | undefined, path: FieldPath): Errors {
  const { value, averageValue } = target ?? {};
  if (value === undefined && averageValue === undefined) {
    const why = 'must set either a target value for metric or a per-pod target';
    return [required(path.child('averageValue'), why)];
  }
  if (value === undefined || averageValue === undefined) return [];
  return [forbidden(path.child('value'), 'may not set both a target value for metric and a per-pod target')];
}

function resourceTargetErrors(target: MetricTarget | undefined, path: FieldPath): Errors {
  const { averageUtilization, averageValue } = target ?? {};
  if (averageUtilization === undefined && averageValue === undefined) {
    const why = 'must set either a target raw value or a target utilization';
    return [required(path.child('averageUtilization'), why)];
  }
  if (averageUtilization === undefined || averageValue === undefined) return [];
  const why = 'may not set both a target raw value and a target utilization';
  return [forbidden(path.child('averageValue'), why)];
}
