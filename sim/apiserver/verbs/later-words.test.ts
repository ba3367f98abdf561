import { describe, expect, it } from 'vitest';
import { findRelease } from '../../api/release/releases.ts';
import { askedServer } from '../../cli/golden/asked-server.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All';
const HOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All';
const EVENTS = '/apis/events.k8s.io/v1/namespaces/default/events';

const at = (name: string) => askedServer({ release: findRelease(name) });

interface Cause {
  readonly field: string;
  readonly message: string;
}
const causesOf = (body: object): readonly string[] =>
  (body as { details?: { causes?: readonly Cause[] } }).details?.causes?.map(
    ({ field, message }) => `${field}: ${message}`,
  ) ?? [];

function definition(release: string, versions: readonly object[]): readonly string[] {
  const { body } = at(release)('POST', DEFINITIONS, {
    metadata: { name: 'widgets.a.example.com' },
    spec: {
      group: 'a.example.com',
      scope: 'Cluster',
      names: { plural: 'widgets', kind: 'Widget' },
      versions,
    },
  });
  return causesOf(body);
}

const v1 = (openAPIV3Schema: object, more: object = {}): object => ({
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema },
  ...more,
});

describe('values of definitions are JSON since 1.34, what pointers lead to as well', () => {
  const scale = { specReplicasPath: '.spec.a', statusReplicasPath: '.status.a' };
  const twice = [
    v1(
      {
        type: 'object',
        properties: { a: { type: 'array', items: { type: 'string' } }, b: { additionalProperties: false } },
        default: { z: 1, a: '<' },
      },
      { deprecated: true, deprecationWarning: 'w<', subresources: { status: {}, scale } },
    ),
    v1({ type: 'object' }, { storage: false }),
  ];
  const shownAt = (release: string): string =>
    definition(release, twice).find((cause) => cause.startsWith('spec.versions: ')) ?? '';

  it('1.33', () => {
    expect(shownAt('1.33')).toContain(
      'Invalid value: []apiextensions.CustomResourceDefinitionVersion{apiextensions.CustomResourceDefinitionVersion{Name:"v1", Served:true, Storage:true, Deprecated:true, DeprecationWarning:(*string)(0xc000000000), Schema:(*apiextensions.CustomResourceValidation)(0xc000000000)',
    );
  });

  it('1.34', () => {
    const shown = shownAt('1.34');
    expect(shown).toContain(
      'Invalid value: [{"Name":"v1","Served":true,"Storage":true,"Deprecated":true,"DeprecationWarning":"w\\u003c","Schema":{"OpenAPIV3Schema":{"ID":"","Schema":"","Ref":null,"Description":"","Type":"object","Nullable":false,',
    );
    expect(shown).toContain(
      '"Items":{"Schema":{"ID":"","Schema":"","Ref":null,"Description":"","Type":"string",',
    );
    expect(shown).toContain('"Default":{"a":"\\u003c","z":1},');
    expect(shown).toContain('"XValidations":null},"JSONSchemas":null},"AllOf":null,');
    expect(shown).toContain(
      '"AdditionalProperties":{"Allows":false,"Schema":null},"PatternProperties":null,',
    );
    expect(shown).toContain(
      '"Subresources":{"Status":{},"Scale":{"SpecReplicasPath":".spec.a","StatusReplicasPath":".status.a","LabelSelectorPath":null}},"AdditionalPrinterColumns":null,"SelectableFields":null}',
    );
  });

  it('an empty list is one', () => {
    const [first] = definition('1.34', []);
    expect(first).toBe(
      'spec.versions: Invalid value: []: must have exactly one version marked as storage version',
    );
  });

  it('of a rule that is none', () => {
    const rule = { rule: 'a,b', message: 'm' };
    const [problem] = definition('1.34', [v1({ type: 'object', 'x-kubernetes-validations': [rule] })]);
    expect(problem).toContain(
      'Invalid value: {"Rule":"a,b","Message":"m","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed',
    );
  });
});

