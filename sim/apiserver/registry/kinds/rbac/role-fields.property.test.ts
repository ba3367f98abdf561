/**
 * What roles and bindings of roles may say, field by field, beside a plain reading of their documentation ("Using RBAC
 * Authorization"): rules of objects or of paths, who has a role, and that a binding is always of the same role.
 */
import { it } from 'vitest';
import { type FieldRules, holdFieldByField, type Refused } from '../field-rules.fixture.ts';

const V1 = 'rbac.authorization.k8s.io/v1';
const GROUP = 'rbac.authorization.k8s.io';

interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

const OF_PODS: Rule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
const OF_PATHS: Rule = { verbs: ['get'], nonResourceURLs: ['/healthz', '/a/*'] };

/** Second of two rules, the first of which is right. */
const second = (rule: Rule, ...places: readonly string[]): Refused => ({
  value: [OF_PODS, rule],
  at: places.map((place) => `rules[1].${place}`),
});

const RULES = {
  may: [
    undefined,
    [OF_PODS],
    [OF_PODS, { ...OF_PODS, resourceNames: ['a', 'b'] }],
    [{ verbs: ['*'], apiGroups: ['*'], resources: ['*', 'pods/status'] }],
  ],
  mayNot: [
    second({ ...OF_PODS, verbs: [] }, 'verbs'),
    second({ verbs: ['get'] }, 'apiGroups', 'resources'),
    second({ verbs: ['get'], apiGroups: [''] }, 'resources'),
    second({ verbs: ['get'], resources: ['pods'], resourceNames: ['a'] }, 'apiGroups'),
    ...(['apiGroups', 'resources', 'resourceNames'] as const).map((name) =>
      second({ ...OF_PATHS, [name]: ['a'] }, 'nonResourceURLs'),
    ),
    second({ verbs: [], apiGroups: [''], resources: ['a'] }, 'verbs'),
  ],
  // It is there even if nobody says it.
  shows: (rules: unknown) => rules ?? null,
};

interface Who {
  readonly kind: string;
  readonly name?: string;
  readonly apiGroup?: string;
  readonly namespace?: string;
}

/** Users and groups are of the group that knows them; accounts of none. */
const shownSubjects = (subjects: unknown): unknown =>
  (subjects as readonly Who[] | undefined)?.map((subject) =>
    subject.kind === 'ServiceAccount' ? subject : { apiGroup: GROUP, ...subject },
  );

const subject = (who: Who, place: string): Refused => ({
  value: [{ kind: 'User', name: 'u' }, who],
  at: [`subjects[1].${place}`],
});

const bindingOf = ({ isNamespaced }: { readonly isNamespaced: boolean }): FieldRules['fields'] => [
  {
    at: 'roleRef',
    may: [
      ...(isNamespaced ? [{ kind: 'Role', name: 'r' }] : []),
      { kind: 'ClusterRole', name: 'r' },
      { kind: 'ClusterRole', name: 's:t', apiGroup: GROUP },
      { kind: 'ClusterRole', name: 'r', apiGroup: GROUP },
    ],
    mayNot: [
      ...(isNamespaced ? [] : [{ value: { kind: 'Role', name: 'r' }, at: ['roleRef.kind'] }]),
      { value: { kind: 'Group', name: 'r' }, at: ['roleRef.kind'] },
      { value: { kind: 'ClusterRole', name: '' }, at: ['roleRef.name'] },
      { value: { kind: 'ClusterRole', name: 'a/b' }, at: ['roleRef.name'] },
      { value: { kind: 'ClusterRole', name: 'r', apiGroup: 'v1' }, at: ['roleRef.apiGroup'] },
    ],
    shows: (role) => ({ apiGroup: GROUP, ...(role as object) }),
    isFixed: true,
  },
  {
    at: 'subjects',
    may: [
      undefined,
      [{ kind: 'User', name: 'u' }],
      [
        { kind: 'Group', name: 'system:g', apiGroup: GROUP },
        { kind: 'ServiceAccount', name: 'a', namespace: 'n' },
      ],
      ...(isNamespaced ? [[{ kind: 'ServiceAccount', name: 'a.b' }]] : []),
    ],
    mayNot: [
      subject({ kind: 'User', name: '' }, 'name'),
      subject({ kind: 'Group', name: 'g', apiGroup: 'v1' }, 'apiGroup'),
      subject({ kind: 'ServiceAccount', name: 'A', namespace: 'n' }, 'name'),
      subject({ kind: 'ServiceAccount', name: '', namespace: 'n' }, 'name'),
      subject({ kind: 'ServiceAccount', name: 'a', namespace: 'n', apiGroup: GROUP }, 'apiGroup'),
      subject({ kind: 'Pod', name: 'a' }, 'kind'),
      ...(isNamespaced ? [] : [subject({ kind: 'ServiceAccount', name: 'a' }, 'namespace')]),
    ],
    shows: shownSubjects,
  },
];

const KINDS: readonly FieldRules[] = [
  {
    apiVersion: V1,
    kind: 'Role',
    resource: 'roles',
    isNamespaced: true,
    fields: [
      {
        at: 'rules',
        ...RULES,
        mayNot: [...RULES.mayNot, second(OF_PATHS, 'nonResourceURLs')],
      },
    ],
  },
  {
    apiVersion: V1,
    kind: 'ClusterRole',
    resource: 'clusterroles',
    fields: [{ at: 'rules', ...RULES, may: [...RULES.may, [OF_PATHS], [OF_PODS, OF_PATHS]] }],
  },
  {
    apiVersion: V1,
    kind: 'ClusterRole',
    resource: 'clusterroles',
    fields: [
      {
        at: 'aggregationRule',
        may: [
          undefined,
          { clusterRoleSelectors: [{}] },
          { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }, { matchLabels: { a: 'c' } }] },
        ],
        mayNot: [
          { value: {}, at: ['aggregationRule.clusterRoleSelectors'] },
          {
            value: { clusterRoleSelectors: [{}, { matchExpressions: [{ key: 'a', operator: 'In' }] }] },
            at: [
              'aggregationRule.clusterRoleSelectors[1]',
              'aggregationRule.clusterRoleSelectors[1].matchExpressions[0].values',
            ],
          },
        ],
      },
    ],
  },
  {
    apiVersion: V1,
    kind: 'RoleBinding',
    resource: 'rolebindings',
    isNamespaced: true,
    fields: bindingOf({ isNamespaced: true }),
  },
  {
    apiVersion: V1,
    kind: 'ClusterRoleBinding',
    resource: 'clusterrolebindings',
    fields: bindingOf({ isNamespaced: false }),
  },
];

it.each(KINDS)('$kind', (rules) => holdFieldByField(rules));
