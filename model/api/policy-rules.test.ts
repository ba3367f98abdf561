import { describe, expect, it } from 'vitest';
import { PolicyRules } from './policy-rules.ts';

const MINUTE = 60_000_000;
const KEY = '/registry/configmaps/default/a';

interface Setting {
  readonly expression?: string;
  readonly spec?: object;
  readonly binding?: object;
}

function rulesWith({ expression = 'int(object.data.n) > 0', spec = {}, binding = {} }: Setting): {
  readonly rules: PolicyRules;
  readonly wait: (micros: number) => void;
} {
  let now = 0;
  const rules = new PolicyRules(() => now);
  const resourceRules = [
    { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE', 'UPDATE'] },
  ];
  const policy = {
    spec: { matchConstraints: { resourceRules }, validations: [{ expression }], ...spec },
  };
  rules.stored('/registry/validatingadmissionpolicies/p', policy, undefined);
  rules.stored(
    '/registry/validatingadmissionpolicybindings/b',
    { spec: { policyName: 'p', validationActions: ['Deny'], ...binding } },
    undefined,
  );
  return { rules, wait: (micros) => void (now += micros) };
}

const map = (data: object, name = 'a'): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, uid: 'u', resourceVersion: '7' },
  data,
});

/** What is found of a map stored three minutes after the policy. */
function found(setting: Setting, object: object, before?: object): readonly string[] {
  const { rules, wait } = rulesWith(setting);
  wait(3 * MINUTE);
  rules.stored(KEY, object, before);
  return rules.violations.map(({ message }) => message);
}

const BIG = 'object.data.size == "big"';

describe('rules about policies', () => {
  it('find what is stored though a policy refuses it, or fails to judge it', () => {
    expect(found({ expression: BIG }, map({ size: 'small' }))).toEqual([
      `${KEY} was stored though p refuses it: ${BIG}`,
    ]);
    expect(found({ expression: BIG }, map({ colour: 'red' }))).toHaveLength(1);
    expect(found({ expression: BIG }, map({ size: 'small' }), map({ size: 'big' }))).toHaveLength(1);
    expect(found({ expression: BIG }, map({ size: 'big' }))).toEqual([]);
  });

  it.each([
    ['has(object.data.a) && object.data.a.startsWith("x")', { a: 'xy' }, { a: 'yx' }],
    ['!has(object.data.a) || object.data.a in ["b", "c"]', { a: 'c' }, { a: 'd' }],
    ['size(object.data) <= 1 && object.metadata.name != "b"', { a: '' }, { a: '', b: '' }],
    ['oldObject == null || "a" in oldObject.data', { a: '' }, undefined],
  ])('know what %s comes to', (expression, right, wrong) => {
    expect(found({ expression }, map(right))).toEqual([]);
    if (wrong) expect(found({ expression }, map(wrong))).toHaveLength(1);
  });

  it.each<readonly [string, Setting]>([
    ['ignores its failures', { spec: { failurePolicy: 'Ignore' } }],
    ['has parameters', { spec: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } } }],
    ['has conditions', { spec: { matchConditions: [{ name: 'x', expression: 'true' }] } }],
    ['is bound to warn', { binding: { validationActions: ['Warn'] } }],
    [
      'is bound to some namespaces',
      { binding: { matchResources: { namespaceSelector: { matchLabels: { a: 'b' } } } } },
    ],
    ['speaks of what the server sets later', { expression: 'has(object.metadata.uid) == false' }],
    ['uses what nobody here knows', { expression: 'object.data.all(k, k == "x")' }],
  ])('leave to the server what %s', (_why, setting) => {
    expect(found({ expression: BIG, ...setting }, map({ size: 'small' }))).toEqual([]);
  });

  it('leave be what may have been asked for before the policy was known, and what it is no more', () => {
    const { rules, wait } = rulesWith({ expression: BIG });
    wait(MINUTE);
    rules.stored(KEY, map({ size: 'small' }), undefined);
    wait(2 * MINUTE);
    rules.removed('/registry/validatingadmissionpolicybindings/b');
    rules.stored(KEY, map({ size: 'small' }), undefined);
    expect(rules.violations).toEqual([]);
  });
});
