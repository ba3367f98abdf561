/** HorizontalPodAutoscaler: between how many replicas, and by which metrics. Rules hold for the stored v2. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type {
  HorizontalPodAutoscaler,
  HPAScalingRules,
  MetricSpec,
} from '../../../../api/types/autoscaling-v2.ts';
import {
  forbidden,
  ifOff,
  ifOn,
  invalid,
  notSupported,
  required,
  since,
  until,
} from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { nameIsDnsSubdomain, pathSegmentName } from '../../../../api/validation/names.ts';
import { metricErrors } from './metric-errors.ts';
import { keepMember } from '../../generic-strategy.ts';
import { defineKind } from '../../define-kind.ts';
import {
  AUTOSCALER_CONVERSION,
  hasReadableMetrics,
  VERSIONED_ANNOTATIONS,
} from './horizontal-pod-autoscaler-conversion.ts';
import type { Draft, DraftObject } from '../../strategy.ts';

const SPEC = FieldPath.of('spec');
const SCALES_TO_ZERO = 'HPAScaleToZero';
const DEFAULT_CPU_UTILIZATION = 80;
const BETA_ANNOTATION = 'autoscaling.alpha.kubernetes.io/';
const MAX_STABILIZATION_SECONDS = 3_600;
const MAX_PERIOD_SECONDS = 1_800;
const SELECT_POLICIES = ['Disabled', 'Max', 'Min'];
const POLICY_TYPES = ['Percent', 'Pods'];
const SCALE_UP = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};
const SCALE_DOWN = { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] };

export const horizontalPodAutoscalerKind = defineKind<HorizontalPodAutoscaler>({
  group: 'autoscaling',
  resource: 'horizontalpodautoscalers',
  conversion: AUTOSCALER_CONVERSION,
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    versionedAnnotations: VERSIONED_ANNOTATIONS,
    // The usual policies stand in for none, but not for an empty list of them.
    tellingEmptyLists: ['scaleUp', 'scaleDown'].map((direction) => [
      'spec',
      'behavior',
      direction,
      'policies',
    ]),
    defaults: (draft, apiVersion) => {
      if (apiVersion === 'autoscaling/v1') setV1Defaults(draft);
      else setDefaults(draft);
    },
    prepareForCreate: (draft) => {
      delete draft.status;
    },
    prepareForUpdate: (draft, old) => keepMember(draft, old, 'status'),
    validate: (object) => specErrors(object),
    validateUpdate: (object) => specErrors(object),
    resetFields: [['status']],
    subresources: {
      status: {
        prepareForUpdate: (draft, old) => keepMember(draft, old, 'spec'),
        validateUpdate: ({ status }) => statusErrors(status),
        resetFields: [['spec']],
      },
    },
    tableRow: (object, clock) => {
      const { metadata, spec, status } = object;
      return {
        cells: [
          metadata.name,
          `${spec?.scaleTargetRef?.kind ?? ''}/${spec?.scaleTargetRef?.name ?? ''}`,
          metricsText(object),
          spec?.minReplicas === undefined ? '<unset>' : String(spec.minReplicas),
          spec?.maxReplicas ?? 0,
          status?.currentReplicas ?? 0,
          clock.age(metadata.creationTimestamp),
        ],
      };
    },
  },
});

interface V1Spec {
  minReplicas?: number;
  targetCPUUtilizationPercentage?: number;
}

function setV1Defaults(draft: DraftObject): void {
  const spec = (draft['spec'] ??= {}) as V1Spec;
  spec.minReplicas ??= 1;
  if (hasReadableMetrics(draft.metadata.annotations)) return;
  spec.targetCPUUtilizationPercentage ??= DEFAULT_CPU_UTILIZATION;
  dropBetaAnnotations(draft, ['metrics']);
}

function setDefaults(draft: Draft<HorizontalPodAutoscaler>): void {
  dropBetaAnnotations(draft);
  const { spec } = draft;
  if (!spec) return;
  spec.minReplicas ??= 1;
  if ((spec.metrics ?? []).length === 0) {
    const target = { type: 'Utilization', averageUtilization: DEFAULT_CPU_UTILIZATION };
    spec.metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }];
  }
  if (!spec.behavior) return;
  // Who says one direction gets the rules of the other as well.
  spec.behavior.scaleUp = { ...structuredCopy(SCALE_UP), ...spec.behavior.scaleUp };
  spec.behavior.scaleDown = { ...structuredCopy(SCALE_DOWN), ...spec.behavior.scaleDown };
}

const structuredCopy = (rules: Draft<HPAScalingRules>): Draft<HPAScalingRules> => ({
  ...rules,
  policies: (rules.policies ?? []).map((policy) => ({ ...policy })),
});

/** What v1 says in annotations is not v2's to say. */
const BETA_ANNOTATIONS = ['metrics', 'behavior', 'conditions', 'current-metrics'];

