/** Names of CSI drivers. */
import type { FieldError } from '../../../../api/status.ts';
import { invalid, required, tooLong } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { dns1123Subdomain } from '../../../../api/validation/names.ts';

const MAX_BYTES = 63;

export function driverNameErrors(name: string, path: FieldPath): FieldError[] {
  const errors: FieldError[] = name === '' ? [required(path)] : [];
  if (name.length > MAX_BYTES) errors.push(tooLong(path, MAX_BYTES));
  for (const finding of dns1123Subdomain(name.toLowerCase())) errors.push(invalid(path, name, finding));
  return errors;
}
