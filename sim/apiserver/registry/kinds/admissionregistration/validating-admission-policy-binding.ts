/** ValidatingAdmissionPolicyBinding: where a policy holds, with which parameters, and what a failure does. */
import { append } from '../../../../api/append.ts';
import { goStringSlice } from '../../../../api/go-text.ts';
import { selectorText } from '../../../../api/selector/selector-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type {
  ParamRef,
  ValidatingAdmissionPolicyBinding,
} from '../../../../api/types/admissionregistration-k8s-io-v1.ts';
import { checkedBy, oneOf, repeatedAt } from '../../../../api/validation/field-checks.ts';
import {
  duplicate,
  forbidden,
  invalid,
  required,
  since,
  until,
} from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { validateLabelSelector } from '../../../../api/validation/labels.ts';
import { dns1123Subdomain, nameIsDnsSubdomain, pathSegmentName } from '../../../../api/validation/names.ts';
import { raiseGeneration } from '../../generic-strategy.ts';
import { defineKind } from '../../define-kind.ts';
import { matchResourcesErrors } from './match-resources.ts';
import { matchResourcesDefaults } from './validating-admission-policy.ts';

const SPEC = FieldPath.of('spec');

export const validatingAdmissionPolicyBindingKind = defineKind<ValidatingAdmissionPolicyBinding>({
  group: 'admissionregistration.k8s.io',
  resource: 'validatingadmissionpolicybindings',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    metadataChecks: ['object'],
    hasFreeFinalizers: true,
    requiresVersionOnUpdate: true,
    defaults: ({ spec }) => {
      if (spec?.matchResources) matchResourcesDefaults(spec.matchResources);
    },
    prepareForCreate: (draft) => {
      draft.metadata.generation = 1;
    },
    validate: specErrors,
    prepareForUpdate: (draft, old) => raiseGeneration(draft, old, ['spec']),
    validateUpdate: specErrors,
    tableRow: ({ metadata, spec = {} }, { age }) => ({
      cells: [
        metadata.name,
        spec.policyName ?? '',
        paramText(spec.paramRef),
        age(metadata.creationTimestamp),
      ],
    }),
  },
});

function paramText(ref: ParamRef | undefined): string {
  if (!ref) return '<unset>';
  if (ref.selector) return selectorText(ref.selector);
  return ref.namespace ? `${ref.namespace}/${ref.name ?? ''}` : `*/${ref.name ?? ''}`;
}

function specErrors({ spec = {} }: ValidatingAdmissionPolicyBinding): FieldError[] {
  const { policyName, paramRef, matchResources, validationActions = [] } = spec;
  const errors: FieldError[] = policyName
    ? [...checkedBy(dns1123Subdomain, policyName, SPEC.child('policyName'))]
    : [required(SPEC.child('policyName'))];
  if (paramRef) append(errors, paramErrors(paramRef, SPEC.child('paramRef')));
  // The server's own spelling of the field.
  if (matchResources) {
    // Misspelt for years.
    append(errors, until('1.34', matchResourcesErrors(matchResources, SPEC.child('matchResouces'))));
    append(errors, since('1.34', matchResourcesErrors(matchResources, SPEC.child('matchResources'))));
  }
  return [...errors, ...actionErrors(validationActions, SPEC.child('validationActions'))];
}

function paramErrors({ name, selector, parameterNotFoundAction }: ParamRef, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const exclusive = (member: string): readonly FieldError[] =>
    name && selector ? [forbidden(path.child(member), 'name and selector are mutually exclusive')] : [];
  if (name) append(errors, [...checkedBy(pathSegmentName, name, path.child('name')), ...exclusive('name')]);
  if (selector)
    append(errors, [...validateLabelSelector(selector, path.child('selector')), ...exclusive('selector')]);
  if (!name && !selector) errors.push(required(path, 'one of name or selector must be specified'));
  const field = path.child('parameterNotFoundAction');
  if (!parameterNotFoundAction) errors.push(required(field));
  else append(errors, oneOf(parameterNotFoundAction, ['Deny', 'Allow'], field, { inOrder: true }));
  return errors;
}

function actionErrors(actions: readonly string[], path: FieldPath): FieldError[] {
  if (actions.length === 0) return [required(path, 'at least one validation action is required')];
  const repeated = repeatedAt(actions);
  const errors = actions.flatMap((action, at): readonly FieldError[] => [
    ...oneOf(action, ['Audit', 'Deny', 'Warn'], path.index(at)),
    ...(repeated.has(at) ? [duplicate(path.index(at), action)] : []),
  ]);
  if (!actions.includes('Deny') || !actions.includes('Warn')) return errors;
  const shown = goStringSlice(actions, 'admissionregistration.ValidationAction');
  const why =
    'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
  return [...errors, invalid(path, shown, why)];
}
