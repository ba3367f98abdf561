/** Names of signers: who signs requests, or stands for what is trusted. */
import { append } from '../../../../api/append.ts';
import { goLength } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import { invalid, required, tooLong } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { dns1123Label, dns1123Subdomain } from '../../../../api/validation/names.ts';

const labelErrors = (
  part: string,
  check: (label: string) => readonly string[],
  path: FieldPath,
): FieldError[] =>
  part
    .split('.')
    .flatMap((label) =>
      check(label).map((finding) =>
        invalid(path, part, `validating label ${JSON.stringify(label)}: ${finding}`),
      ),
    );

/** A domain, a slash, a subdomain and as much as a label more. */
const LONGEST_DOMAIN = 253;
const LONGEST_NAME = LONGEST_DOMAIN + 1 + 253 + 1 + 63;

export function signerNameErrors(name: string, path: FieldPath): FieldError[] {
  if (!name) return [required(path)];
  const parts = name.split('/');
  const [domain = '', rest = ''] = parts;
  if (parts.length !== 2)
    return [
      invalid(path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'"),
    ];
  const errors = goLength(domain) > LONGEST_DOMAIN ? [tooLong(path, LONGEST_DOMAIN)] : [];
  append(errors, labelErrors(domain, dns1123Label, path));
  if (!domain.includes('.'))
    errors.push(invalid(path, domain, 'should be a domain with at least two segments separated by dots'));
  append(errors, labelErrors(rest, dns1123Subdomain, path));
  return goLength(name) > LONGEST_NAME ? [...errors, tooLong(path, LONGEST_NAME)] : errors;
}
