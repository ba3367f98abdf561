/** Rules of the resource claims of a pod, and of those that its containers name. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { PodResourceClaim, PodSpec, ResourceRequirements } from '../../../../api/types/core-v1.ts';
import { duplicate, invalid, notFoundValue, required } from '../../../../api/validation/field-error.ts';
import { checkedBy } from '../../../../api/validation/field-checks.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { dns1123Label, dns1123Subdomain } from '../../../../api/validation/names.ts';
import { goValue } from '../go-value.ts';

const NONE: readonly FieldError[] = [];

export function validateResourceClaims({ resourceClaims }: PodSpec, path: FieldPath): readonly FieldError[] {
  const names = new Set<string>();
  return (resourceClaims ?? []).flatMap((claim, at) => {
    const own = path.index(at);
    const { name = '' } = claim;
    const errors: FieldError[] = [];
    if (name === '') errors.push(required(own.child('name')));
    else if (names.has(name)) errors.push(duplicate(own.child('name'), name));
    else append(errors, checkedBy(dns1123Label, name, own.child('name')));
    names.add(name);
    return [...errors, ...sourceErrors(claim, own)];
  });
}

function sourceErrors(claim: PodResourceClaim, path: FieldPath): readonly FieldError[] {
  const { resourceClaimName, resourceClaimTemplateName } = claim;
  const shown = goValue('v1.PodResourceClaim', claim);
  const names = (['resourceClaimName', 'resourceClaimTemplateName'] as const).flatMap((member) =>
    claim[member] === undefined ? [] : checkedBy(dns1123Subdomain, claim[member], path.child(member)),
  );
  if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined)
    return [
      invalid(
        path,
        shown,
        'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified',
      ),
      ...names,
    ];
  if (resourceClaimName === undefined && resourceClaimTemplateName === undefined)
    return [
      invalid(path, shown, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'),
      ...names,
    ];
  return names;
}

/** Of a container: each claim of the pod at most once, whole or by its requests. */
export function validateClaims(
  resources: ResourceRequirements | undefined,
  { resourceClaims = [] }: PodSpec,
  path: FieldPath,
): readonly FieldError[] {
  const known = new Set(resourceClaims.flatMap(({ name }) => name || []));
  const seen = new Set<string>();
  return (resources?.claims ?? []).flatMap(({ name = '', request = '' }, at) => {
    const own = path.index(at);
    if (name === '') return [required(own)];
    const whole = `${name}/${request}`;
    const isWhole = request === '' || seen.has(`${name}/`);
    const isTwice = isWhole ? [...seen].some((key) => key.startsWith(`${name}/`)) : seen.has(whole);
    seen.add(whole);
    return [
      ...(isTwice ? [duplicate(own, isWhole ? name : whole)] : NONE),
      ...(request === '' ? NONE : checkedBy(dns1123Label, request, own.child('request'))),
      ...(known.has(name) ? NONE : [unknownClaim(own, name, [...known])]),
    ];
  });
}

function unknownClaim(path: FieldPath, name: string, known: readonly string[]): FieldError {
  const error = notFoundValue(path, name);
  const sorted = [...known].sort();
  const why =
    known.length === 0
      ? 'must be one of the names in pod.spec.resourceClaims which is empty'
      : `must be one of the names in pod.spec.resourceClaims: ${sorted.join(', ')}`;
  return { ...error, message: `${error.message}: ${why}` };
}
