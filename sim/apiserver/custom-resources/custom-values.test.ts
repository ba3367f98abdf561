import { describe, expect, it } from 'vitest';
import { defaulted } from './default-values.ts';
import { hasFormat } from './formats.ts';
import { parseJsonPath } from './json-path.ts';
import type { JSONSchemaProps } from './json-schema.ts';
import { pruned } from './prune.ts';
import { uniquenessErrors } from './unique-items.ts';
import { validateValue } from './validate-value.ts';

const WIDGET: JSONSchemaProps = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', minimum: 1, default: 3 },
        color: { type: 'string', enum: ['red', 'green'] },
        note: { type: 'string', nullable: true, default: 'none' },
        tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        counts: { type: 'object', additionalProperties: { type: 'integer', maximum: 3 } },
        port: { 'x-kubernetes-int-or-string': true },
      },
    },
  },
};

const texts = (value: unknown, old?: unknown): string[] =>
  validateValue(value, WIDGET, '', { old }).map(({ field, message }) => `${field}: ${message}`);

describe('pruning', () => {
  it('drops what is not declared, tells each path, and keeps what is preserved', () => {
    const unknown: string[] = [];
    const value = {
      apiVersion: 'g/v1',
      kind: 'Widget',
      extra: 1,
      spec: { size: 1, b: 2, free: { x: { y: 1 } }, counts: { a: 1 } },
    };
    expect(pruned(value, WIDGET, true, (path) => unknown.push(path))).toEqual({
      apiVersion: 'g/v1',
      kind: 'Widget',
      spec: { size: 1, free: { x: { y: 1 } }, counts: { a: 1 } },
    });
    expect(unknown).toEqual(['extra', 'spec.b']);
  });

  it('knows nothing of elements that no schema speaks of', () => {
    expect(pruned([{ a: 1 }], { 'x-kubernetes-int-or-string': true }, false)).toEqual([{}]);
    expect(pruned([{ a: 1 }], { 'x-kubernetes-preserve-unknown-fields': true }, false)).toEqual([{ a: 1 }]);
  });

  it('returns a value without unknown members as it is', () => {
    const value = { spec: { size: 1 } };
    expect(pruned(value, WIDGET, true)).toBe(value);
  });
});

describe('defaulting', () => {
  it('fills what is absent, and takes a null that is not allowed for absent', () => {
    expect(defaulted({ spec: { size: null } }, WIDGET)).toEqual({ spec: { size: 3, note: 'none' } });
  });

  it('keeps a null that is allowed', () => {
    expect(defaulted({ spec: { note: null } }, WIDGET)).toEqual({ spec: { size: 3, note: null } });
  });
});

describe('validation', () => {
  it.each([
    [
      { spec: { size: 'x' } },
      'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
    ],
    [
      { spec: { size: 0 } },
      'spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1',
    ],
    [{ spec: {} }, 'spec.size: Required value'],
    [
      { spec: { size: 1, color: 'blue' } },
      'spec.color: Unsupported value: "blue": supported values: "red", "green"',
    ],
    [
      { spec: { size: 1, counts: { 'a.b': 4 } } },
      'spec.counts.a.b: Invalid value: 4: spec.counts.a.b in body should be less than or equal to 3',
    ],
    [
      { spec: { size: 1, port: 1.5 } },
      'spec.port: Invalid value: "number": spec.port in body must be of type integer,string: "number"',
    ],
  ])('says what is wrong with %j', (value, text) => {
    expect(texts(value)).toEqual([text]);
  });

  it('lets an update keep a wrong value that it does not change', () => {
    const old = { spec: { size: 0, color: 'red' } };
    expect(texts({ spec: { size: 0, color: 'green' } }, old)).toEqual([]);
    expect(texts({ spec: { size: -1, color: 'red' } }, old)).toHaveLength(1);
  });

  it('tells an element that a set holds twice once', () => {
    const errors = uniquenessErrors({ spec: { tags: ['a', 'b', 'a', 'a'] } }, WIDGET, '');
    expect(errors.map(({ field, message }) => `${field}: ${message}`)).toEqual([
      'spec.tags[2]: Duplicate value: "a"',
    ]);
  });
});

