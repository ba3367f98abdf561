/** What a CustomResourceDefinition may say. */
import { goStringSlice } from '../../api/go-text.ts';
import type { FieldError } from '../../api/status.ts';
import type { CustomResourceDefinition } from '../../api/types/apiextensions-k8s-io-v1.ts';
import { invalid } from '../../api/validation/field-error.ts';
import { FieldPath } from '../../api/validation/field-path.ts';

export function definitionErrors(_object: CustomResourceDefinition): readonly FieldError[] {
  return [];
}

export function definitionUpdateErrors(
  object: CustomResourceDefinition,
  _old: CustomResourceDefinition,
): readonly FieldError[] {
  return definitionErrors(object);
}

/** The versions in which objects may be stored have to be declared. */
export function storedVersionErrors({ spec, status }: CustomResourceDefinition): readonly FieldError[] {
  const versions = status?.storedVersions ?? [];
  const path = FieldPath.of('status', 'storedVersions');
  if (versions.length === 0)
    return [invalid(path, goStringSlice(undefined), 'must have at least one stored version')];
  const storage = spec.versions.find((version) => version.storage)?.name ?? '';
  if (!versions.includes(storage))
    return [invalid(path, goStringSlice(versions), `must have the storage version ${storage}`)];
  return [];
}
