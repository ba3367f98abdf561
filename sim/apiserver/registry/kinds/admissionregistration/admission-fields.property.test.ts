/**
 * What webhooks and policies of admission and bindings of policies may say, field by field, beside a plain reading of their
 * documentation ("Dynamic Admission Control", "Validating Admission Policy"): which requests they are about, whom they
 * ask, and what becomes of it.
 */
import { it } from 'vitest';
import { type Field, type FieldRules, holdFieldByField, type Refused } from '../field-rules.fixture.ts';

const V1 = 'admissionregistration.k8s.io/v1';

interface Rule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly scope?: string;
}

const RULE: Rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };

const RULES: readonly Partial<Rule>[] = [
  {},
  { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], scope: 'Namespaced' },
  { operations: ['UPDATE', 'DELETE', 'CONNECT'], resources: ['*', 'pods/status'], scope: 'Cluster' },
  { resources: ['pods', 'pods/*', '*/scale'], scope: '*' },
  { resources: ['*'], apiGroups: ['apps', ''] },
];

/** What is wrong, and where. */
const WRONG_RULES: readonly (readonly [more: Partial<Rule>, ...places: readonly string[]])[] = [
  [{ operations: [] }, 'operations'],
  [{ operations: ['CREATE', '*'] }, 'operations'],
  [{ operations: ['CREATE', 'create'] }, 'operations[1]'],
  [{ apiGroups: [] }, 'apiGroups'],
  [{ apiGroups: ['', '*'] }, 'apiGroups'],
  [{ apiVersions: [] }, 'apiVersions'],
  [{ apiVersions: ['*', 'v1'] }, 'apiVersions'],
  [{ apiVersions: ['v1', ''] }, 'apiVersions[1]'],
  [{ resources: [] }, 'resources'],
  [{ resources: ['pods', ''] }, 'resources[1]'],
  [{ resources: ['*', 'pods'] }, 'resources'],
  [{ resources: ['pods/*', 'pods/status'] }, 'resources[1]'],
  [{ resources: ['*/status', 'pods/status'] }, 'resources[1]'],
  [{ resources: ['*/*', 'pods'] }, 'resources'],
  [{ scope: 'Namespace' }, 'scope'],
];

const shownRule = (rule: Rule): Rule => ({ scope: '*', ...rule });

const SERVICE = { namespace: 'n', name: 's' };
const HOOK = {
  name: 'a.b.c',
  clientConfig: { service: SERVICE },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};
const OTHER = { ...HOOK, name: 'd.e.f' };

interface Hook {
  readonly clientConfig?: { readonly service?: object };
  readonly rules?: readonly Rule[];
}

const shownHooks = (more: object) => (hooks: unknown) =>
  (hooks as readonly Hook[] | undefined)?.map((hook) => {
    const { clientConfig, rules } = hook;
    return {
      ...{ failurePolicy: 'Fail', matchPolicy: 'Equivalent', timeoutSeconds: 10 },
      ...{ namespaceSelector: {}, objectSelector: {} },
      ...more,
      ...hook,
      ...(clientConfig?.service && { clientConfig: { service: { port: 443, ...clientConfig.service } } }),
      ...(rules && { rules: rules.map(shownRule) }),
    };
  });

const hook = (more: object, ...places: readonly string[]): Refused => ({
  value: [OTHER, { ...HOOK, ...more }],
  at: places.map((place) => `webhooks[1].${place}`),
});
const condition = (name: string, expression: string): object => ({ name, expression });
const TRUE = condition('t', 'true');
const url = (text: string): object => ({ clientConfig: { url: text } });
const BAD_SELECTOR = { matchExpressions: [{ key: 'a', operator: 'In' }] };

