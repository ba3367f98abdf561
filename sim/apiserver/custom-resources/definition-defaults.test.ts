/** What definitions are refused for, and what not, as a real 1.31 server has it. */
import { describe, expect, it, test } from 'vitest';
import { askedServer } from '../../cli/golden/asked-server.ts';
import { FieldPath } from '../../api/validation/field-path.ts';
import { defaulted } from './default-values.ts';
import { selectableFieldErrors } from './selectable-fields.ts';

const ask = askedServer();

interface Refusal {
  readonly details?: { readonly causes?: readonly { readonly field: string; readonly message: string }[] };
}

function fieldsRefused(versions: readonly object[]): readonly string[] {
  const { body } = ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'boxes.example.com' },
    spec: { group: 'example.com', scope: 'Cluster', names: { plural: 'boxes', kind: 'Box' }, versions },
  });
  return ((body as Refusal).details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
}

const version = (name: string, schema: object, hasStatus = false): object => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema: schema },
  ...(hasStatus && { subresources: { status: {} } }),
});
const withBox = (box: object): object => version('v1', { type: 'object', properties: { box } });
const AT = 'spec.validation.openAPIV3Schema.properties[box].default';

describe('a default', () => {
  it.each([
    [
      'below additionalProperties',
      { type: 'object', additionalProperties: { type: 'integer', default: 'z' } },
    ],
    ['that may be a number or a text', { 'x-kubernetes-int-or-string': true, default: [1.5] }],
    [
      'that names an item of a set twice',
      { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' }, default: ['a', 'a'] },
    ],
  ])('%s is not looked at', (_what, box) => {
    expect(fieldsRefused([withBox(box)])).toEqual([]);
  });

  it('whose further member is wrong is refused with a dot before the name', () => {
    const box = { type: 'object', additionalProperties: { type: 'string' }, default: { i: true } };
    expect(fieldsRefused([withBox(box)])).toEqual([
      `${AT}.i: Invalid value: "boolean": .i in body must be of type string: "boolean"`,
    ]);
  });

  it('with a wrong item is refused with a dot before the index', () => {
    const box = { type: 'array', items: { type: 'integer' }, default: [1, 'x'] };
    expect(fieldsRefused([withBox(box)])).toEqual([
      `${AT}.[1]: Invalid value: "string": [1] in body must be of type integer: "string"`,
    ]);
  });

  it.each([
    ['string', 'nonsense', 1, 'must be of type nonsense: "int64"', 'int64'],
    ['string', 'double', false, 'must be of type double: ""', ''],
    ['boolean', 'int64', 1, 'must be of type boolean: "integer"', 'integer'],
  ])('of type %s is held against the format %s, which nobody need know', (type, format, value, told, own) => {
    expect(fieldsRefused([withBox({ type, format, default: value })])).toEqual([
      `${AT}: Invalid value: "${own}":  in body ${told}`,
    ]);
  });

  it.each([
    [100, 1.5, []],
    [1e21, 0.5, [`${AT}: Invalid value: 1e+21:  in body should be a multiple of 0.5`]],
    [3, 0.5, [`${AT}: Invalid value: 0: factor MultipleOf declared for  must be positive: 0`]],
  ])('of %d is divided by %d as Go divides', (value, multipleOf, refused) => {
    expect(fieldsRefused([withBox({ type: 'number', multipleOf, default: value })])).toEqual(refused);
  });

  it('that fits no alternative is refused at its own place', () => {
    const anyOf = [{ type: 'integer' }, { type: 'string' }];
    const box = { 'x-kubernetes-int-or-string': true, anyOf, default: true };
    expect(fieldsRefused([withBox(box)])).toEqual([
      `${AT}: Invalid value: "": "" must validate at least one schema (anyOf)`,
      `${AT}: Invalid value: "boolean":  in body must be of type integer: "boolean"`,
    ]);
  });
});

describe('schemas of several versions', () => {
  const plain = { type: 'object' };
  const empty = { type: 'object', anyOf: [] };

  it('that differ in empty members alone are one, the first', () => {
    expect(fieldsRefused([version('v1', plain), version('v2', empty, true)])).toEqual([]);
    const [refused = ''] = fieldsRefused([version('v1', empty, true), version('v2', plain)]);
    expect(refused).toMatch(/^spec\.validation\.openAPIV3Schema: .* if the status subresource is enabled$/);
  });

  it('are each held against the status subresource that all have', () => {
    const titled = { ...empty, title: 'other' };
    const refused = fieldsRefused([version('v1', empty, true), version('v2', titled, true)]);
    expect(refused.map((text) => text.slice(0, text.indexOf(':')))).toEqual([
      'spec.versions[0].schema.openAPIV3Schema',
      'spec.versions[1].schema.openAPIV3Schema',
    ]);
  });
});

test('defaults without end are refused, and those that fit are filled in', () => {
  const a = { type: 'string', default: 'x'.repeat(10_000) };
  const schema = {
    type: 'object',
    properties: { list: { type: 'array', items: { type: 'object', properties: { a } } } },
  };
  const object = (count: number): object => ({ list: Array.from({ length: count }, () => ({})) });

  expect(defaulted(object(2), schema)).toEqual({ list: [{ a: a.default }, { a: a.default }] });
  expect(() => defaulted(object(100_000), schema)).toThrow('make the object larger than 16000000 characters');
});

describe('a field that selectors may name', () => {
  const problemOf = (jsonPath: string): string | undefined => {
    const text = { type: 'string' };
    const map = { type: 'object', additionalProperties: { type: 'object', properties: { b: text } } };
    const schema = { type: 'object', properties: { spec: { type: 'object', properties: { map } } } };
    return selectableFieldErrors([{ jsonPath }], schema, FieldPath.of('selectableFields'))[0]?.message;
  };

  it('may be a member of a map', () => {
    expect(problemOf('.spec.map.any.b')).toBeUndefined();
    expect(problemOf('.spec.map.any')).toContain('must point to a field of type string, boolean or integer');
    expect(problemOf('.spec.map.any.c')).toContain('does not refer to a valid field');
  });

  it('is no element, of whatever it is', () => {
    expect(problemOf(`.spec['map']`)).toContain('array notation is not allowed');
    expect(problemOf('.spec.none[0]')).toContain('does not refer to a valid field');
    expect(problemOf('.metadata.name')).toContain('does not refer to a valid field');
  });
});

test('a pattern that nobody can read is an error of structure: others of that sort stand beside it, rules wait', () => {
  const properties = {
    a: { type: 'string', pattern: '(' },
    b: {},
    c: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self.none' }] },
  };
  const at = 'spec.validation.openAPIV3Schema.properties';
  expect(fieldsRefused([version('v1', { type: 'object', properties })])).toEqual([
    `${at}[a].pattern: Invalid value: "(": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): \`(\``,
    `${at}[b].type: Required value: must not be empty for specified object fields`,
  ]);
});

test('the dump of versions shows their columns and their selectable fields', () => {
  const schema = { type: 'object', properties: { size: { type: 'integer' } } };
  const columns = [{ name: 'Size', type: 'integer', jsonPath: '.size' }];
  const twice = { ...version('v1', schema), additionalPrinterColumns: columns };
  const refused = fieldsRefused([{ ...twice, selectableFields: [{ jsonPath: '.size' }] }, twice]);
  const dump = refused.find((text) => text.includes('must contain unique version names')) ?? '';
  expect(dump).toContain(
    'SelectableFields:[]apiextensions.SelectableField{apiextensions.SelectableField{JSONPath:".size"}}',
  );
});

test('a version that is printed tells lists that are empty from none', () => {
  const none = { ...version('v1', { type: 'object' }), additionalPrinterColumns: [] };
  const columns = [{ name: 'A', type: 'string', jsonPath: '.a' }];
  const versions = [none, { ...none, storage: false, additionalPrinterColumns: columns }];
  const refused = fieldsRefused(versions).find((text) => text.includes('must contain unique version names'));
  expect(refused).toContain('AdditionalPrinterColumns:[]apiextensions.CustomResourceColumnDefinition{}');
  expect(refused).toContain('SelectableFields:[]apiextensions.SelectableField(nil)');
});

test('a path of a rule that leads nowhere is told beside any other fault, unless it cannot be read where it begins', () => {
  const astray = { type: 'string', 'x-kubernetes-validations': [{ rule: 'true', fieldPath: '.b.a' }] };
  const unread = { type: 'object', 'x-kubernetes-preserve-unknown-fields': false };
  const told = (box: object): boolean =>
    fieldsRefused([withBox(box)]).some((text) => text.includes('fieldPath must be a valid path'));
  expect(told({ type: 'object', properties: { astray, unread } })).toBe(true);
  const within = { ...astray, type: 'object', properties: { unread } };
  expect(told(within)).toBe(false);
});

test('rules at the root of a schema without a type know nothing of it', () => {
  const root = {
    'x-kubernetes-preserve-unknown-fields': true,
    'x-kubernetes-validations': [{ rule: 'true' }],
  };
  expect(fieldsRefused([version('v1', root)])).toEqual([
    expect.stringContaining('x-kubernetes-validations: Internal error: internal error: failed to construct'),
  ]);
});

test('a selectable field that leads nowhere is not named twice, however often it is named', () => {
  const errors = (path: string): number =>
    selectableFieldErrors(
      [{ jsonPath: path }, { jsonPath: path }],
      { type: 'object', properties: { a: { type: 'object' } } },
      FieldPath.of('spec'),
    ).length;
  expect(errors('.none')).toBe(2);
  expect(errors('a[')).toBe(2);
  expect(errors('.a')).toBe(3);
});

test('of selectable fields those are counted that lead somewhere, each once', () => {
  const names = Array.from({ length: 10 }, (_none, at) => `a${at}`);
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'object' }]));
  const told = (...paths: string[]): readonly string[] =>
    selectableFieldErrors(
      paths.map((jsonPath) => ({ jsonPath })),
      { type: 'object', properties },
      FieldPath.of('spec'),
    ).map(({ message }) => message);
  const all = names.map((name) => `.${name}`);
  expect(told(...all)).toContain('Too many: 10: must have at most 8 items');
  expect(told(...all.slice(0, 8), '.a1', '', '.none').join()).not.toContain('Too many');
});

