/** Names of compute resources and of what a quota may count. */
import { GoSyntax } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import { invalid } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { qualifiedName } from '../../../../api/validation/names.ts';

const CONTAINER = ['cpu', 'memory', 'ephemeral-storage'];

/** Resources of which there are only whole ones. */
const COUNTED: ReadonlySet<string> = new Set([
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);

const STANDARD: ReadonlySet<string> = new Set([
  ...CONTAINER,
  ...CONTAINER.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  ...COUNTED,
  'storage',
  'requests.storage',
]);

const QUOTA: ReadonlySet<string> = new Set([...STANDARD].filter((name) => name !== 'storage'));

/** A quota counts it by its name. */
export const isQuotaResource = (name: string): boolean => QUOTA.has(name) || isHugePagesOfQuota(name);

const isHugePagesOfQuota = (name: string): boolean => /^(?:requests\.)?hugepages-/.test(name);

export const isContainerResource = (name: string): boolean => CONTAINER.includes(name);
export const isCountedResource = (name: string): boolean => COUNTED.has(name);
export const isStandardResource = (name: string): boolean => STANDARD.has(name) || isHugePagesOfQuota(name);

/** Names without a domain have to be known ones. */
export function resourceNameErrors(name: string, path: FieldPath): FieldError[] {
  const shown = new GoSyntax(name, JSON.stringify(name));
  const findings = qualifiedName(name).map((finding) => invalid(path, shown, finding));
  if (findings.length > 0) return findings;
  if (!name.includes('/') && !isStandardResource(name))
    return [invalid(path, shown, 'must be a standard resource type or fully qualified')];
  return [];
}

/** What stands in `spec.hard` of a quota: resources, and `count/…` of any kind. */
export function quotaResourceNameErrors(name: string, path: FieldPath): FieldError[] {
  const errors = resourceNameErrors(name, path);
  if (!name.includes('/') && !isQuotaResource(name))
    errors.push(
      invalid(path, new GoSyntax(name, JSON.stringify(name)), 'must be a standard resource for quota'),
    );
  return errors;
}
