/** What is applied is kept as it is until it is stored, as a real 1.31 server does it. */
import { expect, it } from 'vitest';
import { serverOfWidgets, widget, WIDGETS } from './widgets.fixture.ts';

interface Shown {
  readonly metadata?: { readonly generation?: number };
  readonly spec?: object;
  readonly message?: string;
}

function applier(): (spec: object, manager?: string) => Shown {
  const free = { type: 'object', additionalProperties: { type: 'object', additionalProperties: true } };
  const item = { type: 'object', required: ['k'], properties: { k: { type: 'string' } } };
  const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };
  const list = { type: 'array', items: item, ...keyed };
  const ask = serverOfWidgets({ spec: { type: 'object', properties: { free, list } } });
  return (spec, manager = 'm1') =>
    ask(
      'PATCH',
      `${WIDGETS}/w?fieldManager=${manager}&force=true`,
      widget('w', spec),
      'application/apply-patch+yaml',
    ).body;
}

it('who applies again what was dropped changes the object again', () => {
  const apply = applier();
  const given = { free: { a: { b: { unknown: 1 } } } };
  for (const [at, manager] of ['m1', 'm1', 'm2', 'm1'].entries()) {
    const { metadata, spec } = apply(given, manager);
    expect([metadata?.generation, spec]).toEqual([at + 1, { free: { a: { b: {} } } }]);
  }
  const known = { free: { a: { b: {} } } };
  expect(apply(known, 'm3').metadata?.generation).toBe(4);
  expect(apply(known, 'm3').metadata?.generation).toBe(4);
});

it('nothing is a key of an element, and is refused for what it is', () => {
  expect(applier()({ list: [{ k: null }] }).message).toBe(
    'Widget.example.com "w" is invalid: spec.list[0].k: Invalid value: "null": spec.list[0].k in body must be of type string: "null"',
  );
});
