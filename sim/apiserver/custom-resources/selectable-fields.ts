/** Fields of custom resources that field selectors may name. */
import type { FieldError } from '../../api/status.ts';
import type { SelectableField } from '../../api/types/apiextensions-k8s-io-v1.ts';
import { duplicate, invalid, required, tooMany } from '../../api/validation/field-error.ts';
import type { FieldPath } from '../../api/validation/field-path.ts';
import { additionalOf, type JSONSchemaProps, propertyOf } from './json-schema.ts';

const MOST = 8;
const SCALARS = ['string', 'boolean', 'integer'];
const WRONG_TYPE =
  'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';

export function selectableFieldErrors(
  fields: readonly SelectableField[],
  schema: JSONSchemaProps | undefined,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, { jsonPath }] of fields.entries()) {
    const at = path.index(index).child('jsonPath');
    if (!jsonPath) {
      errors.push(required(at));
      continue;
    }
    const problem = problemOf(jsonPath, schema);
    if (problem) errors.push(invalid(at, jsonPath, problem));
    // A path that leads nowhere is not remembered.
    if (problem && problem !== WRONG_TYPE) continue;
    if (seen.has(jsonPath)) errors.push(duplicate(at, jsonPath));
    seen.add(jsonPath);
  }
  if (seen.size > MOST) errors.push(tooMany(path, seen.size, MOST));
  return errors;
}

function problemOf(jsonPath: string, schema: JSONSchemaProps | undefined): string | undefined {
  if (!jsonPath.startsWith('.')) {
    return `is an invalid path: expected [ or . but got: ${/^[^.[]+/.exec(jsonPath)?.[0] ?? jsonPath}`;
  }
  let current = schema;
  const steps = jsonPath.slice(1).split('.');
  for (const [depth, step] of steps.entries()) {
    const [name = ''] = step.split('[', 1);
    if (step === '' && depth === steps.length - 1) return 'is an invalid path: unexpected end of JSON path';
    current = current && !(depth === 0 && name === 'metadata') ? memberOf(current, name) : undefined;
    if (!current) return 'is an invalid path: does not refer to a valid field';
    if (name !== step) return 'is an invalid path: array notation is not allowed';
  }
  return SCALARS.includes(current?.type ?? '') ? undefined : WRONG_TYPE;
}

/** What is declared of a member, or of all that are not; of any value at all nothing is known. */
function memberOf(schema: JSONSchemaProps, name: string): JSONSchemaProps | undefined {
  const additional = additionalOf(schema);
  return propertyOf(schema, name) ?? (additional === true ? {} : additional);
}
