/** ResourceQuota: what a namespace may use in all; what it does use is its status. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import { type GoSyntax, goStringSlice } from '../../../../api/go-text.ts';
import type { ResourceQuota, ScopedResourceSelectorRequirement } from '../../../../api/types/core-v1.ts';
import { invalid, required, since, until } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { keepMember, STATUS_RULES } from '../../generic-strategy.ts';
import { defineKind } from '../../define-kind.ts';
import { goValue } from '../go-value.ts';
import { roundAll } from '../pod-spec/quantities.ts';
import { validateResourceAmount } from '../pod-spec/validate-resources.ts';
import { isQuotaResource, quotaResourceNameErrors } from './resource-names.ts';

const SCOPES = [
  'BestEffort',
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'PriorityClass',
  'Terminating',
];
const SPEC = FieldPath.of('spec');

export const resourceQuotaKind = defineKind<ResourceQuota>({
  resource: 'resourcequotas',
  strategy: {
    tellingEmptyLists: [['spec', 'scopes']],
    nameCheck: nameIsDnsSubdomain,
    defaults: ({ spec, status }) => roundAll(spec?.hard, status?.hard, status?.used),
    prepareForCreate: (draft) => {
      draft.status = {};
    },
    validate: specErrors,
    prepareForUpdate: (draft, old) => keepMember(draft, old, 'status'),
    validateUpdate: (object, old) => [...specErrors(object), ...scopeChangeErrors(object, old)],
    resetFields: [['status']],
    returnsDeletedObject: true,
    subresources: {
      status: {
        ...STATUS_RULES,
        validateUpdate: ({ status }) => [
          ...(['hard', 'used'] as const).flatMap((member) =>
            amountsErrors(status?.[member], FieldPath.of('status', member)),
          ),
        ],
      },
    },
    tableRow: ({ metadata, status }, clock) => {
      const { hard = {}, used = {} } = status ?? {};
      const texts = { requests: '', limits: '' };
      for (const name of Object.keys(hard).sort()) {
        texts[name.startsWith('limits.') ? 'limits' : 'requests'] +=
          `${name}: ${used[name] ?? '0'}/${hard[name] ?? '0'}, `;
      }
      const cell = (text: string): string => text.replace(/, $/, '');
      const amounts = [cell(texts.requests), cell(texts.limits)];
      const age = clock.age(metadata.creationTimestamp);
      return {
        cells: clock.isReleasedBy('1.33')
          ? [metadata.name, ...amounts, age]
          : [metadata.name, age, ...amounts],
      };
    },
  },
});

function specErrors(object: ResourceQuota): FieldError[] {
  return [
    ...amountsErrors(object.spec?.hard, SPEC.child('hard')),
    ...scopeErrors(object),
    ...scopeSelectorErrors(object),
  ];
}

function amountsErrors(amounts: Readonly<Record<string, string>> = {}, path: FieldPath): FieldError[] {
  return Object.keys(amounts)
    .sort()
    .flatMap((name) => [
      ...quotaResourceNameErrors(name, path.key(name)),
      ...validateResourceAmount(name, amounts[name] ?? '0', path.key(name)),
    ]);
}

const POD_RESOURCES: ReadonlySet<string> = new Set([
  'pods',
  ...['cpu', 'memory'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);

/** Resources that quotas know by name; of others every scope may be asked. */
const misfits = (scope: string, hard: Readonly<Record<string, string>> = {}): readonly string[] =>
  SCOPES.includes(scope)
    ? Object.keys(hard).filter((name) => isQuotaResource(name) && !fits(scope, name))
    : [];

const fits = (scope: string, resource: string): boolean =>
  scope === 'BestEffort' ? resource === 'pods' : POD_RESOURCES.has(resource);

function scopeErrors({ spec }: ResourceQuota): FieldError[] {
  const scopes = spec?.scopes ?? [];
  const path = SPEC.child('scopes');
  const shown = scopesText(scopes);
  const errors = scopes.flatMap((scope) => [
    ...(SCOPES.includes(scope) ? [] : [invalid(path, shown, 'unsupported scope')]),
    ...misfits(scope, spec?.hard).map(() => invalid(path, shown, 'unsupported scope applied to resource')),
  ]);
  return [...errors, ...conflictErrors(scopes, path, shown)];
}

const CONFLICTS = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;

const conflictErrors = (scopes: readonly string[], path: FieldPath, shown: GoSyntax): FieldError[] =>
  CONFLICTS.filter((pair) => pair.every((scope) => scopes.includes(scope))).map(() =>
    invalid(path, shown, 'conflicting scopes'),
  );

const scopesText = (scopes: readonly string[] | undefined): GoSyntax =>
  goStringSlice(scopes, 'core.ResourceQuotaScope');

function scopeSelectorErrors({ spec }: ResourceQuota): FieldError[] {
  const requirements = spec?.scopeSelector?.matchExpressions ?? [];
  const path = SPEC.child('scopeSelector', 'matchExpressions');
  const shown = goValue('v1.ScopeSelector', spec?.scopeSelector);
  const errors = requirements.flatMap((requirement) => [
    ...(SCOPES.includes(requirement.scopeName)
      ? []
      : [invalid(path.child('scopeName'), requirement.scopeName, 'unsupported scope')]),
    ...misfits(requirement.scopeName, spec?.hard).map(() =>
      invalid(path, shown, 'unsupported scope applied to resource'),
    ),
    ...requirementErrors(requirement, path),
  ]);
  return [
    ...errors,
    ...conflictErrors(
      requirements.map(({ scopeName }) => scopeName),
      path,
      scopesText(spec?.scopes),
    ),
  ];
}

const ONLY_EXISTS =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

const ONLY_EXIST = ONLY_EXISTS.replace("'Exists'", "'Exist'");

function requirementErrors(
  { scopeName, operator, values }: ScopedResourceSelectorRequirement,
  path: FieldPath,
): FieldError[] {
  const own = path.child('operator');
  const given = values ?? [];
  const errors: FieldError[] = [];
  if (SCOPES.includes(scopeName) && scopeName !== 'PriorityClass' && operator !== 'Exists')
    append(errors, [
      ...until('1.30', [invalid(own, operator, ONLY_EXIST)]),
      ...since('1.30', [invalid(own, operator, ONLY_EXISTS)]),
    ]);
  switch (operator) {
    case 'In':
    case 'NotIn': {
      const why = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
      return given.length > 0 ? errors : [...errors, required(path.child('values'), why)];
    }
    case 'Exists':
    case 'DoesNotExist': {
      const why = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
      if (given.length === 0) return errors;
      return [...errors, invalid(path.child('values'), goStringSlice(given), why)];
    }
    default:
      return [...errors, invalid(own, operator, 'not a valid selector operator')];
  }
}

function scopeChangeErrors(object: ResourceQuota, old: ResourceQuota): FieldError[] {
  const [now, before] = [new Set(object.spec?.scopes), new Set(old.spec?.scopes)];
  if (now.size === before.size && [...now].every((scope) => before.has(scope))) return [];
  return [invalid(SPEC.child('scopes'), scopesText(object.spec?.scopes), 'field is immutable')];
}
