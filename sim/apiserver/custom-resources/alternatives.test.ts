/** Alternatives that say a format and no type, and those of the status, as a real 1.31 server judges them. */
import { expect, it } from 'vitest';
import { serverOfWidgets, widget, WIDGETS } from './widgets.fixture.ts';

const FREE = { 'x-kubernetes-preserve-unknown-fields': true } as const;

interface Answer {
  readonly details?: { readonly causes?: readonly { readonly field: string; readonly message: string }[] };
}

function asked(): (method: string, path: string, body: object) => string[] {
  const any = { ...FREE, anyOf: [{ format: 'date' }] };
  const not = { ...FREE, not: { format: 'date' } };
  const all = { ...FREE, nullable: true, allOf: [{ format: 'date' }] };
  const spec = { type: 'object', properties: { any, not, all } };
  const x = { type: 'integer' };
  const status = { type: 'object', properties: { x, any }, oneOf: [{ required: ['x'] }] };
  const ask = serverOfWidgets({ spec, status }, { status: {} });
  return (method, path, body) => {
    const { details } = ask(method, path, body).body as Answer;
    return (details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
  };
}

it('a format without a type refuses what is neither a text nor a list nor nothing', () => {
  const ask = asked();
  const made = (spec: object): string[] => ask('POST', `${WIDGETS}?dryRun=All`, widget('w', spec));
  const wrong = (name: string, own: string): string =>
    `spec.${name}: Invalid value: "${own}": spec.${name} in body must be of type date: "${own}"`;
  const values: readonly (readonly [unknown, string])[] = [
    [{}, ''],
    [true, ''],
    [1, 'int64'],
    [1.5, 'float64'],
  ];
  for (const [value, own] of values) {
    expect(made({ any: value })).toEqual([
      '<nil>: Invalid value: "": "spec.any" must validate at least one schema (anyOf)',
      wrong('any', own),
    ]);
    expect(made({ not: value })).toEqual([]);
    expect(made({ all: value })).toEqual([
      wrong('all', own),
      '<nil>: Invalid value: "": "spec.all" must validate all the schemas (allOf). None validated',
    ]);
  }
  for (const value of ['2020-01-01', [], [1], null]) expect(made({ all: value })).toEqual([]);
  for (const value of ['2020-01-01', []])
    expect(made({ not: value })).toEqual([
      '<nil>: Invalid value: "": "spec.not" must not validate the schema (not)',
    ]);
});

it('what is wrong with alternatives of a status that is judged by itself lies at the status', () => {
  const ask = asked();
  ask('POST', WIDGETS, widget('w'));
  const path = `${WIDGETS}/w/status`;
  expect(ask('PATCH', path, { status: { any: {} } })).toEqual([
    'status: Invalid value: "": "" must validate one and only one schema (oneOf). Found none valid',
    'status.x: Required value',
    'status: Invalid value: "": "any" must validate at least one schema (anyOf)',
    'status.any: Invalid value: "": any in body must be of type date: ""',
  ]);
});