function dropBetaAnnotations({ metadata }: DraftObject, names = BETA_ANNOTATIONS): void {
  const { annotations } = metadata;
  if (!annotations) return;
  for (const name of names) delete annotations[BETA_ANNOTATION + name];
  if (Object.keys(annotations).length === 0) delete metadata.annotations;
}

function specErrors({ spec }: HorizontalPodAutoscaler): FieldError[] {
  const { minReplicas, maxReplicas = 0, scaleTargetRef, metrics = [], behavior } = spec ?? {};
  const errors: FieldError[] = [];
  append(errors, ifOff(SCALES_TO_ZERO, atLeast(1, minReplicas)));
  append(errors, ifOn(SCALES_TO_ZERO, atLeast(0, minReplicas)));
  if (maxReplicas < 1) append(errors, tooFewErrors(maxReplicas));
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    errors.push(
      invalid(SPEC.child('maxReplicas'), maxReplicas, 'must be greater than or equal to `minReplicas`'),
    );
  }
  append(errors, targetErrors(scaleTargetRef ?? { kind: '', name: '' }));
  append(
    errors,
    metrics.flatMap((metric, index) => metricErrors(metric, SPEC.child('metrics').index(index))),
  );
  if (minReplicas === 0 && !metrics.some(({ type }) => type === 'Object' || type === 'External')) {
    errors.push(
      forbidden(
        SPEC.child('metrics'),
        'must specify at least one Object or External metric to support scaling to zero replicas',
      ),
    );
  }
  if (behavior?.scaleUp) append(errors, rulesErrors(behavior.scaleUp, SPEC.child('behavior', 'scaleUp')));
  if (behavior?.scaleDown)
    append(errors, rulesErrors(behavior.scaleDown, SPEC.child('behavior', 'scaleDown')));
  return errors;
}

const atLeast = (least: number, minReplicas = least): readonly FieldError[] =>
  minReplicas < least
    ? [invalid(SPEC.child('minReplicas'), minReplicas, `must be greater than or equal to ${least}`)]
    : [];

function targetErrors({
  kind = '',
  name = '',
  apiVersion = '',
}: {
  readonly kind?: string;
  readonly name?: string;
  readonly apiVersion?: string;
}): FieldError[] {
  const path = SPEC.child('scaleTargetRef');
  const segment = (member: string, value: string): FieldError[] =>
    value === ''
      ? [required(path.child(member))]
      : pathSegmentName(value).map((message) => invalid(path.child(member), value, message));
  return [
    ...segment('kind', kind),
    ...segment('name', name),
    ...since('1.34', versionErrors(kind, apiVersion, path.child('apiVersion'))),
  ];
}

