/** Objects of old versions, whatever they say and leave out: each means afterwards what it meant. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../../engine/any-order.arbitrary.ts';
import type { Migration, Parts } from './migration.ts';
import { NETWORKING } from './networking.ts';
import { POLICIES } from './policies.ts';
import { WORKLOADS } from './workloads.ts';

function rewritten(migrations: Readonly<Record<string, Migration>>, of: string, object: Parts): Parts {
  const copy = structuredClone(object);
  migrations[of]?.(copy);
  return copy;
}

const ALL = 2_147_483_647;
const batch = fc.constantFrom(undefined, 2, '30%');

it('Deployments keep their pace, and have one where they roll', () => {
  const types = fc.constantFrom(undefined, 'RollingUpdate', 'Recreate');
  fc.assert(
    fc.property(types, batch, batch, (type, maxSurge, maxUnavailable) => {
      const rollingUpdate = { ...(maxSurge && { maxSurge }), ...(maxUnavailable && { maxUnavailable }) };
      const strategy = type === 'Recreate' ? { type } : { ...(type && { type }), rollingUpdate };
      const { spec } = rewritten(WORKLOADS, 'extensions/v1beta1.Deployment', {
        spec: { strategy, template: { metadata: { labels: { a: 'b' } } } },
      });
      const rolls = {
        type: 'RollingUpdate',
        rollingUpdate: { maxSurge: maxSurge ?? 1, maxUnavailable: maxUnavailable ?? 1 },
      };
      expect(spec).toMatchObject({
        selector: { matchLabels: { a: 'b' } },
        revisionHistoryLimit: ALL,
        progressDeadlineSeconds: ALL,
      });
      expect((spec as Parts)['strategy']).toEqual(type === 'Recreate' ? { type } : rolls);
    }),
    asOftenAs(60),
  );
});

it('ports of backends are numbers where they were, and names else', () => {
  fc.assert(
    fc.property(
      fc.constantFrom<unknown>(80, '80', '8080', 'http', 'web-1'),
      fc.boolean(),
      (servicePort, isDefault) => {
        const old = { serviceName: 's', servicePort };
        const spec = isDefault ? { backend: old } : { rules: [{ http: { paths: [{ backend: old }] } }] };
        const { spec: is } = rewritten(NETWORKING, 'extensions/v1beta1.Ingress', { spec });
        const isNumber = !Number.isNaN(Number(servicePort));
        const backend = {
          service: { name: 's', port: isNumber ? { number: Number(servicePort) } : { name: servicePort } },
        };
        expect(is).toEqual(
          isDefault
            ? { defaultBackend: backend }
            : { rules: [{ http: { paths: [{ backend, pathType: 'ImplementationSpecific' }] } }] },
        );
      },
    ),
    asOftenAs(40),
  );
});

it('budgets choose whom they chose: none, where they said so, nobody, where they said nothing', () => {
  const selectors = fc.constantFrom<unknown>(
    ...[undefined, null, {}, { matchLabels: {} }, { matchExpressions: [] }, { matchLabels: { a: 'b' } }],
  );
  fc.assert(
    fc.property(selectors, (selector) => {
      const old = { spec: { minAvailable: 1, ...(selector !== undefined && { selector }) } };
      const { spec } = rewritten(POLICIES, 'policy/v1beta1.PodDisruptionBudget', old);
      const isEmpty = ['{}', '{"matchLabels":{}}', '{"matchExpressions":[]}'].includes(
        JSON.stringify(selector),
      );
      if (isEmpty)
        expect((spec as { selector: Parts }).selector['matchExpressions']).toMatchObject([
          { operator: 'Exists' },
        ]);
      else expect(spec).toEqual(old.spec);
    }),
    asOftenAs(20),
  );
});

it('levels of priority without shares have those that stand in', () => {
  fc.assert(
    fc.property(fc.constantFrom(undefined, 0, 1, 30), (shares) => {
      const limited = { ...(shares !== undefined && { assuredConcurrencyShares: shares }) };
      const of = 'flowcontrol.apiserver.k8s.io/v1beta2.PriorityLevelConfiguration';
      expect(rewritten(POLICIES, of, { spec: { limited } })['spec']).toEqual({
        limited: shares ? { nominalConcurrencyShares: shares } : {},
      });
    }),
    asOftenAs(12),
  );
});
