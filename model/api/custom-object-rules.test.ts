import { describe, expect, it } from 'vitest';
import { CustomObjectRules } from './custom-object-rules.ts';

const DEFINITION = '/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.example.com';
const KEY = '/registry/example.com/widgets/default/a';
const LATER = 200_000_000;

const definition = (spec: object, more: object = {}): object => ({
  spec: {
    group: 'example.com',
    names: { plural: 'widgets' },
    versions: [{ name: 'v1', schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } }],
    ...more,
  },
});
const SIZED = {
  type: 'object',
  required: ['size'],
  properties: { size: { type: 'integer', maximum: 10 }, color: { type: 'string', enum: ['red', 'blue'] } },
};
const widget = (spec: object): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: {},
  spec,
});

function messagesAfter(object: object, before?: object, of: object = definition(SIZED)): readonly string[] {
  const rules = new CustomObjectRules(() => 7);
  rules.stored(DEFINITION, of, undefined);
  rules.stored(KEY, object, before);
  return rules.violations.map(({ message }) => message.slice(message.indexOf('though')));
}

describe('what is stored of a custom resource', () => {
  it.each([
    [{ size: 11 }, 'though .spec.size is above its maximum'],
    [{ size: 'big' }, 'though .spec.size is no integer'],
    [{ color: 'red' }, 'though .spec.size is missing'],
    [{ size: 1, color: 'green' }, 'though .spec.color is none of the values that there are'],
    [{ size: 1, weight: 3 }, 'though .spec.weight is unknown to the schema'],
    [{ size: null }, 'though .spec.size is null'],
  ])('is found wrong: %j', (spec, message) => {
    expect(messagesAfter(widget(spec))).toEqual([message]);
  });

  it('is let be where it is right, was as wrong before, or nobody can tell', () => {
    expect(messagesAfter(widget({ size: 3, color: 'red' }))).toEqual([]);
    expect(messagesAfter(widget({ size: 99, color: 'red' }), widget({ size: 99, color: 'blue' }))).toEqual(
      [],
    );
    const conversion = { conversion: { strategy: 'Webhook' } };
    expect(messagesAfter(widget({ size: 99 }), undefined, definition(SIZED, conversion))).toEqual([]);
  });

  it('may be right by a schema that servers have not yet forgotten', () => {
    let now = 0;
    const rules = new CustomObjectRules(() => now);
    rules.stored(
      DEFINITION,
      definition({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }),
      undefined,
    );
    rules.stored(DEFINITION, definition(SIZED), undefined);
    rules.stored(KEY, widget({ size: 11 }), undefined);
    expect(rules.violations).toEqual([]);
    now = LATER;
    rules.stored(KEY, widget({ size: 12 }), widget({ size: 11 }));
    expect(rules.violations).toHaveLength(1);
  });
});