/** Only one kind of the core can be scaled. */
function versionErrors(kind: string, apiVersion: string, path: FieldPath): readonly FieldError[] {
  const parts = apiVersion.split('/');
  if (parts.length > 2) return [invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const isOfCore = parts.length < 2 || parts[0] === '';
  if (!isOfCore || kind === 'ReplicationController') return [];
  return [invalid(path, apiVersion, 'apiVersion must specify API group')];
}

function tooFewErrors(maxReplicas: number): readonly FieldError[] {
  const path = SPEC.child('maxReplicas');
  const later =
    maxReplicas === 0
      ? required(path, 'must be set and greater than 0')
      : invalid(path, maxReplicas, 'must be greater than or equal to 1');
  return [
    ...until('1.36', [invalid(path, maxReplicas, 'must be greater than 0')]),
    ...since('1.36', [later]),
  ];
}

function rulesErrors(
  { stabilizationWindowSeconds: window, selectPolicy, policies = [] }: HPAScalingRules,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (window !== undefined && window < 0) {
    errors.push(
      invalid(path.child('stabilizationWindowSeconds'), window, 'must be greater than or equal to zero'),
    );
  }
  if (window !== undefined && window > MAX_STABILIZATION_SECONDS) {
    errors.push(
      invalid(
        path.child('stabilizationWindowSeconds'),
        window,
        `must be less than or equal to ${MAX_STABILIZATION_SECONDS}`,
      ),
    );
  }
  if (selectPolicy !== undefined && !SELECT_POLICIES.includes(selectPolicy)) {
    errors.push(notSupported(path.child('selectPolicy'), selectPolicy, SELECT_POLICIES));
  }
  if (policies.length === 0)
    errors.push(required(path.child('policies'), 'must specify at least one Policy'));
  for (const [index, policy] of policies.entries()) {
    const at = path.child('policies').index(index);
    if (!POLICY_TYPES.includes(policy.type))
      errors.push(notSupported(at.child('type'), policy.type, POLICY_TYPES));
    if (policy.value <= 0) errors.push(invalid(at.child('value'), policy.value, 'must be greater than zero'));
    if (policy.periodSeconds <= 0)
      errors.push(invalid(at.child('periodSeconds'), policy.periodSeconds, 'must be greater than zero'));
    if (policy.periodSeconds > MAX_PERIOD_SECONDS) {
      errors.push(
        invalid(
          at.child('periodSeconds'),
          policy.periodSeconds,
          `must be less than or equal to ${MAX_PERIOD_SECONDS}`,
        ),
      );
    }
  }
  return errors;
}

function statusErrors(status: HorizontalPodAutoscaler['status']): FieldError[] {
  const counts = ['currentReplicas', 'desiredReplicas'] as const;
  return counts.flatMap((name) => {
    const count = status?.[name] ?? 0;
    return count < 0
      ? [invalid(FieldPath.of('status', name), count, 'must be greater than or equal to 0')]
      : [];
  });
}

const MAX_METRICS_SHOWN = 2;

/** `cpu: 55%/80%, 20/100 + 1 more...` */
const UNKNOWN = '<unknown>';

function metricsText({ spec, status }: HorizontalPodAutoscaler): string {
  const metrics = spec?.metrics ?? [];
  if (metrics.length === 0) return '<none>';
  const texts = metrics
    .slice(0, MAX_METRICS_SHOWN)
    .map((metric, index) => metricText(metric, status?.currentMetrics?.[index]));
  const more = metrics.length > MAX_METRICS_SHOWN ? ` + ${metrics.length - MAX_METRICS_SHOWN} more...` : '';
  return texts.join(', ') + more;
}

function metricText(metric: MetricSpec, status: unknown): string {
  const member = (metric.type[0] ?? '').toLowerCase() + metric.type.slice(1);
  const source = fieldsOf(Reflect.get(metric, member));
  const target = fieldsOf(source['target']);
  const current = fieldsOf(fieldsOf(fieldsOf(status)[member])['current']);
  const isResource = metric.type === 'Resource' || metric.type === 'ContainerResource';
  const head = isResource ? `${textOf(source['name'])}: ` : '';
  // Nothing else is shown by its share.
  if (isResource && target['averageUtilization'] !== undefined) {
    const now =
      current['averageUtilization'] === undefined ? UNKNOWN : `${textOf(current['averageUtilization'])}%`;
    return `${head}${now}/${textOf(target['averageUtilization'])}%`;
  }
  if (target['averageValue'] !== undefined) {
    const average = metric.type === 'External' || metric.type === 'Object' ? ' (avg)' : '';
    return `${head}${textOf(current['averageValue'])}/${textOf(target['averageValue'])}${average}`;
  }
  return `${head}${textOf(current['value'])}/${textOf(target['value'], '<auto>')}`;
}

const textOf = (value: unknown, otherwise = UNKNOWN): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : otherwise;

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
