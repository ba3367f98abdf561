import { describe, expect, test } from 'vitest';
import { type Ask, askedServer } from '../../../cli/golden/asked-server.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const OBJECTS = '/apis/example.com/v1/namespaces/default/ruled';

const definition = (spec: object): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'ruled.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'ruled', singular: 'rule', kind: 'Ruled', listKind: 'RuledList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec, status: STATUS } } },
      },
    ],
  },
});

const STATUS = {
  type: 'object',
  properties: { phase: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self != "bad"' }] } },
};

function serverWith(spec: object): Ask {
  const ask = askedServer();
  ask('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } });
  const { status, body } = ask('POST', DEFINITIONS, definition(spec));
  expect(status, body.message).toBe(201);
  ask.sleep(1_000);
  return ask;
}

const ruled = (spec: object): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Ruled',
  metadata: { name: 'one' },
  spec,
});

describe('a rule', () => {
  test.each([
    [{ type: 'array', maxItems: 2 ** 60, items: { type: 'integer' } }, 'size(self) > 0', 201],
    [{ type: 'string', maxLength: 2 ** 60 }, 'self.startsWith("a")', 201],
    [
      { type: 'object', maxProperties: 2 ** 60, additionalProperties: { type: 'string' } },
      'self.all(key, size(key) > 1)',
      422,
    ],
  ])('below bounds that no number of JavaScript tells: %j', (schema, rule, status) => {
    const ask = askedServer();
    const answer = ask(
      'POST',
      DEFINITIONS,
      definition({ ...schema, 'x-kubernetes-validations': [{ rule }] }),
    );
    expect(answer.status, answer.body.message).toBe(status);
  });

  test('of a definition has to compile and to be cheap', () => {
    const ask = askedServer();
    const wrong = ask(
      'POST',
      DEFINITIONS,
      definition({ type: 'string', 'x-kubernetes-validations': [{ rule: 'self > 1' }] }),
    );
    expect(wrong.status).toBe(422);
    expect(wrong.body.message).toContain(
      `compilation failed: ERROR: <input>:1:6: found no matching overload for '_>_' applied to '(string, int)'`,
    );
    const items = { type: 'array', items: { type: 'string' } };
    const rule = { rule: 'self.all(a, self.all(b, a != b))' };
    const dear = ask('POST', DEFINITIONS, definition({ ...items, 'x-kubernetes-validations': [rule] }));
    expect(dear.body.message).toContain('estimated rule cost exceeds budget by factor of more than 100x');
    const bounded = { ...items, maxItems: 5, items: { type: 'string', maxLength: 5 } };
    expect(
      ask('POST', DEFINITIONS, definition({ ...bounded, 'x-kubernetes-validations': [rule] })).status,
    ).toBe(201);
  });

  test('refuses creations, updates, patches and the status', () => {
    const ask = serverWith({
      type: 'object',
      properties: { low: { type: 'integer' }, high: { type: 'integer' } },
      'x-kubernetes-validations': [
        {
          rule: 'self.low <= self.high',
          messageExpression: '"above " + (self.high > 0 ? "high" : "zero")',
          fieldPath: '.low',
        },
      ],
    });
    const refused = ask('POST', OBJECTS, ruled({ low: 2, high: 1 }));
    expect(refused.status).toBe(422);
    expect(refused.body['details']).toMatchObject({
      causes: [
        {
          reason: 'FieldValueInvalid',
          field: 'spec.low',
          message: 'Invalid value: "object": above high',
        },
      ],
    });
    expect(ask('POST', OBJECTS, ruled({ low: 1, high: 2 })).status).toBe(201);
    expect(ask('PATCH', `${OBJECTS}/one`, { spec: { low: 3 } }).status).toBe(422);
    expect(ask('PATCH', `${OBJECTS}/one/status`, { status: { phase: 'bad' } }).status).toBe(422);
    expect(ask('PATCH', `${OBJECTS}/one/status`, { status: { phase: 'good' } }).status).toBe(200);
    expect(ask('PATCH', `${OBJECTS}/one`, { spec: { low: 2 } }).status).toBe(200);
  });

  test('of transitions looks at what was there', () => {
    const ask = serverWith({
      type: 'object',
      properties: {
        size: {
          type: 'integer',
          'x-kubernetes-validations': [{ rule: 'self >= oldSelf', message: 'may not shrink' }],
        },
      },
    });
    expect(ask('POST', OBJECTS, ruled({ size: 2 })).status).toBe(201);
    expect(ask('PATCH', `${OBJECTS}/one`, { spec: { size: 1 } }).body.message).toContain('may not shrink');
    expect(ask('PATCH', `${OBJECTS}/one`, { spec: { size: 3 } }).status).toBe(200);
  });

  test('that comes later leaves old values alone, but tells of them', () => {
    const size = { type: 'integer' };
    const ask = serverWith({ type: 'object', properties: { size, note: { type: 'string' } } });
    expect(ask('POST', OBJECTS, ruled({ size: 1 })).status).toBe(201);
    const rules = [{ rule: 'self > 1', message: 'too small' }];
    const stricter = definition({
      type: 'object',
      properties: { size: { ...size, 'x-kubernetes-validations': rules }, note: { type: 'string' } },
    });
    const { spec } = stricter as { readonly spec: object };
    expect(ask('PATCH', `${DEFINITIONS}/ruled.example.com`, { spec }).status).toBe(200);
    ask.sleep(1_000);
    const kept = ask('PATCH', `${OBJECTS}/one`, { spec: { note: 'edited' } });
    expect(kept.status).toBe(200);
    expect(kept.warnings).toContain('spec.size: Invalid value: "integer": too small');
    expect(ask('PATCH', `${OBJECTS}/one`, { spec: { size: 0 } }).status).toBe(422);
    expect(ask('PATCH', `${OBJECTS}/one`, { spec: { size: 2 } }).status).toBe(200);
  });
});