const HOOKS: Omit<Field, 'shows'> = {
  at: 'webhooks',
  may: [
    undefined,
    [HOOK],
    [HOOK, OTHER],
    [{ ...HOOK, rules: RULES.map((more) => ({ ...RULE, ...more })) }],
    ...[
      { failurePolicy: 'Ignore', matchPolicy: 'Exact', sideEffects: 'NoneOnDryRun', timeoutSeconds: 1 },
      { timeoutSeconds: 30, namespaceSelector: { matchLabels: { a: 'b' } } },
      { admissionReviewVersions: ['v2', 'v1beta1'], objectSelector: { matchLabels: { a: 'b' } } },
      { clientConfig: { service: { ...SERVICE, path: '/a/b', port: 65_535 } } },
      url('https://a.b/c'),
      { matchConditions: [TRUE, condition('example.com/u', 'request.name != "a"')] },
    ].map((more) => [{ ...HOOK, ...more }]),
  ],
  mayNot: [
    hook({ name: 'd.e.f' }, 'name'),
    ...['', 'a.b', 'A.b.c', 'a..c'].map((name) => hook({ name }, 'name')),
    ...WRONG_RULES.map(([more, ...places]) =>
      hook({ rules: [RULE, { ...RULE, ...more }] }, ...places.map((place) => `rules[1].${place}`)),
    ),
    hook({ failurePolicy: 'fail' }, 'failurePolicy'),
    hook({ matchPolicy: 'Same' }, 'matchPolicy'),
    hook({ sideEffects: undefined }, 'sideEffects'),
    hook({ sideEffects: 'Some' }, 'sideEffects'),
    hook({ sideEffects: 'Unknown' }, 'sideEffects'),
    hook({ timeoutSeconds: 0 }, 'timeoutSeconds'),
    hook({ timeoutSeconds: 31 }, 'timeoutSeconds'),
    hook({ namespaceSelector: BAD_SELECTOR }, 'namespaceSelector.matchExpressions[0].values'),
    hook({ objectSelector: BAD_SELECTOR }, 'objectSelector.matchExpressions[0].values'),
    hook({ admissionReviewVersions: [] }, 'admissionReviewVersions'),
    hook({ admissionReviewVersions: ['v2'] }, 'admissionReviewVersions'),
    hook({ admissionReviewVersions: ['v1', 'v2', 'v1'] }, 'admissionReviewVersions[2]'),
    hook({ admissionReviewVersions: ['v1', '1'] }, 'admissionReviewVersions[1]'),
    hook({ clientConfig: {} }, 'clientConfig'),
    hook({ clientConfig: { url: 'https://a.b/c', service: SERVICE } }, 'clientConfig'),
    ...['http://a.b', 'https://u@a.b', 'https://a.b?c=d', 'https://a.b#c'].map((text) =>
      hook(url(text), 'clientConfig.url'),
    ),
    hook({ clientConfig: { service: { ...SERVICE, port: 0 } } }, 'clientConfig.service.port'),
    hook({ clientConfig: { service: { ...SERVICE, port: 65_536 } } }, 'clientConfig.service.port'),
    hook({ clientConfig: { service: { ...SERVICE, path: 'a' } } }, 'clientConfig.service.path'),
    // Each is told as the other.
    hook({ clientConfig: { service: { ...SERVICE, namespace: '' } } }, 'clientConfig.service.name'),
    hook({ clientConfig: { service: { ...SERVICE, name: '' } } }, 'clientConfig.service.namespace'),
    ...(
      [
        [[TRUE, condition('', 'true')], '[1].name'],
        [[TRUE, condition('a b', 'true')], '[1].name'],
        [[TRUE, condition('t', 'false')], '[1].name'],
        [[TRUE, condition('u', '')], '[1].expression'],
        [[TRUE, condition('u', '"a"')], '[1].expression'],
        [[TRUE, condition('u', 'params.a')], '[1].expression'],
      ] as const
    ).map(([matchConditions, place]) => hook({ matchConditions }, `matchConditions${place}`)),
    hook(
      { matchConditions: Array.from({ length: 65 }, (_, at) => condition(`c${at}`, 'true')) },
      'matchConditions',
    ),
  ],
};

