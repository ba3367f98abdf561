/** Names of CSI drivers. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import { invalid, required, tooLong, until } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { dns1123Subdomain } from '../../../../api/validation/names.ts';

const MAX_BYTES = 63;

export function driverNameErrors(name: string, path: FieldPath): FieldError[] {
  if (name === '') return [required(path), ...until('1.35', misspeltErrors(name, path))];
  const errors: FieldError[] = [];
  if (name.length > MAX_BYTES) errors.push(tooLong(path, MAX_BYTES));
  append(errors, misspeltErrors(name, path));
  return errors;
}

const misspeltErrors = (name: string, path: FieldPath): readonly FieldError[] =>
  dns1123Subdomain(name.toLowerCase()).map((finding) => invalid(path, name, finding));
