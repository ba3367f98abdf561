/** Names such as `acme.io/foo`: a domain, and a path that stands in URLs. */
import type { FieldError } from '../status.ts';
import { invalid, required } from './field-error.ts';
import type { FieldPath } from './field-path.ts';
import { dns1123Subdomain, regexFinding } from './names.ts';

const PATH = String.raw`[A-Za-z0-9/\-._~%!$&'()*+,;=:]+`;
const PATH_REGEX = new RegExp(`^${PATH}$`);

export function domainPrefixedPathErrors(text: string, path: FieldPath): readonly FieldError[] {
  if (text === '') return [required(path)];
  const slash = text.indexOf('/');
  if (slash <= 0 || slash === text.length - 1)
    return [invalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const [host, rest] = [text.slice(0, slash), text.slice(slash + 1)];
  return [
    ...dns1123Subdomain(host).map((finding) => invalid(path, host, finding)),
    ...(PATH_REGEX.test(rest) ? [] : [invalid(path, rest, regexFinding('Invalid path', PATH))]),
  ];
}
