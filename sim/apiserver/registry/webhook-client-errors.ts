/** What a webhook's client configuration may not say, whoever calls the webhook: its URL, and the path on its service. */
import { parseUrl, UrlProblem } from '../../api/cel/library/url-text.ts';
import type { FieldError } from '../../api/status.ts';
import { invalid, required } from '../../api/validation/field-error.ts';
import type { FieldPath } from '../../api/validation/field-path.ts';
import { dns1123Subdomain } from '../../api/validation/names.ts';

/** The root may be asked for, and each step has to be a name. */
export function webhookRouteErrors(route: string, path: FieldPath): readonly FieldError[] {
  if (route === '' || route === '/') return [];
  if (route === '//') return [invalid(path, route, 'segment[0] may not be empty')];
  const errors = route.startsWith('/') ? [] : [invalid(path, route, "must start with a '/'")];
  const steps = route.slice(1).replace(/\/$/, '').split('/');
  for (const [at, step] of steps.entries()) {
    const findings =
      step === '' ? [' may not be empty'] : dns1123Subdomain(step).map((finding) => `: ${finding}`);
    for (const finding of findings) errors.push(invalid(path, route, `segment[${at}]${finding}`));
  }
  return errors;
}

const FORM = '; desired format: https://host[/path]';

export function webhookUrlErrors(url: string, path: FieldPath): readonly FieldError[] {
  const problem = problemOf(url);
  if (problem !== undefined) return [required(path, `url must be a valid URL: ${problem}${FORM}`)];
  const [, said = '', rest = ''] = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.*)$/s.exec(url) ?? [undefined, '', url];
  const scheme = said.toLowerCase();
  const errors: FieldError[] = [];
  if (scheme !== 'https') errors.push(invalid(path, scheme, `'https' is the only allowed URL scheme${FORM}`));
  const [, authority = '', tail = rest] = /^\/\/([^/?#]*)(.*)$/s.exec(rest) ?? [];
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  if (host === '') errors.push(invalid(path, host, `host must be specified${FORM}`));
  if (at >= 0)
    errors.push(invalid(path, authority.slice(0, at), 'user information is not permitted in the URL'));
  const [front = '', fragment = ''] = tail.split(/#(.*)/s, 2);
  if (fragment !== '') errors.push(invalid(path, fragment, 'fragments are not permitted in the URL'));
  const [, query = ''] = front.split(/\?(.*)/s, 2);
  if (query !== '') errors.push(invalid(path, query, 'query parameters are not permitted in the URL'));
  return errors;
}

function problemOf(url: string): string | undefined {
  try {
    parseUrl(url);
    return undefined;
  } catch (error) {
    if (error instanceof UrlProblem) return error.message;
    throw error;
  }
}
