import { expect, test } from 'vitest';
import { compilePolicy } from './compiled-policy.ts';

const spec = (count: number) => ({
  variables: Array.from({ length: count }, (_, at) => ({
    name: `v${at}`,
    expression: at === 0 ? '1' : `variables.v${at - 1} + 1`,
  })),
  validations: [{ expression: `variables.v${count - 1} > 0` }],
});

test('a variable knows those before it, however many they are', () => {
  const { variables } = compilePolicy(spec(20_000), undefined);
  expect(variables.filter(({ expression }) => expression.program === undefined)).toEqual([]);
});

test('a variable does not know itself or those behind it', () => {
  const variables = [
    { name: 'one', expression: 'variables.two' },
    { name: 'two', expression: 'variables.two' },
  ];
  const compiled = compilePolicy({ ...spec(1), variables }, undefined);
  expect(compiled.variables.map(({ expression }) => expression.program)).toEqual([undefined, undefined]);
});
