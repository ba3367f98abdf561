/**
 * Rules that are in force already may use what new ones may not (1.31: named formats), as a later release has written
 * them. What a real 1.31 server says of such definitions, whose storage was written by hand.
 */
import { expect, test } from 'vitest';
import type { CustomResourceDefinition, ValidationRule } from '../../../api/types/apiextensions-k8s-io-v1.ts';
import { definitionErrors, definitionUpdateErrors } from '../definition-validation.ts';
import { rulesOf } from './compiled-rules.ts';

const RULE: ValidationRule = {
  rule: '!format.dns1123Label().validate(self.name).hasValue()',
  messageExpression: 'format.dns1123Label().validate(self.name).value()[0]',
};
const OTHER: ValidationRule = { rule: 'format.uri().validate(self.name).hasValue()' };
const MOVED: ValidationRule = { rule: 'true', messageExpression: OTHER.rule };

const schemaWith = (...rules: readonly ValidationRule[]) => ({
  type: 'object',
  'x-kubernetes-validations': rules,
  properties: { name: { type: 'string', maxLength: 100 } },
});

const definitionWith = (...rules: readonly ValidationRule[]): CustomResourceDefinition => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'foos.a.b', resourceVersion: '1' },
  spec: {
    group: 'a.b',
    scope: 'Namespaced',
    names: { plural: 'foos', singular: 'foo', kind: 'Foo', listKind: 'FooList' },
    versions: [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schemaWith(...rules) } },
    ],
  },
  status: { storedVersions: ['v1'], acceptedNames: { plural: 'foos', kind: 'Foo' }, conditions: [] },
});

const places = (errors: readonly { readonly field: string }[]): readonly string[] =>
  errors.map(({ field }) => field.replace(/^.*openAPIV3Schema\./, ''));

test('a new rule may not use them', () => {
  const errors = definitionErrors(definitionWith(RULE));
  expect(places(errors)).toEqual(['x-kubernetes-validations[0].rule']);
  expect(errors).toHaveLength(1);
  expect(errors[0]?.message).toContain("undeclared reference to 'format' (in container '')");
});

test('one that stays may, wherever it stands then', () => {
  expect(definitionUpdateErrors(definitionWith({ rule: 'true' }, RULE), definitionWith(RULE))).toEqual([]);
});

test('what is added may not, even as another part of a rule', () => {
  const errors = definitionUpdateErrors(definitionWith(RULE, OTHER, MOVED), definitionWith(RULE, OTHER));
  expect(places(errors)).toEqual(['x-kubernetes-validations[2].messageExpression']);
});

test('a rule that is in force is compiled, its message too', () => {
  const { rules } = rulesOf(schemaWith(RULE), true);
  expect(rules[0]).toMatchObject({ problem: undefined, messageProblem: undefined });
  expect(rules[0]?.program).toBeDefined();
  expect(rules[0]?.message).toBeDefined();
});

test('a rule that stays does not bring a new message with it, and one that may not be has no price', () => {
  const other = { ...RULE, messageExpression: OTHER.rule.replace('.hasValue()', '.value()[0]') };
  const errors = definitionUpdateErrors(definitionWith(other), definitionWith(RULE));
  expect(places(errors)).toEqual(['x-kubernetes-validations[0].messageExpression']);
  const unbounded = {
    rule: 'format.uri().validate(string(self)).hasValue() && self.all(k, self.all(l, k == l))',
  };
  expect(places(definitionErrors(definitionWith(unbounded)))).toEqual(['x-kubernetes-validations[0].rule']);
});
