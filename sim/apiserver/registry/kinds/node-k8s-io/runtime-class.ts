/** RuntimeClass: how the containers of a pod are run; the handler never changes. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { Toleration } from '../../../../api/types/core-v1.ts';
import type { RuntimeClass } from '../../../../api/types/node-k8s-io-v1.ts';
import { checkedBy, immutable, repeatedAt } from '../../../../api/validation/field-checks.ts';
import { duplicate, required, since, until } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { validateLabels } from '../../../../api/validation/labels.ts';
import { dns1123Label, nameIsDnsSubdomain } from '../../../../api/validation/names.ts';
import { defineKind } from '../../define-kind.ts';
import { goValue } from '../go-value.ts';
import { validateResources } from '../pod-spec/validate-resources.ts';
import { validateTolerations } from '../pod-spec/validate-scheduling.ts';
import { nodeLabelWarning } from '../core/node-label-deprecation.ts';

export const runtimeClassKind = defineKind<RuntimeClass>({
  group: 'node.k8s.io',
  resource: 'runtimeclasses',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    metadataChecks: ['object', 'rules', 'change'],
    hasFreeFinalizers: true,
    allowsCreateOnUpdate: true,
    requiresVersionOnUpdate: true,
    validate: runtimeClassErrors,
    validateUpdate: (object, old) =>
      immutable(object.handler === old.handler, object.handler, FieldPath.of('handler')),
    warningsOnCreate: warnings,
    warningsOnUpdate: warnings,
    tableRow: ({ metadata, handler }, { age }) => ({
      cells: [metadata.name, handler, age(metadata.creationTimestamp)],
    }),
  },
});

function warnings({ scheduling }: RuntimeClass): string[] {
  return Object.keys(scheduling?.nodeSelector ?? {})
    .sort()
    .flatMap((key) => nodeLabelWarning('scheduling.nodeSelector', key));
}

/** For how long does not count. */
const meaningOf = ({ key = '', operator = '', value = '', effect = '' }: Toleration): string =>
  JSON.stringify([key, operator, value, effect]);

function runtimeClassErrors({ handler, scheduling, overhead }: RuntimeClass): FieldError[] {
  const errors: FieldError[] = [...handlerErrors(handler, FieldPath.of('handler'))];
  if (overhead)
    append(errors, validateResources({ limits: overhead.podFixed ?? {} }, FieldPath.of('overhead')));
  if (!scheduling) return errors;
  const path = FieldPath.of('scheduling');
  append(errors, validateLabels(scheduling.nodeSelector, path.child('nodeSelector')));
  const tolerations = scheduling.tolerations ?? [];
  append(errors, until('1.35', validateTolerations(tolerations, path.child('tolerations', 'tolerations'))));
  append(errors, since('1.35', validateTolerations(tolerations, path.child('tolerations'))));
  for (const at of repeatedAt(tolerations.map(meaningOf)))
    errors.push(duplicate(path.child('tolerations').index(at), goValue('v1.Toleration', tolerations[at])));
  return errors;
}

function handlerErrors(handler: string, path: FieldPath): readonly FieldError[] {
  const misspelt = checkedBy(dns1123Label, handler, path);
  return handler ? misspelt : [...until('1.36', misspelt), ...since('1.36', [required(path)])];
}
