/** What the configuration may say of an issuer. Messages are the real server's. */
import { parseUrl, UrlProblem } from '../../../api/cel/library/url-text.ts';
import { certificatesProblem } from '../../../api/certificates/certificates-problem.ts';
import type { FieldError } from '../../../api/status.ts';
import { duplicate, invalid, required } from '../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../api/validation/field-path.ts';
import type { Issuer } from './jwt-shapes.ts';

export function issuerErrors(issuer: Issuer, path: FieldPath): readonly FieldError[] {
  const { url = '', discoveryURL = '', certificateAuthority = '' } = issuer;
  return [
    ...(url === '' ? [required(path.child('url'), 'URL is required')] : urlErrors(url, path.child('url'))),
    ...(discoveryURL === '' ? [] : discoveryErrors(url, discoveryURL, path.child('discoveryURL'))),
    ...audienceErrors(issuer, path),
    ...(certificateAuthority === ''
      ? []
      : authorityErrors(certificateAuthority, path.child('certificateAuthority'))),
  ];
}

function discoveryErrors(url: string, discoveryURL: string, path: FieldPath): readonly FieldError[] {
  const bare = (text: string): string => text.replace(/\/+$/, '');
  const isSame = url !== '' && bare(url) === bare(discoveryURL);
  return [
    ...(isSame ? [invalid(path, discoveryURL, 'discoveryURL must be different from URL')] : []),
    ...urlErrors(discoveryURL, path),
  ];
}

function urlErrors(text: string, path: FieldPath): readonly FieldError[] {
  try {
    return parsedUrlErrors(text, path);
  } catch (error) {
    if (error instanceof UrlProblem) return [invalid(path, text, error.message)];
    throw error;
  }
}

function parsedUrlErrors(text: string, path: FieldPath): readonly FieldError[] {
  const { scheme, query } = parseUrl(text);
  const [, authority = ''] = /^[^/?#]*\/\/([^/?#]*)/.exec(text) ?? [];
  const hash = text.indexOf('#');
  const problems = [
    ...(scheme === 'https' ? [] : ['URL scheme must be https']),
    ...(authority.includes('@') ? ['URL must not contain a username or password'] : []),
    ...(query === '' ? [] : ['URL must not contain a query']),
    ...(hash < 0 || hash === text.length - 1 ? [] : ['URL must not contain a fragment']),
  ];
  return problems.map((problem) => invalid(path, text, problem));
}

const MATCH_ANY = 'MatchAny';

function audienceErrors(
  { audiences = [], audienceMatchPolicy: policy = '' }: Issuer,
  path: FieldPath,
): readonly FieldError[] {
  const own = path.child('audiences');
  if (audiences.length === 0) return [required(own, `at least one ${own.text} is required`)];
  const errors = audiences.flatMap((audience, index) => [
    ...(audience === '' ? [required(own.index(index), "audience can't be empty")] : []),
    ...(audiences.indexOf(audience) < index ? [duplicate(own.index(index), audience)] : []),
  ]);
  const wrong = (why: string): FieldError => invalid(path.child('audienceMatchPolicy'), policy, why);
  if (policy === MATCH_ANY) return errors;
  if (audiences.length > 1)
    return [...errors, wrong('audienceMatchPolicy must be MatchAny for multiple audiences')];
  return policy === ''
    ? errors
    : [...errors, wrong('audienceMatchPolicy must be empty or MatchAny for single audience')];
}

function authorityErrors(pem: string, path: FieldPath): readonly FieldError[] {
  const problem = certificatesProblem(pem);
  return problem === undefined ? [] : [invalid(path, '<omitted>', problem)];
}
