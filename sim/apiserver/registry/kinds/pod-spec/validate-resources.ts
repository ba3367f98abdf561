/** Rules of `resources` of a container: names, amounts, and requests against limits. */
import { append } from '../../../../api/append.ts';
import { isExtended, isNative } from '../../../../api/pod/resource-names.ts';
import { ownMember } from '../../../../api/own-member.ts';
import { compareStrings, GoSyntax } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { ResourceRequirements } from '../../../../api/types/core-v1.ts';
import { type BadValue, forbidden, invalid, required } from '../../../../api/validation/field-error.ts';
import { isNegativeQuantity, wholeValue } from '../../../../api/validation/field-checks.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { qualifiedName } from '../../../../api/validation/names.ts';
import { NOT_NEGATIVE } from '../../../../api/validation/numbers.ts';
import { isContainerResource, isCountedResource, isStandardResource } from '../core/resource-names.ts';
import { isEqualQuantity } from '../../../../api/quantity.ts';
import { goQuantity, isGreater, isInteger, type ResourceList } from './quantities.ts';

const NONE: readonly FieldError[] = [];

export function validateResources(
  resources: ResourceRequirements | undefined,
  path: FieldPath,
): readonly FieldError[] {
  if (!resources?.limits && !resources?.requests) return NONE;
  const { limits = {}, requests = {} } = resources;
  const errors: FieldError[] = [];
  for (const name of sortedNames(limits)) {
    const limitPath = path.child('limits').key(name);
    append(errors, validateAmount(name, limits[name] ?? '', limitPath));
    append(errors, validatePages(name, limits[name] ?? '', limitPath));
  }
  for (const name of sortedNames(requests)) {
    const requestPath = path.child('requests').key(name);
    append(errors, validateAmount(name, requests[name] ?? '', requestPath));
    append(errors, validateRequest(name, requests[name] ?? '', ownMember(limits, name), path));
    append(errors, validatePages(name, requests[name] ?? '', requestPath));
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePages) && !names.some((name) => name === 'cpu' || name === 'memory')) {
    errors.push(forbidden(path, 'HugePages require cpu or memory'));
  }
  return errors;
}

const sortedNames = (list: ResourceList): string[] => Object.keys(list).sort(compareStrings);

function validateAmount(name: string, amount: string, path: FieldPath): readonly FieldError[] {
  const errors = [...containerResourceNameErrors(name, path)];
  append(errors, validateResourceAmount(name, amount, path));
  return errors;
}

const validatePages = (name: string, amount: string, path: FieldPath): readonly FieldError[] =>
  isHugePages(name) && !isDivisible(name, amount)
    ? [invalid(path, amount, `${amount} is not positive integer multiple of ${name}`)]
    : NONE;

/** Not negative, and whole where the resource is counted. */
export function validateResourceAmount(name: string, amount: string, path: FieldPath): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (isNegativeQuantity(amount)) errors.push(invalid(path, amount, NOT_NEGATIVE));
  if (!isInteger(amount) && (isCountedResource(name) || isExtended(name))) {
    errors.push(invalid(path, goQuantity(amount), 'must be an integer'));
  }
  return errors;
}

/** A standard resource, or `domain/name`. */
export function validateResourceName(
  name: string,
  path: FieldPath,
  // Some callers have seen to the form of the name before, as of a plain text.
  shown: BadValue = new GoSyntax(name, JSON.stringify(name)),
): readonly FieldError[] {
  const value = new GoSyntax(name, JSON.stringify(name));
  const findings = qualifiedName(name);
  if (findings.length > 0) return findings.map((finding) => invalid(path, shown, finding));
  if (name.includes('/') || isStandardResource(name)) return NONE;
  return [invalid(path, value, 'must be a standard resource type or fully qualified')];
}

export function containerResourceNameErrors(
  name: string,
  path: FieldPath,
  shown?: BadValue,
): readonly FieldError[] {
  const errors = validateResourceName(name, path, shown);
  const value = new GoSyntax(name, JSON.stringify(name));
  if (!name.includes('/')) {
    if (isContainerResource(name) || isHugePages(name)) return errors;
    return [...errors, invalid(path, value, 'must be a standard resource for containers')];
  }
  if (isNative(name) || isExtended(name)) return errors;
  return [...errors, invalid(path, value, "doesn't follow extended resource name standard")];
}

function validateRequest(
  name: string,
  amount: string,
  limit: string | undefined,
  path: FieldPath,
): readonly FieldError[] {
  const isExact = !isNative(name) || isHugePages(name);
  if (limit === undefined) {
    return isExact
      ? [required(path.child('limits'), 'Limit must be set for non overcommitable resources')]
      : NONE;
  }
  const requestPath = path.child('requests');
  if (isExact && !isEqualQuantity(amount, limit)) {
    return [invalid(requestPath, amount, `must be equal to ${name} limit of ${limit}`)];
  }
  if (!isGreater(amount, limit)) return NONE;
  return [invalid(requestPath, amount, `must be less than or equal to ${name} limit of ${limit}`)];
}

export const isHugePages = (name: string): boolean => name.startsWith('hugepages-');

function isDivisible(name: string, amount: string): boolean {
  const size = pageSizeOf(name);
  return size !== undefined && size > 0n && wholeValue(amount) % size === 0n;
}

function pageSizeOf(name: string): bigint | undefined {
  try {
    return wholeValue(name.slice('hugepages-'.length));
  } catch {
    return undefined;
  }
}
