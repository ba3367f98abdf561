/** Expressions of policies that are in force may use what new ones may not (1.31: named formats). As a real server has it. */
import { expect, test } from 'vitest';
import { compilePolicy, type CompiledPolicy, storedExpressionsOf } from './compiled-policy.ts';

const NAMED = '!format.dns1123Label().validate(object.metadata.name).hasValue()';
const before = { validations: [{ expression: NAMED }] };
const after = {
  ...before,
  variables: [{ name: 'v', expression: NAMED }],
  matchConditions: [{ name: 'm', expression: NAMED }],
  auditAnnotations: [{ key: 'k', valueExpression: `string(${NAMED})` }],
};

const problemsOf = ({ matchConditions, variables, validations, auditAnnotations }: CompiledPolicy) => ({
  conditions: matchConditions.filter(({ problem }) => problem).length,
  variables: variables.filter(({ expression }) => expression.problem).length,
  validations: validations.filter(({ condition }) => condition.problem).length,
  annotations: auditAnnotations.filter(({ value }) => value.problem).length,
});

test('none of a new policy may', () => {
  expect(problemsOf(compilePolicy(after, storedExpressionsOf(undefined)))).toEqual({
    conditions: 1,
    variables: 1,
    validations: 1,
    annotations: 1,
  });
});

test('what a policy checks may go on, also in a variable, but not as a condition or an annotation', () => {
  expect(problemsOf(compilePolicy(after, storedExpressionsOf(before)))).toEqual({
    conditions: 1,
    variables: 0,
    validations: 0,
    annotations: 1,
  });
});

test('all of a policy that is in force may', () => {
  expect(problemsOf(compilePolicy(after, undefined))).toEqual({
    conditions: 0,
    variables: 0,
    validations: 0,
    annotations: 0,
  });
});
