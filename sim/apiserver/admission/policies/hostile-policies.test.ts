/** Policies that are written to keep a server busy: each is answered soon, and so is what they judge. */
import { expect, test } from 'vitest';
import { askedServer } from '../../../cli/golden/asked-server.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const POLICIES = `${GROUP}/validatingadmissionpolicies`;
const BINDINGS = `${GROUP}/validatingadmissionpolicybindings`;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

/** Of the processor; the worst takes about a second of it. */
const MOST_MS = 8000;

const ask = askedServer();

function millisecondsOf(act: () => void): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const policyNamed = (name: string, spec: object): object => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name },
  spec: {
    matchConstraints: {
      resourceRules: [
        { apiGroups: [''], apiVersions: ['*'], operations: ['CREATE'], resources: ['configmaps'] },
      ],
    },
    validations: [{ expression: 'true' }],
    ...spec,
  },
});

const nested = (open: string, times: number, inner: string, close: string): string =>
  open.repeat(times) + inner + close.repeat(times);

/** With the status that a server answers. */
const EXPRESSIONS: readonly (readonly [string, string, number])[] = [
  ['a megabyte of spaces', `true${' '.repeat(1_000_000)}|| true`, 422],
  ['a text of a megabyte', `size("${'a'.repeat(1_000_000)}") > 0`, 422],
  ['a sum of a megabyte', `1${'+1'.repeat(500_000)} > 0`, 422],
  ['a text that does not end', `"${'a'.repeat(900_000)}`, 422],
  ['what no language is', '\u0001\uffff@#$'.repeat(150_000), 422],
  ['parentheses', nested('(', 400_000, 'true', ')'), 422],
  ['lists', nested('[', 400_000, '', ']'), 422],
  ['maps', nested('{1:', 200_000, '1', '}'), 422],
  ['negations', `${'!'.repeat(900_000)}true`, 422],
  ['members', `object${'.a'.repeat(400_000)} == 1`, 422],
  ['calls', nested('size(', 180_000, '""', ')'), 422],
  ['choices', `${'true?true:'.repeat(90_000)}true`, 422],
  ['loops in loops', nested('object.data.all(a,', 300, 'true', ')'), 422],
  ['a pattern that could go back', `"${'a'.repeat(5000)}!".matches("(a+)+$")`, 201],
  ['stars of stars', `"${'a'.repeat(2000)}".matches("(((((a*)*)*)*)*)*b")`, 201],
  ['counts of counts', '"a".matches("((a{0,100}){0,100}){0,100}")', 422],
];

test.for(EXPRESSIONS)('an expression of %s, wherever a policy has it', ([, expression, status]) => {
  const places: readonly object[] = [
    { validations: [{ expression }] },
    { variables: [{ name: 'v', expression }] },
    { matchConditions: [{ name: 'c', expression }] },
  ];
  for (const [index, place] of places.entries()) {
    const path = `${POLICIES}?dryRun=All`;
    let answered = 0;
    const took = millisecondsOf(() => {
      answered = ask('POST', path, policyNamed(`p${index}`, place)).status;
    });
    expect(answered).toBe(status);
    expect(took).toBeLessThan(MOST_MS);
  }
});

const doubling = (first: string, next: (before: string) => string, times: number): object[] =>
  Array.from({ length: times }, (_, index) => ({
    name: `v${index}`,
    expression: index === 0 ? first : next(`variables.v${index - 1}`),
  }));

const twice = (before: string): string => `${before} + ${before}`;
const pairOf = (before: string): string => `[${before}, ${before}]`;

/** What grows with each variable, and what is asked of the last; a server would keep at most of it for hours. */
const GROWTH: readonly (readonly [string, object[], string, number])[] = [
  ['a text that doubles', doubling('"aaaaaaaaaa"', twice, 40), 'variables.v39.size() > 0', 422],
  ['a list that doubles', doubling('[1]', twice, 40), 'variables.v39.size() == 549755813888', 201],
  ['one of its elements', doubling('[1, 2]', twice, 40), 'variables.v39[549755813887] == 2', 201],
  ['what it does not hold', doubling('[1]', twice, 40), '!(2 in variables.v39)', 422],
  ['its like', doubling('[1]', twice, 40), 'variables.v39 != [2] + variables.v38', 422],
  ['its sum', doubling('[1]', twice, 40), 'variables.v39.sum() > 0', 422],
  ['pairs of pairs that are alike', doubling('[1]', pairOf, 40), 'variables.v39 == variables.v39', 422],
  ['pairs of pairs as a text', doubling('[1]', pairOf, 40), '"%s".format([variables.v39]) != ""', 422],
  [
    'a text put into itself',
    doubling('"a"', (before) => `${before}.replace("a", ${before} + ${before})`, 40),
    'variables.v39.size() > 0',
    422,
  ],
  [
    'a text within a text',
    doubling('"aaaaaaaa"', twice, 22),
    '(variables.v21 + "b").contains("b" + variables.v20)',
    422,
  ],
  [
    'loops in loops',
    [],
    'object.data.all(a, object.data.all(b, object.data.all(c, a != "" && b != c + "x")))',
    422,
  ],
];

test.for(GROWTH)('%s', ([, variables, expression, status]) => {
  ask('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } });
  const policy = policyNamed('grows', { variables, validations: [{ expression }] });
  expect(ask('POST', POLICIES, policy)).toMatchObject({ status: 201 });
  ask('POST', BINDINGS, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'grows' },
    spec: { policyName: 'grows', validationActions: ['Deny'] },
  });
  ask.sleep(3000);
  const data = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${index}`, 'v']));
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'c' }, data };
  let answered: unknown;
  const took = millisecondsOf(() => {
    answered = ask('POST', CONFIG_MAPS, configMap);
  });
  ask('DELETE', `${BINDINGS}/grows`);
  ask('DELETE', `${POLICIES}/grows`);
  ask.sleep(3000);
  expect(answered).toMatchObject({ status });
  expect(took).toBeLessThan(MOST_MS);
});