const configuration = (kind: string, shown: object, more: Partial<Field> = {}): FieldRules => ({
  apiVersion: V1,
  kind,
  resource: `${kind.toLowerCase()}s`,
  counts: ['webhooks'],
  // Nothing is asked of them here: nobody writes what they are about.
  fields: [{ ...HOOKS, ...more, shows: shownHooks(shown) }],
});

const REINVOKED = [{ ...HOOK, reinvocationPolicy: 'IfNeeded' }];

/** What a policy or a binding is about. */
interface Matched {
  readonly resourceRules?: readonly Rule[];
  readonly excludeResourceRules?: readonly Rule[];
}

const matched = (match: Matched): Matched => ({ resourceRules: [RULE], ...match });
const MATCHES: readonly object[] = [
  {},
  { matchPolicy: 'Exact', namespaceSelector: { matchLabels: { a: 'b' } } },
  { objectSelector: { matchLabels: { a: 'b' } }, excludeResourceRules: [{ ...RULE, scope: 'Cluster' }] },
  { resourceRules: RULES.map((more) => ({ ...RULE, resourceNames: ['a', 'b'], ...more })) },
].map(matched);

const shownMatch = (match: unknown): unknown => {
  if (match === undefined) return undefined;
  const { resourceRules, excludeResourceRules } = match as Matched;
  return {
    ...{ matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} },
    ...(match as object),
    ...(resourceRules && { resourceRules: resourceRules.map(shownRule) }),
    ...(excludeResourceRules && { excludeResourceRules: excludeResourceRules.map(shownRule) }),
  };
};

const wrongMatches = (path: string): readonly Refused[] => [
  { value: matched({ matchPolicy: 'Same' } as Matched), at: [`${path}.matchPolicy`] },
  {
    value: matched({ objectSelector: BAD_SELECTOR } as Matched),
    at: [`${path}.objectSelector.matchExpressions[0].values`],
  },
  {
    value: matched({ namespaceSelector: BAD_SELECTOR } as Matched),
    at: [`${path}.namespaceSelector.matchExpressions[0].values`],
  },
  ...(['resourceRules', 'excludeResourceRules'] as const).flatMap((list) =>
    (
      [
        ...WRONG_RULES,
        [{ resourceNames: ['a', 'b', 'a'] }, 'resourceNames[2]'],
        [{ resourceNames: ['a/b'] }, 'resourceNames[0]'],
      ] as typeof WRONG_RULES
    ).map(([more, ...places]) => ({
      value: matched({ [list]: [RULE, { ...RULE, ...more }] }),
      at: places.map((place) => `${path}.${list}[1].${place}`),
    })),
  ),
];