describe('what is wrong in several ways', () => {
  const messages = (schema: object, value: unknown): readonly string[] =>
    validateValue(value, schema, 'spec').map(({ field, message }) => `${field}: ${message}`);

  it('tells the first of a text only, but its format as well', () => {
    expect(messages({ type: 'string', minLength: 2, pattern: '^[a-z]+$' }, 'A')).toEqual([
      'spec: Invalid value: "A": spec in body should be at least 2 chars long',
    ]);
    expect(messages({ type: 'string', maxLength: 1, format: 'date' }, 'ab')).toHaveLength(2);
  });

  it('tells all of a number, the least before the most', () => {
    expect(messages({ type: 'integer', minimum: 10, maximum: 5, multipleOf: 4 }, 6)).toEqual([
      'spec: Invalid value: 6: spec in body should be a multiple of 4',
      'spec: Invalid value: 6: spec in body should be greater than or equal to 10',
      'spec: Invalid value: 6: spec in body should be less than or equal to 5',
    ]);
  });

  it('compares a whole number with the whole part of a bound, and a fraction with all of it', () => {
    expect(messages({ type: 'number', minimum: 10.5 }, 10)).toEqual([]);
    expect(messages({ type: 'number', minimum: 10.5 }, 10.25)).toEqual([
      'spec: Invalid value: 10.25: spec in body should be greater than or equal to 10.5',
    ]);
    expect(messages({ type: 'number', maximum: 10.5, exclusiveMaximum: true }, 10)).toEqual([
      'spec: Invalid value: 10: spec in body should be less than 10',
    ]);
  });

  it('compares whole numbers of any size', () => {
    expect(messages({ type: 'integer', maximum: 10, multipleOf: 2 }, 9007199254740993n)).toEqual([
      'spec: Invalid value: 9007199254740993: spec in body should be a multiple of 2',
      'spec: Invalid value: 9007199254740993: spec in body should be less than or equal to 10',
    ]);
    expect(messages({ type: 'number', maximum: 5_000_000 }, 1e20)).toEqual([
      'spec: Invalid value: 1e+20: spec in body should be less than or equal to 5e+06',
    ]);
  });

  it('tells what is missing after what is there', () => {
    const schema = { type: 'object', required: ['a'], properties: { b: { type: 'string', minLength: 3 } } };
    expect(messages(schema, { b: 'x' })).toEqual([
      'spec.b: Invalid value: "x": spec.b in body should be at least 3 chars long',
      'spec.a: Required value',
    ]);
  });

  it('tells of alternatives that all fail the one whose form fits best, and of several such the first', () => {
    const none = '<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)';
    const [p, q] = [{ minLength: 2 }, { minimum: 5 }];
    const both = { properties: { p, q }, required: ['r', 's'] };
    expect(messages({ anyOf: [{ properties: { q } }, both] }, { p: 'a', q: 1 })).toEqual([
      none,
      'spec.p: Invalid value: "a": spec.p in body should be at least 2 chars long',
      'spec.q: Invalid value: 1: spec.q in body should be greater than or equal to 5',
      'spec.r: Required value',
      'spec.s: Required value',
    ]);
    expect(messages({ anyOf: [{ minimum: 7 }, { minimum: 9 }] }, 1)).toEqual([
      none,
      'spec: Invalid value: 1: spec in body should be greater than or equal to 7',
    ]);
    expect(messages({ anyOf: [{ minimum: 7 }, { allOf: [{ minimum: 9 }] }] }, 1)).toContain(
      'spec: Invalid value: 1: spec in body should be greater than or equal to 9',
    );
    const items = (count: number) => Array.from({ length: count }, () => 'x');
    const alternatives = {
      anyOf: [{ items: { format: 'date' } }, { maxItems: 0, anyOf: [{ items: { enum: ['ab'] } }] }],
    };
    expect(messages(alternatives, items(1)).join()).toContain('supported values: "ab"');
    expect(messages(alternatives, items(2)).join()).toContain('must be of type date');
  });

  it('judges nothing but the type of what is null', () => {
    expect(messages({ type: 'string', anyOf: [{ minLength: 3 }] }, null)).toEqual([
      'spec: Invalid value: "null": spec in body must be of type string: "null"',
    ]);
  });
});

describe('formats', () => {
  it.each([
    ['date', '2024-02-29', true],
    ['date', '2023-02-29', false],
    ['date-time', '2024-01-02', false],
    ['duration', '3 days', true],
    ['ipv4', '010.0.0.1', true],
    ['ipv6', '1::2::3', false],
    ['no-such-format', 'anything', true],
  ])('%s of %s', (format, text, expected) => {
    expect(hasFormat(text, format)).toBe(expected);
  });
});

describe('JSONPath', () => {
  const object = {
    spec: { list: ['p', 'q'] },
    metadata: { labels: { 'a.b/c': 'lab' } },
    status: { conditions: [{ type: 'Ready', status: 'Yes' }] },
  };

  it.each([
    ['.spec.list[0]', ['p']],
    ['.spec.list[*]', ['p', 'q']],
    ['.metadata.labels.a\\.b/c', ['lab']],
    ['.status.conditions[?(@.type=="Ready")].status', ['Yes']],
    ['.spec.none', []],
  ])('%s finds %j', (path, expected) => {
    expect(parseJsonPath(path)?.find(object)).toEqual(expected);
  });
});

describe('whole numbers', () => {
  const told = (value: unknown, schema: JSONSchemaProps): string[] =>
    validateValue(value, { type: 'integer', ...schema }, 'n').map(({ message }) => message);

  it('are held against the whole parts of bounds', () => {
    expect(told(2, { minimum: 2.5 })).toEqual([]);
    expect(told(1, { minimum: 2.5 })).toEqual([
      'Invalid value: 1: n in body should be greater than or equal to 2',
    ]);
    expect(told(2, { maximum: 2.5, exclusiveMaximum: true })).toEqual([
      'Invalid value: 2: n in body should be less than 2',
    ]);
  });

  it('have bounds and factors however great they are', () => {
    const great = 9_007_199_254_740_993n;
    expect(told(great, { maximum: 100 })).toEqual([
      'Invalid value: 9007199254740993: n in body should be less than or equal to 100',
    ]);
    expect(told(great, { multipleOf: 2 })).toHaveLength(1);
    expect(told(great + 1n, { multipleOf: 2 })).toEqual([]);
    expect(told(great, { multipleOf: 0.5 })).toEqual([
      'Invalid value: 0: factor MultipleOf declared for n must be positive: 0',
    ]);
  });

  it('are told once what several parts of a schema say', () => {
    expect(told(5, { allOf: [{ maximum: 1 }, { maximum: 1 }] })).toEqual([
      'Invalid value: 5: n in body should be less than or equal to 1',
      'Invalid value: "": "n" must validate all the schemas (allOf). None validated',
    ]);
  });
});
