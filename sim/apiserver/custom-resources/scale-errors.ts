/** What the fields that the scale subresource speaks of may hold, whatever their schema says. */
import { goPlain } from '../../api/go-text.ts';
import type { Json } from '../../api/object.ts';
import type { FieldError } from '../../api/status.ts';
import type { CustomResourceSubresourceScale } from '../../api/types/apiextensions-k8s-io-v1.ts';
import { invalid } from '../../api/validation/field-error.ts';
import { FieldPath } from '../../api/validation/field-path.ts';
import { goType } from './go-type.ts';
import { isMap } from './json-schema.ts';

const MOST = 2_147_483_647;

export const specScaleErrors = (
  { specReplicasPath }: CustomResourceSubresourceScale,
  object: unknown,
): readonly FieldError[] => countErrors(specReplicasPath, object);

export function statusScaleErrors(
  { statusReplicasPath, labelSelectorPath }: CustomResourceSubresourceScale,
  object: unknown,
): readonly FieldError[] {
  const errors = [...countErrors(statusReplicasPath, object)];
  if (labelSelectorPath === undefined) return errors;
  const found = follow(object, labelSelectorPath);
  const problem = 'problem' in found ? found.problem : typeProblem(found, labelSelectorPath, 'string');
  if (problem !== undefined) errors.push(invalid(FieldPath.of(labelSelectorPath), '', problem));
  return errors;
}

function countErrors(path: string, object: unknown): readonly FieldError[] {
  const at = FieldPath.of(path);
  const found = follow(object, path);
  const problem = 'problem' in found ? found.problem : typeProblem(found, path, 'int64');
  if (problem !== undefined) return [invalid(at, 0, problem)];
  const count = 'value' in found ? (found.value as number | bigint) : 0;
  if (count < 0) return [invalid(at, Number(count), 'should be a non-negative integer')];
  return count > MOST ? [invalid(at, Number(count), `should be less than or equal to ${MOST}`)] : [];
}

type Found = { readonly value: unknown } | { readonly missing: true };

/** By names and dots alone: brackets mean nothing. */
function follow(object: unknown, path: string): Found | { readonly problem: string } {
  const names = path.replace(/^\./, '').split('.');
  let value = object;
  for (const [index, name] of names.entries()) {
    if (value === undefined || value === null) return { missing: true };
    if (!isMap(value))
      return { problem: accessorProblem(value, names.slice(0, index + 1), 'map[string]interface{}') };
    if (!Object.hasOwn(value, name) || value[name] === undefined) return { missing: true };
    value = value[name];
  }
  return { value };
}

function typeProblem(found: Found, path: string, wanted: 'int64' | 'string'): string | undefined {
  return 'missing' in found || goType(found.value) === wanted
    ? undefined
    : accessorProblem(found.value, path.replace(/^\./, '').split('.'), wanted);
}

const accessorProblem = (value: unknown, names: readonly string[], wanted: string): string =>
  `.${names.join('.')} accessor error: ${goPlain(value as Json)} is of the type ${goType(value)}, expected ${wanted}`;
