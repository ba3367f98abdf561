/** IngressClass: which controller serves the ingresses of a class; the controller never changes. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type {
  IngressClass,
  IngressClassParametersReference,
} from '../../../../api/types/networking-k8s-io-v1.ts';
import { checkedBy, immutable, oneOf } from '../../../../api/validation/field-checks.ts';
import { forbidden, required, tooLong } from '../../../../api/validation/field-error.ts';
import { domainPrefixedPathErrors } from '../../../../api/validation/domain-prefixed-path.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import {
  dns1123Label,
  dns1123Subdomain,
  nameIsDnsSubdomain,
  pathSegmentName,
} from '../../../../api/validation/names.ts';
import { raiseGeneration } from '../../generic-strategy.ts';
import { defineKind } from '../../define-kind.ts';

const MAX_CONTROLLER_BYTES = 250;
const CONTROLLER = FieldPath.of('spec', 'controller');
const PARAMETERS = FieldPath.of('spec', 'parameters');

export const ingressClassKind = defineKind<IngressClass>({
  group: 'networking.k8s.io',
  resource: 'ingressclasses',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    metadataChecks: ['change', 'update', 'object', 'rules'],
    defaults: ({ spec }) => {
      if (spec?.parameters) spec.parameters.scope ??= 'Cluster';
    },
    prepareForCreate: (draft) => {
      draft.metadata.generation = 1;
    },
    validate: specErrors,
    prepareForUpdate: (draft, old) => raiseGeneration(draft, old, ['spec']),
    validateUpdate: (object, old) =>
      immutable(object.spec?.controller === old.spec?.controller, object.spec?.controller ?? '', CONTROLLER),
    tableRow: ({ metadata, spec = {} }, { age }) => ({
      cells: [
        metadata.name,
        spec.controller ?? '',
        parametersText(spec.parameters),
        age(metadata.creationTimestamp),
      ],
    }),
  },
});

function parametersText(parameters: IngressClassParametersReference | undefined): string {
  if (!parameters) return '<none>';
  const { apiGroup, kind, name } = parameters;
  return `${kind}${apiGroup ? `.${apiGroup}` : ''}/${name}`;
}

function specErrors({ spec = {} }: IngressClass): FieldError[] {
  const controller = spec.controller ?? '';
  const errors: FieldError[] = [];
  if (controller.length > MAX_CONTROLLER_BYTES) errors.push(tooLong(CONTROLLER, MAX_CONTROLLER_BYTES));
  append(errors, domainPrefixedPathErrors(controller, CONTROLLER));
  if (spec.parameters) append(errors, parametersErrors(spec.parameters));
  return errors;
}

function parametersErrors(parameters: IngressClassParametersReference): FieldError[] {
  const { apiGroup, kind, name, scope, namespace } = parameters;
  const errors: FieldError[] = [];
  if (apiGroup !== undefined)
    append(errors, checkedBy(dns1123Subdomain, apiGroup, PARAMETERS.child('apiGroup')));
  if (!kind) errors.push(required(PARAMETERS.child('kind'), 'kind is required'));
  else append(errors, checkedBy(pathSegmentName, kind, PARAMETERS.child('kind')));
  if (!name) errors.push(required(PARAMETERS.child('name'), 'name is required'));
  else append(errors, checkedBy(pathSegmentName, name, PARAMETERS.child('name')));
  if (scope === undefined) errors.push(required(PARAMETERS.child('scope')));
  else append(errors, oneOf(scope, ['Cluster', 'Namespace'], PARAMETERS.child('scope')));
  const field = PARAMETERS.child('namespace');
  if (scope === 'Namespace') {
    if (!namespace) errors.push(required(field, "`parameters.scope` is set to 'Namespace'"));
    else append(errors, checkedBy(dns1123Label, namespace, field));
  }
  if (scope === 'Cluster' && namespace !== undefined) {
    errors.push(forbidden(field, "`parameters.scope` is set to 'Cluster'"));
  }
  return errors;
}