const POLICY: FieldRules = {
  apiVersion: V1,
  kind: 'ValidatingAdmissionPolicy',
  resource: 'validatingadmissionpolicies',
  counts: ['spec'],
  statusKeepsLabels: true,
  fields: [
    {
      at: 'spec.failurePolicy',
      may: [undefined, 'Fail', 'Ignore'],
      mayNot: ['fail', ''],
      shows: (value) => value ?? 'Fail',
    },
    {
      at: 'spec.paramKind',
      may: [
        { apiVersion: 'v1', kind: 'ConfigMap' },
        { apiVersion: 'a.b/v1', kind: 'K' },
      ],
      mayNot: [
        { value: { apiVersion: '', kind: 'K' }, at: ['spec.paramKind.apiVersion'] },
        { value: { apiVersion: 'a/b/c', kind: 'K' }, at: ['spec.paramKind.apiVersion'] },
        { value: { apiVersion: 'A/v1', kind: 'K' }, at: ['spec.paramKind.apiVersion'] },
        { value: { apiVersion: 'a/', kind: 'K' }, at: ['spec.paramKind.apiVersion'] },
        { value: { apiVersion: 'a/1', kind: 'K' }, at: ['spec.paramKind.apiVersion'] },
        { value: { apiVersion: 'v1', kind: '' }, at: ['spec.paramKind.kind'] },
        { value: { apiVersion: 'v1', kind: 'a.b' }, at: ['spec.paramKind.kind'] },
      ],
    },
    {
      at: 'spec.matchConstraints',
      may: MATCHES,
      mayNot: [
        { value: undefined },
        { value: {}, at: ['spec.matchConstraints.resourceRules'] },
        ...wrongMatches('spec.matchConstraints'),
      ],
      shows: shownMatch,
    },
    {
      at: 'spec.matchConditions',
      may: [undefined, [TRUE], [TRUE, condition('u', 'params.a == "b"')]],
      mayNot: [
        { value: [condition('', 'true')], at: ['spec.matchConditions[0].name'] },
        { value: [TRUE, TRUE], at: ['spec.matchConditions[1].name'] },
      ],
    },
    {
      at: 'spec.variables',
      may: [
        undefined,
        [{ name: 'v', expression: '1' }],
        [
          { name: 'v', expression: '1' },
          { name: 'w', expression: 'variables.v + 1' },
        ],
      ],
      mayNot: [
        { value: [{ name: '', expression: '1' }], at: ['spec.variables[0].name'] },
        { value: [{ name: 'a-b', expression: '1' }], at: ['spec.variables[0].name'] },
        { value: [{ name: 'in', expression: '1' }], at: ['spec.variables[0].name'] },
        { value: [{ name: 'v', expression: ' ' }], at: ['spec.variables[0].expression'] },
        {
          value: [
            { name: 'v', expression: 'variables.w' },
            { name: 'w', expression: '1' },
          ],
          at: ['spec.variables[0].expression'],
        },
      ],
    },
    {
      at: 'spec.validations',
      may: [
        [{ expression: 'true' }],
        [{ expression: 'object.a == params.b', message: 'm', reason: 'Forbidden' }],
        [{ expression: 'true', messageExpression: '"m"', reason: 'RequestEntityTooLarge' }],
      ],
      mayNot: [
        { value: [{ expression: ' ' }], at: ['spec.validations[0].expression'] },
        { value: [{ expression: '1' }], at: ['spec.validations[0].expression'] },
        {
          value: [{ expression: 'true' }, { expression: 'variables.none' }],
          at: ['spec.validations[1].expression'],
        },
        { value: [{ expression: 'true', message: ' ' }], at: ['spec.validations[0].message'] },
        { value: [{ expression: 'true', message: 'a\nb' }], at: ['spec.validations[0].message'] },
        {
          value: [{ expression: 'true', messageExpression: ' ' }],
          at: ['spec.validations[0].messageExpression'],
        },
        {
          value: [{ expression: 'true', messageExpression: '1' }],
          at: ['spec.validations[0].messageExpression'],
        },
        { value: [{ expression: 'true', reason: 'Other' }], at: ['spec.validations[0].reason'] },
      ],
    },
    {
      at: 'spec.auditAnnotations',
      may: [
        undefined,
        [
          { key: 'a', valueExpression: '"b"' },
          { key: 'c', valueExpression: 'null' },
        ],
        Array.from({ length: 20 }, (_, at) => ({ key: `k${at}`, valueExpression: '"a"' })),
      ],
      mayNot: [
        { value: [{ key: '', valueExpression: '"b"' }], at: ['spec.auditAnnotations[0].key'] },
        { value: [{ key: 'a/b', valueExpression: '"b"' }], at: ['spec.auditAnnotations[0].key'] },
        { value: [{ key: 'a', valueExpression: '' }], at: ['spec.auditAnnotations[0].valueExpression'] },
        { value: [{ key: 'a', valueExpression: '1' }], at: ['spec.auditAnnotations[0].valueExpression'] },
        {
          value: ['a', 'b', 'a'].map((key) => ({ key, valueExpression: '"b"' })),
          at: ['spec.auditAnnotations[2].key'],
        },
        { value: Array.from({ length: 21 }, (_, at) => ({ key: `k${at}`, valueExpression: '"a"' })) },
      ],
    },
    {
      at: 'status.typeChecking',
      may: [undefined, {}, { expressionWarnings: [{ fieldRef: 'spec', warning: 'w' }] }],
      mayNot: (['fieldRef', 'warning'] as const).map((name) => ({
        value: { expressionWarnings: [{ fieldRef: 'spec', warning: 'w', [name]: '' }] },
        at: [`status.typeChecking.expressionWarnings[0].${name}`],
      })),
      isOfStatus: true,
    },
  ],
};