test('a schema that says nothing is still asked for the fields that all versions share', () => {
  const bare = { name: 'v1', served: true, storage: true, schema: {}, selectableFields: [{ jsonPath: '' }] };
  expect(fieldsRefused([bare])).toEqual([
    'spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required',
    'spec.selectableFields[0].jsonPath: Required value',
  ]);
});

test('a number that no 64 bits hold is neither an integer nor a text to rules', () => {
  const box = {
    'x-kubernetes-int-or-string': true,
    'x-kubernetes-validations': [{ rule: 'self == 1' }],
    default: 1e21,
  };
  expect(fieldsRefused([withBox(box)])).toEqual([
    `${AT}: Invalid value: "": invalid data, expected XIntOrString value to be either a string or integer evaluating rule: self == 1`,
  ]);
});

test('of two versions of one name the first says whether there is a status', () => {
  const first = version('v1', { type: 'object' }, true);
  const second = version('v1', { type: 'number' });
  const at = 'spec.versions[1].schema.openAPIV3Schema.type: Invalid value: "number":';
  const told = fieldsRefused([first, second]);
  expect(told).toContain(
    `${at} only "object" is allowed as the type at the root of the schema if the status subresource is enabled`,
  );
  expect(fieldsRefused([second, first])).not.toContain(
    `${at} only "object" is allowed as the type at the root of the schema if the status subresource is enabled`,
  );
});
