/** What is told of schemas that the server cannot read, as a real 1.31 server tells it. */
import { expect, it } from 'vitest';
import { askedServer } from '../../cli/golden/asked-server.ts';

const ask = askedServer();

function told(schema: object, hasStatus = false): string {
  const { body } = ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All', {
    metadata: { name: 'cards.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'cards', kind: 'Card' },
      versions: [
        {
          ...{ name: 'v1', served: true, storage: true },
          schema: { openAPIV3Schema: { type: 'object', ...schema } },
          ...(hasStatus && { subresources: { status: {} } }),
        },
      ],
    },
  });
  return (body.message ?? '')
    .replace(/^.* is invalid: /, '')
    .replaceAll('spec.validation.openAPIV3Schema', '@');
}

const rules = { 'x-kubernetes-validations': [{ rule: 'true', fieldPath: 'bad' }] };

it.each([
  [{ id: 'x' }, '@.id: Forbidden: id is not supported'],
  [{ $schema: 'x' }, '@: Invalid value: "": OpenAPIV3Schema \'schema\' is not supported'],
  [
    { 'x-kubernetes-preserve-unknown-fields': false },
    '@.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined',
  ],
  [{}, '@.x-kubernetes-validations[0].fieldPath: Invalid value: "bad": fieldPath must be a valid path'],
])('%j: of paths of its rules nothing', (schema, message) => {
  expect(told({ ...schema, ...rules })).toBe(message);
});

it.each([{ 'x-kubernetes-list-type': '' }, { 'x-kubernetes-map-type': '' }, { $ref: '' }])(
  '%j is said at the root, though it says nothing',
  (schema) => {
    expect(told(schema, true)).toContain('fields are allowed at the root of the schema');
  },
);

it('null in an enumeration is shown as Go has it', () => {
  expect(told({ enum: [null] }, true)).toContain('Enum:[]apiextensions.JSON{apiextensions.JSON(nil)}');
});
