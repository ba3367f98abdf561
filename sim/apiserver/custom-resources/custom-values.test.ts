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
  validateValue(value, WIDGET, '', old).map(({ field, message }) => `${field}: ${message}`);

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