const ACTIONS = ['Deny', 'Warn', 'Audit'];
const BINDING: FieldRules = {
  apiVersion: V1,
  kind: 'ValidatingAdmissionPolicyBinding',
  resource: 'validatingadmissionpolicybindings',
  counts: ['spec'],
  fields: [
    { at: 'spec.policyName', may: ['p', 'q.r'], mayNot: ['', 'P'] },
    {
      at: 'spec.paramRef',
      may: [
        undefined,
        { name: 'a', parameterNotFoundAction: 'Deny' },
        { name: 'a', namespace: 'n', parameterNotFoundAction: 'Allow' },
        { selector: { matchLabels: { a: 'b' } }, parameterNotFoundAction: 'Deny' },
        { selector: {}, parameterNotFoundAction: 'Allow' },
      ],
      mayNot: [
        { value: { parameterNotFoundAction: 'Deny' } },
        { value: { name: 'a' }, at: ['spec.paramRef.parameterNotFoundAction'] },
        {
          value: { name: 'a', parameterNotFoundAction: 'deny' },
          at: ['spec.paramRef.parameterNotFoundAction'],
        },
        { value: { name: 'a/b', parameterNotFoundAction: 'Deny' }, at: ['spec.paramRef.name'] },
        {
          value: { name: 'a', selector: {}, parameterNotFoundAction: 'Deny' },
          at: ['spec.paramRef.name', 'spec.paramRef.selector'],
        },
        {
          value: { selector: BAD_SELECTOR, parameterNotFoundAction: 'Deny' },
          at: ['spec.paramRef.selector.matchExpressions[0].values'],
        },
      ],
    },
    {
      at: 'spec.matchResources',
      may: [undefined, {}, ...MATCHES],
      // As the server spells it.
      mayNot: wrongMatches('spec.matchResouces'),
      shows: shownMatch,
    },
    {
      at: 'spec.validationActions',
      may: [...ACTIONS.map((action) => [action]), ['Deny', 'Audit'], ['Audit', 'Warn']],
      mayNot: [
        { value: [] },
        { value: ['Deny', 'Warn'] },
        { value: ['Warn', 'Audit', 'Deny'] },
        { value: ['Audit', 'audit'], at: ['spec.validationActions[1]'] },
        { value: ['Audit', 'Deny', 'Audit'], at: ['spec.validationActions[2]'] },
      ],
    },
  ],
};

it('ValidatingWebhookConfiguration', () =>
  holdFieldByField(configuration('ValidatingWebhookConfiguration', {})));
it('MutatingWebhookConfiguration', () =>
  holdFieldByField(
    configuration(
      'MutatingWebhookConfiguration',
      { reinvocationPolicy: 'Never' },
      {
        may: [...HOOKS.may, REINVOKED],
        mayNot: [...(HOOKS.mayNot ?? []), hook({ reinvocationPolicy: 'Always' }, 'reinvocationPolicy')],
      },
    ),
  ));
it('ValidatingAdmissionPolicy', () => holdFieldByField(POLICY));
it('ValidatingAdmissionPolicyBinding', () => holdFieldByField(BINDING));
