import { expect, it } from 'vitest';
import type { MatchResources } from '../../api/types/admissionregistration-k8s-io-v1.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { seconds } from '../../engine/time.ts';
import { typeWarnings } from './type-warnings.ts';

const { validatingAdmissionPolicies } = BUILTIN_HANDLES;
const matchConstraints: MatchResources = {
  resourceRules: [
    {
      apiGroups: ['apps'],
      apiVersions: ['v1'],
      resources: ['statefulsets', 'deployments', 'deployments/scale'],
      operations: ['CREATE'],
    },
  ],
};

it('names what a kind does not have, for every kind that lacks it, in their order', () => {
  const [first, second, ...rest] = typeWarnings({
    matchConstraints,
    validations: [
      { expression: 'object.spec.replicas > 1 && has(object.metadata.labels)' },
      { expression: 'object.spec.replicas > 1', messageExpression: 'object.spec.strategy.type' },
      { expression: 'object.spec.replicas > "1"' },
    ],
  });
  expect(first).toEqual({
    fieldRef: 'spec.validations[1].messageExpression',
    warning:
      "apps/v1, Kind=StatefulSet: ERROR: <input>:1:12: undefined field 'strategy'\n | object.spec.strategy.type\n | ...........^\n",
  });
  expect(second?.fieldRef).toBe('spec.validations[2].expression');
  expect(second?.warning).toMatch(
    /^apps\/v1, Kind=Deployment: .*no matching overload for '_>_' applied to '\(int, string\)'[^]*\n\napps\/v1, Kind=StatefulSet: /,
  );
  expect(rest).toEqual([]);
});

it('knows variables and parameters by their types, and shapes that contain themselves', () => {
  const [first, ...rest] = typeWarnings({
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: ['apiextensions.k8s.io'],
          apiVersions: ['v1'],
          resources: ['customresourcedefinitions'],
          operations: ['*'],
        },
      ],
    },
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    variables: [{ name: 'first', expression: 'object.spec.versions[0].schema.openAPIV3Schema' }],
    validations: [
      { expression: 'variables.first.not.not.type == params.data.type' },
      { expression: 'variables.first.nothing == params.data' },
    ],
  });
  expect(first?.fieldRef).toBe('spec.validations[1].expression');
  expect(first?.warning).toContain("undefined field 'nothing'");
  expect(rest).toEqual([]);
});

it('says so in the status, once for each generation', () => {
  const cluster = createCluster();
  const policies = cluster.client.resource(validatingAdmissionPolicies);
  policies.create({
    metadata: { name: 'typed' },
    spec: { matchConstraints, validations: [{ expression: 'object.spec.nothing == 1' }] },
  });
  cluster.advance(seconds(5));
  const { status, metadata } = policies.get('typed');
  expect(status?.observedGeneration).toBe(1);
  expect(status?.typeChecking?.expressionWarnings?.map(({ fieldRef }) => fieldRef)).toEqual([
    'spec.validations[0].expression',
  ]);
  expect(
    metadata.managedFields?.some(
      ({ manager, subresource }) =>
        manager?.startsWith('validatingadmissionpolicy-status') && subresource === 'status',
    ),
  ).toBe(true);
  const before = metadata.resourceVersion;
  cluster.advance(seconds(60));
  expect(policies.get('typed').metadata.resourceVersion).toBe(before);
  policies.patch('typed', {
    type: 'merge',
    body: { spec: { validations: [{ expression: 'object.spec.replicas == 1' }] } },
  });
  cluster.advance(seconds(5));
  expect(policies.get('typed').status).toEqual({ observedGeneration: 2 });
});

it('takes a name without a group, in the singular or in capitals for whatever has it', () => {
  const [warning] = typeWarnings({
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: [''],
          apiVersions: ['v1'],
          resources: ['events', 'Pods', 'deployment'],
          operations: ['*'],
        },
      ],
    },
    validations: [{ expression: 'object.foo == 1' }],
  });
  expect(warning?.warning.match(/^\S+, Kind=\w+/gm)).toEqual([
    '/v1, Kind=Event',
    '/v1, Kind=Pod',
    'apps/v1, Kind=Deployment',
    'events.k8s.io/v1, Kind=Event',
  ]);
});

// As the controller of a real 1.31 server says it of such a definition.
it('knows the kinds of definitions, as objects and as parameters', () => {
  const cluster = createCluster();
  const served = { served: true, storage: true };
  const openAPIV3Schema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          size: { type: 'integer' },
          free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    },
  };
  cluster.client.resource(BUILTIN_HANDLES.customResourceDefinitions).create({
    metadata: { name: 'widgets.t.example' },
    spec: {
      group: 't.example',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', ...served, schema: { openAPIV3Schema } }],
    },
  });
  cluster.advance(seconds(5));
  const policies = cluster.client.resource(validatingAdmissionPolicies);
  const rule = { apiVersions: ['v1'], operations: ['*'] } as const;
  policies.create({
    metadata: { name: 'objects' },
    spec: {
      matchConstraints: { resourceRules: [{ ...rule, apiGroups: ['t.example'], resources: ['widgets'] }] },
      validations: [
        { expression: 'object.spec.siz > 1' },
        { expression: 'object.spec.size == "x"' },
        { expression: 'object.spec.free.a == 1' },
        { expression: 'object.metadata.labels.a == 1' },
        { expression: 'object.spec.size > 1 && object.kind == "Widget"' },
      ],
    },
  });
  policies.create({
    metadata: { name: 'params' },
    spec: {
      matchConstraints,
      paramKind: { apiVersion: 't.example/v1', kind: 'Widget' },
      validations: [{ expression: 'params.spec.siz == 1' }, { expression: 'params.spec.size == 1' }],
    },
  });
  cluster.advance(seconds(5));
  const told = (name: string): readonly string[] =>
    (policies.get(name).status?.typeChecking?.expressionWarnings ?? []).map(
      ({ warning }) => warning.split('\n')[0] ?? '',
    );
  expect(told('objects')).toEqual([
    "t.example/v1, Kind=Widget: ERROR: <input>:1:12: undefined field 'siz'",
    "t.example/v1, Kind=Widget: ERROR: <input>:1:18: found no matching overload for '_==_' applied to '(int, string)'",
    "t.example/v1, Kind=Widget: ERROR: <input>:1:17: undefined field 'a'",
    "t.example/v1, Kind=Widget: ERROR: <input>:1:26: found no matching overload for '_==_' applied to '(string, int)'",
  ]);
  const undefinedField = "ERROR: <input>:1:12: undefined field 'siz'";
  expect(told('params')).toEqual([`apps/v1, Kind=Deployment: ${undefinedField}`]);
});
