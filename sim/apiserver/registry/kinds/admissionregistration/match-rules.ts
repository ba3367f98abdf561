/** Rules by which webhooks and policies choose requests. */
import { goStringSlice } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { RuleWithOperations } from '../../../../api/types/admissionregistration-k8s-io-v1.ts';
import { oneOf } from '../../../../api/validation/field-checks.ts';
import { invalid, required } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SCOPES = ['*', 'Cluster', 'Namespaced'];

export function matchRuleErrors(rule: RuleWithOperations, path: FieldPath): FieldError[] {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  return [
    ...operationsErrors(operations, path.child('operations')),
    ...groupsErrors(apiGroups, path.child('apiGroups')),
    ...versionsErrors(apiVersions, path.child('apiVersions')),
    ...resourcesErrors(resources, path.child('resources')),
    ...(scope === undefined ? [] : oneOf(scope, SCOPES, path.child('scope'))),
  ];
}

function operationsErrors(operations: readonly string[], path: FieldPath): FieldError[] {
  if (operations.length === 0) return [required(path)];
  const errors: FieldError[] = [];
  if (operations.length > 1 && operations.includes('*')) {
    const shown = goStringSlice(operations, 'admissionregistration.OperationType');
    errors.push(invalid(path, shown, "if '*' is present, must not specify other operations"));
  }
  return [...errors, ...operations.flatMap((operation, at) => oneOf(operation, OPERATIONS, path.index(at)))];
}

function groupsErrors(groups: readonly string[], path: FieldPath): FieldError[] {
  if (groups.length === 0) return [required(path)];
  if (groups.length === 1 || !groups.includes('*')) return [];
  return [invalid(path, goStringSlice(groups), "if '*' is present, must not specify other API groups")];
}

function versionsErrors(versions: readonly string[], path: FieldPath): FieldError[] {
  if (versions.length === 0) return [required(path)];
  const errors: FieldError[] = [];
  if (versions.length > 1 && versions.includes('*')) {
    errors.push(
      invalid(path, goStringSlice(versions), "if '*' is present, must not specify other API versions"),
    );
  }
  for (const [at, version] of versions.entries()) if (version === '') errors.push(required(path.index(at)));
  return errors;
}

// All resources, all subresources of one, and one subresource of all cover what others name.
function resourcesErrors(resources: readonly string[], path: FieldPath): FieldError[] {
  if (resources.length === 0) return [required(path)];
  const errors: FieldError[] = [];
  const whole = new Set<string>();
  const subresources = new Set<string>();
  for (const [at, text] of resources.entries()) {
    if (text === '') {
      errors.push(required(path.index(at)));
      continue;
    }
    const [resource = '', subresource] = text.split('/', 2);
    if (subresource === undefined) continue;
    const isCovered = whole.has(resource) || subresources.has(subresource);
    if (isCovered)
      errors.push(
        invalid(
          path.index(at),
          text,
          `if '${whole.has(resource) ? `${resource}/*` : `*/${subresource}`}' is present, must not specify ${text}`,
        ),
      );
    if (subresource === '*') whole.add(resource);
    if (resource === '*') subresources.add(subresource);
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(
      invalid(path, goStringSlice(resources), "if '*/*' is present, must not specify other resources"),
    );
  }
  // Only the last one without a subresource is looked at.
  const last = resources.findLast((text) => text !== '' && !text.includes('/'));
  if (resources.includes('*') && last !== '*') {
    errors.push(
      invalid(
        path,
        goStringSlice(resources),
        "if '*' is present, must not specify other resources without subresources",
      ),
    );
  }
  return errors;
}
