/** VolumeAttributesClass: what of a volume may change while it is used; the class itself never does. */
import type { FieldError } from '../../../../api/status.ts';
import type { VolumeAttributesClass } from '../../../../api/types/storage-k8s-io-v1beta1.ts';
import { forbidden, invalid, required } from '../../../../api/validation/field-error.ts';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { nameIsDnsSubdomain, qualifiedName } from '../../../../api/validation/names.ts';
import { isEqualJson } from '../../../verbs/equal-json.ts';
import { defineKind } from '../../define-kind.ts';

export const volumeAttributesClassKind = defineKind<VolumeAttributesClass>({
  group: 'storage.k8s.io',
  resource: 'volumeattributesclasses',
  strategy: {
    nameCheck: nameIsDnsSubdomain,
    returnsDeletedObject: true,
    validate: classErrors,
    validateUpdate: (object, old) => [
      ...classErrors(object),
      ...(['driverName', 'parameters'] as const)
        .filter((member) => !isEqualJson(object[member], old[member]))
        .map((member) => forbidden(FieldPath.of(member), `updates to ${member} are forbidden.`)),
    ],
    tableRow: ({ metadata, driverName }, { age }) => ({
      cells: [metadata.name, driverName, age(metadata.creationTimestamp)],
    }),
  },
});

function classErrors({ driverName, parameters }: VolumeAttributesClass): FieldError[] {
  const errors: FieldError[] = [];
  const path = FieldPath.of('driverName');
  if (!driverName) errors.push(required(path));
  else
    for (const finding of qualifiedName(driverName.toLowerCase()))
      errors.push(invalid(path, driverName, finding));
  if (Object.keys(parameters ?? {}).length === 0)
    errors.push(required(FieldPath.of('parameters'), 'must contain at least one key/value pair'));
  else if (parameters && '' in parameters)
    errors.push(invalid(FieldPath.of('parameters'), '', 'field can not be empty.'));
  return errors;
}
