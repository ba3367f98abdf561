import { expect, test } from 'vitest';
import { askedServer } from '../../../../cli/golden/asked-server.ts';

const V1 = '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers';
const V2 = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
const METRICS = 'autoscaling.alpha.kubernetes.io/metrics';

const target = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' };
const created = (ask: ReturnType<typeof askedServer>, name: string, text: string) =>
  ask('POST', V1, {
    metadata: { name, annotations: { [METRICS]: text } },
    spec: { maxReplicas: 3, scaleTargetRef: target },
  });

test('metrics of an annotation that are of wrong types are not there', () => {
  const ask = askedServer();
  const texts = [
    '[{"type":[[]]}]',
    '[1]',
    '[{"type":"Pods","pods":{"metricName":5}}]',
    '[{"type":"Pods","pods":{"metricName":"m","targetAverageValue":"zz"}}]',
    '[{"type":"Resource","resource":{"name":"cpu","targetAverageUtilization":"x"}},{"type":"Nope"}]',
  ];
  for (const [index, text] of texts.entries()) {
    expect(created(ask, `a-${index}`, text).status).toBe(201);
    const plain = ask('POST', V1, {
      metadata: { name: `b-${index}` },
      spec: { maxReplicas: 3, scaleTargetRef: target },
    });
    expect(plain.status).toBe(201);
    expect(ask('GET', `${V2}/a-${index}`).body['spec']).toEqual(ask('GET', `${V2}/b-${index}`).body['spec']);
  }
});

test('metrics of an annotation are what their members are, whatever their type says', () => {
  const ask = askedServer();
  expect(created(ask, 'a', '[{"type":"Nope"}]').body.message).toBe(
    'HorizontalPodAutoscaler.autoscaling "a" is invalid: spec.metrics[0].type: Unsupported value: "Nope": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
  );
  expect(created(ask, 'a', '[null]').body.message).toContain('Unsupported value: ""');
  expect(
    created(ask, 'a', '[{"type":"External","external":{"metricName":"q","targetValue":"30"}}]').status,
  ).toBe(201);
  expect(ask('GET', `${V2}/a`).body['spec']).toMatchObject({
    metrics: [
      { type: 'External', external: { metric: { name: 'q' }, target: { type: 'Value', value: '30' } } },
    ],
  });
});

test('the behaviour in an annotation says of what is not set that it is null', () => {
  const ask = askedServer();
  const policies = [{ type: 'Pods', value: 4, periodSeconds: 60 }];
  const spec = { maxReplicas: 3, scaleTargetRef: target, behavior: { scaleDown: { policies } } };
  expect(ask('POST', V2, { metadata: { name: 'a' }, spec }).status).toBe(201);
  expect(Reflect.get(ask('GET', `${V1}/a`).body, 'metadata')).toHaveProperty(
    ['annotations', 'autoscaling.alpha.kubernetes.io/behavior'],
    expect.stringContaining(
      '"ScaleDown":{"StabilizationWindowSeconds":null,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":60}]}',
    ),
  );
});
