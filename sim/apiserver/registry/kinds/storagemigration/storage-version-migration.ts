/** StorageVersionMigration: that all objects of a resource are to be stored anew, and how far that is. */
import type { GoSyntax } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type {
  GroupVersionResource,
  MigrationCondition,
  StorageVersionMigration,
} from '../../../../api/types/storagemigration-k8s-io-v1alpha1.ts';
import { immutable } from '../../../../api/validation/field-checks.ts';
import { invalid, required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { defineKind } from '../../define-kind.ts';
import { BARE_STATUS_RULES, keepMember } from '../../generic-strategy.ts';
import { conditionsErrors } from '../conditions.ts';
import { goMemberValue } from '../go-value.ts';
import { resourceVersionErrors } from './resource-version.ts';

const GROUP = 'storagemigration.k8s.io';
const RESOURCE = FieldPath.of('spec', 'resource');
const CONDITIONS = FieldPath.of('status', 'conditions');
const RESOURCE_VERSION = FieldPath.of('status', 'resourceVersion');
const NAMES = ['group', 'version', 'resource'] as const;

export const storageVersionMigrationKind = defineKind<StorageVersionMigration>({
  group: GROUP,
  resource: 'storageversionmigrations',
  strategy: {
    prepareForCreate: (draft) => {
      delete draft.status;
    },
    prepareForUpdate: (draft, old) => keepMember(draft, old, 'status'),
    resetFields: [['status']],
    nameCheck: nameIsDnsSubdomain,
    requiresVersionOnUpdate: true,
    validate: ({ spec, apiVersion }) => resourceErrors(spec?.resource ?? {}, apiVersion),
    metadataChecks: ['object', 'rules', 'change', 'update'],
    validateUpdate: ({ spec }, old) => changeErrors(spec?.resource ?? {}, old.spec?.resource ?? {}),
    tableRow: ({ metadata, spec }) => ({ cells: [metadata.name, resourceName(spec?.resource ?? {})] }),
    subresources: {
      status: { ...BARE_STATUS_RULES, metadataChecks: ['change', 'update'], validateUpdate: statusErrors },
    },
  },
});

const resourceName = ({ group = '', version = '', resource = '' }: GroupVersionResource): string =>
  [resource, version, group].join('.');

/** Later versions know no version of the resource. */
const resourceErrors = (
  { resource, version }: GroupVersionResource,
  apiVersion: string,
): readonly FieldError[] => [
  ...(resource ? [] : [required(RESOURCE.child('resource'), 'resource is required')]),
  ...(version || !apiVersion.endsWith('/v1alpha1')
    ? []
    : [required(RESOURCE.child('version'), 'version is required')]),
];

/** The real server leaves out where they are. */
const changeErrors = (now: GroupVersionResource, old: GroupVersionResource): readonly FieldError[] =>
  NAMES.flatMap((name) =>
    immutable((now[name] ?? '') === (old[name] ?? ''), now[name] ?? '', FieldPath.of(name)),
  );

type Conditions = readonly MigrationCondition[];

function statusErrors(
  { status }: StorageVersionMigration,
  old: StorageVersionMigration,
): readonly FieldError[] {
  const conditions = status?.conditions ?? [];
  const version = status?.resourceVersion ?? '';
  const before = old.status?.resourceVersion ?? '';
  return [
    ...resourceVersionErrors(version, RESOURCE_VERSION),
    ...conditionsErrors(conditions.map(asUsual), CONDITIONS),
    ...(before === '' || version === before
      ? []
      : [invalid(RESOURCE_VERSION, version, 'resourceVersion cannot be updated')]),
    ...outcomeErrors(status?.conditions, old.status?.conditions ?? []),
  ];
}

/** Later versions say `lastTransitionTime` themselves. */
const asUsual = ({ type, status, lastUpdateTime, reason, message, ...later }: MigrationCondition) => ({
  ...later,
  type: type ?? '',
  status: status ?? '',
  reason: reason ?? '',
  message: message ?? '',
  ...(lastUpdateTime && { lastTransitionTime: lastUpdateTime }),
});

function outcomeErrors(conditions: Conditions | undefined, old: Conditions): readonly FieldError[] {
  const isTrue = (type: string, among: Conditions = conditions ?? []): boolean =>
    among.some((condition) => condition.type === type && condition.status === 'True');
  const [succeeded, failed, running] = [isTrue('Succeeded'), isTrue('Failed'), isTrue('Running')];
  const problems = [
    succeeded && failed && 'Both success and failed conditions cannot be true at the same time',
    running && succeeded && 'Running condition cannot be true when success condition is true',
    running && failed && 'Running condition cannot be true when failed condition is true',
    isTrue('Succeeded', old) && !succeeded && 'Success condition cannot be set to false once it is true',
    isTrue('Failed', old) && !failed && 'Failed condition cannot be set to false once it is true',
  ];
  const shown = (): GoSyntax =>
    goMemberValue(`${GROUP}/v1alpha1.StorageVersionMigrationStatus`, 'conditions', conditions);
  return problems.flatMap((problem) => (problem ? [invalid(CONDITIONS, shown(), problem)] : []));
}
