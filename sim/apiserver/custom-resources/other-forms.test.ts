/** Fields of no type that take another form, as a real 1.31 server leaves them to their managers. */
import { expect, test } from 'vitest';
import { serverOfWidgets, widget, WIDGETS } from './widgets.fixture.ts';

interface Shown {
  readonly metadata: {
    readonly managedFields: readonly { readonly manager: string; readonly fieldsV1: object }[];
  };
}

/** What each manager has of `spec.any`, once `m1` has applied the first and `m3` the second. */
function owned(first: object, second: object): Readonly<Record<string, unknown>> {
  const ask = serverOfWidgets({
    spec: {
      type: 'object',
      properties: { any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    },
  });
  const apply = (manager: string, any: object): Shown =>
    ask(
      'PATCH',
      `${WIDGETS}/w?fieldManager=${manager}&force=true`,
      widget('w', { any }),
      'application/apply-patch+yaml',
    ).body as unknown as Shown;
  apply('m1', first);
  const { managedFields } = apply('m3', second).metadata;
  return Object.fromEntries(
    managedFields.map(({ manager, fieldsV1 }) => [
      manager,
      (fieldsV1 as { 'f:spec': { 'f:any': unknown } })['f:spec']['f:any'],
    ]),
  );
}

const LEAF = { '.': {} };

test.each([
  ['all of it', { p: { r: 's' } }, { p: 1 }, { m3: { 'f:p': {} } }],
  ['what is in it', { p: { r: 's' }, x: 1 }, { p: [1] }, { m1: { 'f:x': {} }, m3: { 'f:p': {} } }],
  ['nothing, where it had none', { p: 1 }, { p: { r: 's' } }, { m3: { 'f:p': { ...LEAF, 'f:r': {} } } }],
  [
    'what is deep in it',
    { p: { r: { t: 'u', v: 1 }, w: 2 } },
    { p: { r: 's' } },
    { m1: { 'f:p': { ...LEAF, 'f:w': {} } }, m3: { 'f:p': { ...LEAF, 'f:r': {} } } },
  ],
  [
    'nothing beside it',
    { p: { r: { t: 'u', v: 1 }, w: 2 } },
    { p: { r: { t: { z: 1 } } } },
    {
      m1: { 'f:p': { ...LEAF, 'f:r': { ...LEAF, 'f:v': {} }, 'f:w': {} } },
      m3: { 'f:p': { ...LEAF, 'f:r': { ...LEAF, 'f:t': { ...LEAF, 'f:z': {} } } } },
    },
  ],
])('who gives a field another form takes from others %s', (_what, first, second, managers) => {
  expect(owned(first, second)).toEqual(managers);
});
