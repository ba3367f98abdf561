/** RoleBinding and ClusterRoleBinding: who has a role; which role never changes. */
import { append } from '../../../../api/append.ts';
import { goStruct } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type {
  ClusterRoleBinding,
  RoleBinding,
  Subject,
} from '../../../../api/types/rbac-authorization-k8s-io-v1.ts';
import { checkedBy, oneOf } from '../../../../api/validation/field-checks.ts';
import { invalid, required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { dns1123Subdomain, pathSegmentName } from '../../../../api/validation/names.ts';
import { defineKind } from '../../define-kind.ts';
import type { Draft, Strategy } from '../../strategy.ts';

const GROUP = 'rbac.authorization.k8s.io';
const ROLE_REF = FieldPath.of('roleRef');

type Binding = RoleBinding | ClusterRoleBinding;

export const roleBindingKind = defineKind<RoleBinding>({
  group: 'rbac.authorization.k8s.io',
  resource: 'rolebindings',
  strategy: bindingStrategy({ isNamespaced: true }),
});
export const clusterRoleBindingKind = defineKind<ClusterRoleBinding>({
  group: 'rbac.authorization.k8s.io',
  resource: 'clusterrolebindings',
  strategy: bindingStrategy({
    isNamespaced: false,
  }),
});

function bindingStrategy({ isNamespaced }: { readonly isNamespaced: boolean }): Strategy<Binding> {
  return {
    nameCheck: (name) => pathSegmentName(name),
    metadataChecks: ['object', 'rules', 'object', 'rules', 'change'],
    asksOnceSince: '1.35',
    allowsCreateOnUpdate: true,
    defaults: setDefaults,
    validate: (object) => bindingErrors(object, isNamespaced),
    validateUpdate: roleChangeErrors,
    tableRow: ({ metadata, roleRef, subjects = [] }, { age }) => ({
      cells: [
        metadata.name,
        `${roleRef.kind}/${roleRef.name}`,
        age(metadata.creationTimestamp),
        namesOf(subjects, 'User'),
        namesOf(subjects, 'Group'),
        subjects
          .filter(({ kind }) => kind === 'ServiceAccount')
          .map(({ namespace = '', name }) => `${namespace}/${name}`)
          .join(', '),
      ],
    }),
  };
}

const namesOf = (subjects: readonly Subject[], wanted: string): string =>
  subjects
    .filter(({ kind }) => kind === wanted)
    .map(({ name }) => name)
    .join(', ');

function setDefaults(draft: Draft<Binding>): void {
  if (draft.roleRef) draft.roleRef.apiGroup ||= GROUP;
  for (const subject of draft.subjects ?? []) {
    if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ||= GROUP;
  }
}

function bindingErrors({ roleRef, subjects = [] }: Binding, isNamespaced: boolean): FieldError[] {
  const kinds = isNamespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  const errors: FieldError[] = [
    ...oneOf(roleRef.apiGroup, [GROUP], ROLE_REF.child('apiGroup')),
    ...oneOf(roleRef.kind, kinds, ROLE_REF.child('kind'), { inOrder: true }),
  ];
  if (!roleRef.name) errors.push(required(ROLE_REF.child('name')));
  else append(errors, checkedBy(pathSegmentName, roleRef.name, ROLE_REF.child('name')));
  return [
    ...errors,
    ...subjects.flatMap((subject, at) =>
      subjectErrors(subject, isNamespaced, FieldPath.of('subjects').index(at)),
    ),
  ];
}

function subjectErrors(
  { kind, apiGroup = '', name, namespace }: Subject,
  isNamespaced: boolean,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = name ? [] : [required(path.child('name'))];
  switch (kind) {
    case 'ServiceAccount':
      if (name) append(errors, checkedBy(dns1123Subdomain, name, path.child('name')));
      append(errors, oneOf(apiGroup, [''], path.child('apiGroup')));
      if (!isNamespaced && !namespace) errors.push(required(path.child('namespace')));
      return errors;
    case 'User':
    case 'Group':
      return [...errors, ...oneOf(apiGroup, [GROUP], path.child('apiGroup'))];
    default:
      return [
        ...errors,
        ...oneOf(kind, ['ServiceAccount', 'User', 'Group'], path.child('kind'), { inOrder: true }),
      ];
  }
}

function roleChangeErrors({ roleRef }: Binding, { roleRef: old }: Binding): FieldError[] {
  const { apiGroup, kind, name } = roleRef;
  if (apiGroup === old.apiGroup && kind === old.kind && name === old.name) return [];
  const shown = goStruct('rbac.RoleRef', [
    ['APIGroup', apiGroup],
    ['Kind', kind],
    ['Name', name],
  ]);
  return [invalid(ROLE_REF, shown, 'cannot change roleRef')];
}
