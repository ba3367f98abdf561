/**
 * What autoscalers may say, beside a plain reading of their documentation ("Horizontal Pod Autoscaling"): where something
 * is wrong and nowhere else, what stands in for what is not said, and never for what is.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FieldError } from '../../../../api/status.ts';
import type {
  HorizontalPodAutoscaler,
  HPAScalingRules,
  MetricSpec,
} from '../../../../api/types/autoscaling-v2.ts';
import { asOftenAs } from '../../../../engine/any-order.arbitrary.ts';
import type { Draft, HookContext } from '../../strategy.ts';
import { horizontalPodAutoscalerKind } from './horizontal-pod-autoscaler.ts';

const CONTEXT = {} as HookContext;
const { validate, defaults } = horizontalPodAutoscalerKind.strategy ?? {};
const autoscalerOf = (spec: object): HorizontalPodAutoscaler => ({
  ...{ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name: 'a' } },
  spec: {
    scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
    maxReplicas: 3,
    ...spec,
  },
});
/** Of a server of 1.31 without gates. */
const isSaid = ({ since, gates = {} }: FieldError): boolean =>
  since === undefined && !Object.values(gates).includes(true);
const placesOf = (spec: object): readonly string[] => [
  ...new Set((validate?.(autoscalerOf(spec), CONTEXT) ?? []).filter(isSaid).map(({ field }) => field)),
];
const maybe = <Value>(...values: readonly Value[]): fc.Arbitrary<Value | undefined> =>
  fc.constantFrom<Value | undefined>(undefined, ...values);
const given = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

const TARGETS: Readonly<Record<string, object>> = {
  Resource: { resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
  Pods: { pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '1' } } },
  External: { external: { metric: { name: 'm' }, target: { type: 'Value', value: '1' } } },
  Object: {
    object: {
      ...{ describedObject: { kind: 'K', name: 'n' }, metric: { name: 'm' } },
      target: { type: 'Value', value: '1' },
    },
  },
};
const metric: fc.Arbitrary<MetricSpec> = fc
  .constantFrom(...Object.keys(TARGETS))
  .map((type) => ({ type, ...TARGETS[type] }));

describe('an autoscaler', () => {
  it('lies between so many and more replicas, and goes down to none only for what is not of its pods', () => {
    const metrics = fc.array(metric, { maxLength: 2 });
    fc.assert(
      fc.property(maybe(-1, 0, 1, 3, 4), fc.constantFrom(-1, 0, 1, 3), metrics, (least, most, all) => {
        const spec = given({ minReplicas: least, maxReplicas: most, metrics: all });
        const isFew = most < 1 || most < (least ?? 1);
        const isOfOthers = all.some(({ type }) => type === 'External' || type === 'Object');
        expect(placesOf(spec)).toEqual([
          ...(least !== undefined && least < 1 ? ['spec.minReplicas'] : []),
          ...(isFew && (most < 1 || least !== undefined) ? ['spec.maxReplicas'] : []),
          ...(least === 0 && !isOfOthers ? ['spec.metrics'] : []),
        ]);
      }),
      asOftenAs(150),
    );
  });

  const policy = fc.record({
    type: fc.constantFrom('Pods', 'Percent', 'Nodes'),
    value: fc.constantFrom(-1, 0, 1, 100),
    periodSeconds: fc.constantFrom(0, 1, 15, 1_799, 1_800, 1_801),
  });
  const rules = fc
    .record({
      stabilizationWindowSeconds: maybe(-1, 0, 1, 300, 3_599, 3_600, 3_601),
      selectPolicy: maybe('Max', 'Min', 'Disabled', 'Avg'),
      policies: maybe(...fc.sample(fc.array(policy, { maxLength: 2 }), { numRuns: 40, seed: 1 })),
    })
    .map((drawn) => given(drawn) as HPAScalingRules);

  it('looks back up to an hour, and changes so much in up to half of one', () => {
    fc.assert(
      fc.property(rules, fc.constantFrom('scaleUp', 'scaleDown'), (drawn, direction) => {
        const at = `spec.behavior.${direction}`;
        const { stabilizationWindowSeconds: window = 0, selectPolicy = 'Max', policies = [] } = drawn;
        expect(placesOf({ behavior: { [direction]: drawn } })).toEqual([
          ...(window < 0 || window > 60 * 60 ? [`${at}.stabilizationWindowSeconds`] : []),
          ...(selectPolicy === 'Avg' ? [`${at}.selectPolicy`] : []),
          ...(policies.length === 0 ? [`${at}.policies`] : []),
          ...policies.flatMap(({ type, value, periodSeconds }, index) => [
            ...(type === 'Nodes' ? [`${at}.policies[${index}].type`] : []),
            ...(value < 1 ? [`${at}.policies[${index}].value`] : []),
            ...(periodSeconds < 1 || periodSeconds > 30 * 60
              ? [`${at}.policies[${index}].periodSeconds`]
              : []),
          ]),
        ]);
      }),
      asOftenAs(200),
    );
  });

  it('is completed by what is usual, which goes over nothing that is said, and once is enough', () => {
    const behavior = fc.option(fc.record({ scaleUp: rules, scaleDown: rules }, { requiredKeys: [] }), {
      nil: undefined,
    });
    const metrics = fc.option(fc.array(metric, { maxLength: 2 }), { nil: undefined });
    fc.assert(
      fc.property(maybe(0, 1, 2), metrics, behavior, (minReplicas, some, said) => {
        const before = autoscalerOf(given({ minReplicas, metrics: some, behavior: said }));
        const draft = structuredClone(before) as Draft<HorizontalPodAutoscaler>;
        defaults?.(draft, 'autoscaling/v2');
        const { spec } = draft;
        expect(spec?.minReplicas).toBe(minReplicas ?? 1);
        const usual = [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
          },
        ];
        expect(spec?.metrics).toEqual((some ?? []).length > 0 ? some : usual);
        const double = { type: 'Percent', value: 100, periodSeconds: 15 };
        const up = {
          stabilizationWindowSeconds: 0,
          selectPolicy: 'Max',
          policies: [{ type: 'Pods', value: 4, periodSeconds: 15 }, double],
        };
        const down = { selectPolicy: 'Max', policies: [double] };
        expect(spec?.behavior).toEqual(
          said && { scaleUp: { ...up, ...said.scaleUp }, scaleDown: { ...down, ...said.scaleDown } },
        );
        const once = structuredClone(draft);
        defaults?.(draft, 'autoscaling/v2');
        expect(draft).toEqual(once);
      }),
      asOftenAs(100),
    );
  });

  it('has for each metric the one source that its type names', () => {
    const sources = fc.subarray(Object.keys(TARGETS), { maxLength: 3 });
    const type = fc.constantFrom(...Object.keys(TARGETS), 'ContainerResource', 'Nope');
    fc.assert(
      fc.property(type, sources, (of, present) => {
        const member = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);
        const drawn = Object.assign({ type: of }, ...present.map((name) => TARGETS[name])) as MetricSpec;
        const at = 'spec.metrics[0]';
        const isKnown = of !== 'Nope';
        const found = placesOf({ metrics: [drawn] });
        expect(found.includes(`${at}.type`)).toBe(!isKnown);
        const isMissing = isKnown && !present.includes(of);
        expect(found.includes(`${at}.${member(of)}`)).toBe(isMissing);
        const others = present.filter((name) => name !== of);
        for (const name of others) expect(found.includes(`${at}.${member(name)}`)).toBe(present.length > 1);
        expect(found.length === 0).toBe(isKnown && !isMissing && present.length === 1);
      }),
      asOftenAs(100),
    );
  });
});