describe('what is required says no more than that since 1.34, and names of members are not repeated', () => {
  const SCHEMA = 'spec.versions[0].schema.openAPIV3Schema';
  const RULES = 'spec.validation.openAPIV3Schema.x-kubernetes-validations';
  const bare = {
    name: 'v1',
    served: true,
    storage: true,
    schema: {},
    selectableFields: [{ jsonPath: '.a' }],
  };
  const spare = { ...bare, name: 'v2', storage: false, selectableFields: [] };
  const ruled = v1({
    type: 'object',
    'x-kubernetes-validations': [
      { rule: 'true', message: 'a\nb' },
      { rule: 'true', message: ' ' },
    ],
  });

  it('schemas of definitions', () => {
    expect(definition('1.33', [bare, spare])).toEqual(
      expect.arrayContaining([
        `${SCHEMA}: Required value: schemas are required`,
        'spec.versions[0].selectableFields: Invalid value: "": selectableFields may only be set when version.schema.openAPIV3Schema is not included',
      ]),
    );
    expect(definition('1.34', [bare, spare])).toEqual(
      expect.arrayContaining([
        `${SCHEMA}: Required value`,
        'spec.versions[0].selectableFields: Invalid value: "": may only be set when `version.schema.openAPIV3Schema` is not included',
      ]),
    );
  });

  it('messages of rules', () => {
    expect(definition('1.33', [ruled])).toEqual([
      `${RULES}[0].message: Invalid value: "a\\nb": message must not contain line breaks`,
      `${RULES}[1].message: Invalid value: " ": message must be non-empty if specified`,
    ]);
    expect(definition('1.34', [ruled])).toEqual([
      `${RULES}[0].message: Invalid value: "a\\nb": must not contain line breaks`,
      `${RULES}[1].message: Invalid value: " ": must be non-empty if specified`,
    ]);
  });

  it('services of webhooks, and operations that are all of them and one more', () => {
    const webhooks = [
      {
        name: 'a.example.com',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        clientConfig: { service: {} },
        rules: [{ operations: ['*', 'CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
      },
    ];
    const said = (release: string): readonly string[] =>
      causesOf(at(release)('POST', HOOKS, { metadata: { name: 'w' }, webhooks }).body);
    const [operations, name, namespace] = [
      'webhooks[0].rules[0].operations',
      'webhooks[0].clientConfig.service.name',
      'webhooks[0].clientConfig.service.namespace',
    ];
    const why = "if '*' is present, must not specify other operations";
    expect(said('1.33').toSorted()).toEqual([
      `${name}: Required value: service name is required`,
      `${namespace}: Required value: service namespace is required`,
      `${operations}: Invalid value: []admissionregistration.OperationType{"*", "CREATE"}: ${why}`,
    ]);
    expect(said('1.34').toSorted()).toEqual([
      `${name}: Required value`,
      `${namespace}: Required value`,
      `${operations}: Invalid value: ["*","CREATE"]: ${why}`,
    ]);
  });
});

it('what an event is about is JSON since 1.34', () => {
  const event = {
    metadata: { name: 'x' },
    eventTime: '2024-01-01T00:00:00.000000Z',
    reportingController: 'example.com/c',
    reportingInstance: 'i',
    action: 'A',
    reason: 'R',
    type: 'Normal',
    regarding: { kind: 'Pod', namespace: 'default', name: 'p' },
  };
  const said = (release: string): readonly string[] => {
    const ask = at(release);
    ask('POST', EVENTS, event);
    const changed = { regarding: { name: null }, related: { kind: 'Node', name: 'n' } };
    return causesOf(ask('PATCH', `${EVENTS}/x`, changed).body);
  };
  expect(said('1.33')[0]).toContain(
    'Invalid value: core.ObjectReference{Kind:"Pod", Namespace:"default", Name:""',
  );
  expect(said('1.34')).toEqual([
    'involvedObject: Invalid value: {"Kind":"Pod","Namespace":"default","Name":"","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}: field is immutable',
    'related: Invalid value: {"Kind":"Node","Namespace":"","Name":"n","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}: field is immutable',
  ]);
});
