import { describe, expect, test } from 'vitest';
import { askedServer } from '../../cli/golden/asked-server.ts';

const APPLY = 'application/apply-patch+yaml';
const LEVELS = '/apis/flowcontrol.apiserver.k8s.io';

const level = (version: string, nominalConcurrencyShares: unknown, more: object = {}): object => ({
  apiVersion: `flowcontrol.apiserver.k8s.io/${version}`,
  kind: 'PriorityLevelConfiguration',
  metadata: { name: 'a' },
  spec: { type: 'Limited', limited: { nominalConcurrencyShares, ...more } },
});

describe('numbers that do not fit, applied in another version than somebody else has used', () => {
  const ask = askedServer();
  const apply = (version: string, manager: string, shares: unknown, more?: object) =>
    ask(
      'PATCH',
      `${LEVELS}/${version}/prioritylevelconfigurations/a?fieldManager=${manager}`,
      level(version, shares, more),
      APPLY,
    );
  const force = (version: string, shares: unknown) =>
    ask(
      'PATCH',
      `${LEVELS}/${version}/prioritylevelconfigurations/a?fieldManager=two&force=true`,
      level(version, shares),
      APPLY,
    );
  const TYPE = 'flowcontrol.apiserver.k8s.io/v1beta3, Kind=PriorityLevelConfiguration';

  test('conflict, or are told where they are converted', () => {
    expect(apply('v1', 'one', 5, { limitResponse: { type: 'Reject' } }).status).toBe(201);
    expect(apply('v1beta3', 'two', -2_147_483_649).status).toBe(409);
    expect(apply('v1beta3', 'two', 1.5)).toMatchObject({
      status: 500,
      body: {
        message: `failed to convert new object: unable to convert unstructured object to ${TYPE}: cannot convert float64 to int32`,
      },
    });
  });

  test('keep their lowest bits when they are forced, and are told where fields are pruned the second time', () => {
    expect(force('v1beta3', -2_147_483_649)).toMatchObject({
      status: 200,
      body: { spec: { limited: { nominalConcurrencyShares: 2_147_483_647 } } },
    });
    expect(force('v1beta3', 1.5).body.message).toBe(
      `failed to prune fields: failed add back owned items: failed to convert merged object at version flowcontrol.apiserver.k8s.io/v1: unable to convert unstructured object to ${TYPE}: cannot convert float64 to int32`,
    );
    expect(force('v1', 3).status).toBe(200);
    expect(force('v1beta3', 1.5).body.message).toBe(
      `failed to prune fields: failed to convert merged object to last applied version: unable to convert unstructured object to ${TYPE}: cannot convert float64 to int32`,
    );
  });
});

test('a time that there is not is told where it is converted', () => {
  const ask = askedServer();
  const path = `${LEVELS}/v1/prioritylevelconfigurations`;
  expect(ask('POST', path, level('v1', 5, { limitResponse: { type: 'Reject' } })).status).toBe(201);
  const metadata = { name: 'a', creationTimestamp: '2024-13-01T00:00:00Z' };
  const applied = { ...level('v1beta3', 5), metadata };
  expect(
    ask('PATCH', `${LEVELS}/v1beta3/prioritylevelconfigurations/a?fieldManager=m`, applied, APPLY),
  ).toMatchObject({
    status: 500,
    body: {
      message:
        'failed to convert new object: unable to convert unstructured object to flowcontrol.apiserver.k8s.io/v1beta3, Kind=PriorityLevelConfiguration: parsing time "2024-13-01T00:00:00Z": month out of range',
    },
  });
});

test('a fraction applied where a custom resource has a whole number is for its schema to refuse', () => {
  const ask = askedServer();
  const schema = {
    type: 'object',
    properties: { spec: { type: 'object', properties: { n: { type: 'integer' } } } },
  };
  ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  });
  ask.sleep(5_000);
  const path = '/apis/example.com/v1/widgets/a?fieldManager=one';
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' }, spec: { n: 1.5 } };
  expect(ask('PATCH', path, widget, APPLY)).toMatchObject({
    status: 422,
    body: {
      message:
        'Widget.example.com "a" is invalid: spec.n: Invalid value: "number": spec.n in body must be of type integer: "number"',
    },
  });
});

describe('grace periods', () => {
  const ask = askedServer();
  const pods = '/api/v1/namespaces/default/pods';
  const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] };
  ask('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });

  test('are whole numbers, as they are written', () => {
    for (const text of ['1e3', '30.0', '-0.0', '99999999999999999999'])
      expect(ask('DELETE', `${pods}/none`, `{"gracePeriodSeconds":${text}}`)).toMatchObject({
        status: 500,
        body: {
          message: `json: cannot unmarshal number ${text} into Go struct field DeleteOptions.gracePeriodSeconds of type int64`,
        },
      });
  });

  test('of centuries overflow as nanoseconds of 64 bits do, and may be cut short', () => {
    expect(ask('POST', pods, { metadata: { name: 'a' }, spec }).status).toBe(201);
    const secondsUntil = ({ metadata }: Record<string, unknown>): number => {
      const { creationTimestamp = '', deletionTimestamp = '' } = metadata as Record<string, string>;
      return (Date.parse(deletionTimestamp) - Date.parse(creationTimestamp)) / 1_000;
    };
    const first = ask('DELETE', `${pods}/a`, '{"gracePeriodSeconds":9007199254740993}');
    expect(first.status).toBe(200);
    const overflown = Number(BigInt.asIntN(64, 9_007_199_254_740_993n * 1_000_000_000n) / 1_000_000_000n);
    expect(Math.abs(secondsUntil(first.body) - overflown)).toBeLessThanOrEqual(2);
    const second = ask('DELETE', `${pods}/a`, '{"gracePeriodSeconds":10}');
    expect(Math.abs(secondsUntil(second.body) - 10)).toBeLessThanOrEqual(2);
  });
});
