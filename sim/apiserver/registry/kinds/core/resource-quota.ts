/** ResourceQuota: what a namespace may use in all; what it does use is its status. */
import type { FieldError } from '../../../../api/status.ts';
import { parseQuantity, scaledValue } from '../../../../api/quantity.ts';
import { GoSyntax, goQuote } from '../../../../api/go-text.ts';
import type { ResourceQuota, ScopedResourceSelectorRequirement } from '../../../../api/types/core-v1.ts';
import { isNegativeQuantity } from '../../../../api/validation/field-checks.ts';
import { invalid, notSupported, required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { keepMember, STATUS_RULES } from '../../generic-strategy.ts';
import { defineKind } from '../../define-kind.ts';
import { isExtended } from '../../../../api/pod/resource-names.ts';
import { isCountedResource, quotaResourceNameErrors } from './resource-names.ts';

const SCOPES = [
  'BestEffort',
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'PriorityClass',
  'Terminating',
];
const OPERATORS = ['DoesNotExist', 'Exists', 'In', 'NotIn'];
const SPEC = FieldPath.of('spec');

export const resourceQuotaKind = defineKind<ResourceQuota>({
  resource: 'resourcequotas',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
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
    tableRow: ({ metadata, status }, { age }) => {
      const { hard = {}, used = {} } = status ?? {};
      const texts = { requests: '', limits: '' };
      for (const name of Object.keys(hard).sort()) {
        texts[name.startsWith('limits.') ? 'limits' : 'requests'] +=
          `${name}: ${used[name] ?? '0'}/${hard[name] ?? '0'}, `;
      }
      const cell = (text: string): string => text.replace(/, $/, '');
      return {
        cells: [metadata.name, age(metadata.creationTimestamp), cell(texts.requests), cell(texts.limits)],
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
    .flatMap((name) => {
      const amount = amounts[name] ?? '0';
      const field = path.key(name);
      const errors = quotaResourceNameErrors(name, field);
      if (isNegativeQuantity(amount))
        errors.push(invalid(field, amount, 'must be greater than or equal to 0'));
      else if (
        (isCountedResource(name) || isExtended(name)) &&
        scaledValue(parseQuantity(amount), -3) % 1000n !== 0n
      ) {
        errors.push(invalid(field, amount, 'must be an integer'));
      }
      return errors;
    });
}

const POD_RESOURCES: ReadonlySet<string> = new Set([
  'pods',
  ...['cpu', 'memory'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);

const fits = (scope: string, resource: string): boolean =>
  scope === 'BestEffort' ? resource === 'pods' : POD_RESOURCES.has(resource);

function scopeErrors({ spec }: ResourceQuota): FieldError[] {
  const scopes = spec?.scopes ?? [];
  const path = SPEC.child('scopes');
  const shown = scopesText(scopes);
  const errors: FieldError[] = [];
  for (const scope of scopes) {
    if (!SCOPES.includes(scope)) errors.push(invalid(path, shown, 'unsupported scope'));
    for (const resource of Object.keys(spec?.hard ?? {}).sort()) {
      if (SCOPES.includes(scope) && !fits(scope, resource)) {
        errors.push(invalid(path, shown, 'unsupported scope applied to resource'));
      }
    }
  }
  return [...errors, ...conflictErrors(scopes, path)];
}

const CONFLICTS = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;

const conflictErrors = (scopes: readonly string[], path: FieldPath): FieldError[] =>
  CONFLICTS.filter((pair) => pair.every((scope) => scopes.includes(scope))).map(() =>
    invalid(path, scopesText(scopes), 'conflicting scopes'),
  );

const scopesText = (scopes: readonly string[]): GoSyntax =>
  new GoSyntax(`[]core.ResourceQuotaScope{${scopes.map(goQuote).join(', ')}}`);

function scopeSelectorErrors({ spec }: ResourceQuota): FieldError[] {
  const requirements = spec?.scopeSelector?.matchExpressions ?? [];
  const path = SPEC.child('scopeSelector', 'matchExpressions');
  return requirements.flatMap((requirement) => requirementErrors(requirement, spec?.hard ?? {}, path));
}

function requirementErrors(
  { scopeName, operator, values = [] }: ScopedResourceSelectorRequirement,
  hard: Readonly<Record<string, string>>,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (!SCOPES.includes(scopeName))
    errors.push(invalid(path.child('scopeName'), scopeName, 'unsupported scope'));
  else {
    for (const resource of Object.keys(hard).sort()) {
      if (!fits(scopeName, resource))
        errors.push(
          invalid(
            path,
            requirementText({ scopeName, operator, values }),
            'unsupported scope applied to resource',
          ),
        );
    }
  }
  if (!OPERATORS.includes(operator)) errors.push(notSupported(path.child('operator'), operator, OPERATORS));
  const needsValues = operator === 'In' || operator === 'NotIn';
  if (needsValues && values.length === 0)
    errors.push(
      required(
        path.child('values'),
        "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
      ),
    );
  if (!needsValues && values.length > 0) {
    errors.push(
      invalid(
        path.child('values'),
        new GoSyntax(`[]string{${values.map(goQuote).join(', ')}}`),
        "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
      ),
    );
  }
  return errors;
}

const requirementText = ({ scopeName, operator, values = [] }: ScopedResourceSelectorRequirement): GoSyntax =>
  new GoSyntax(
    `core.ScopedResourceSelectorRequirement{ScopeName:${goQuote(scopeName)}, Operator:${goQuote(operator)}, Values:[]string{${values.map(goQuote).join(', ')}}}`,
  );

function scopeChangeErrors(object: ResourceQuota, old: ResourceQuota): FieldError[] {
  const [now, before] = [object.spec?.scopes ?? [], old.spec?.scopes ?? []].map((scopes) =>
    [...scopes].sort(),
  );
  if (now?.join() === before?.join()) return [];
  return [invalid(SPEC.child('scopes'), scopesText(object.spec?.scopes ?? []), 'field is immutable')];
}
