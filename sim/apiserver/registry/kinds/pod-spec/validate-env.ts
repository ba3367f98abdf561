/** Rules of environment variables and of the references by which pods see their own fields. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type {
  ConfigMapKeySelector,
  EnvFromSource,
  EnvVar,
  ObjectFieldSelector,
  ResourceFieldSelector,
} from '../../../../api/types/core-v1.ts';
import {
  ifOff,
  ifOn,
  invalid,
  notSupported,
  required,
  since,
  until,
} from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { checkedBy } from '../../../../api/validation/field-checks.ts';
import {
  configMapKey,
  dns1123Subdomain,
  maskTrailingDash,
  envVarName,
  qualifiedName,
  relaxedEnvVarName,
} from '../../../../api/validation/names.ts';

const NONE: readonly FieldError[] = [];

/** Every field that a downward reference may be written with. */
const DOWNWARD_FIELDS: ReadonlySet<string> = new Set([
  ...['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid'],
  ...['spec.nodeName', 'spec.restartPolicy', 'spec.serviceAccountName', 'spec.schedulerName'],
  ...['status.phase', 'status.hostIP', 'status.hostIPs', 'status.podIP', 'status.podIPs'],
]);

/** Fields that a variable may hold. */
export const ENV_FIELDS: readonly string[] = [
  ...['metadata.name', 'metadata.namespace', 'metadata.uid', 'spec.nodeName', 'spec.serviceAccountName'],
  ...['status.hostIP', 'status.hostIPs', 'status.podIP', 'status.podIPs'],
];

/** Fields that a file of a downwardAPI volume may hold. */
export const VOLUME_FIELDS: readonly string[] = [
  ...['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid'],
];

const RESOURCE_FIELDS: readonly string[] = [
  ...['limits.cpu', 'limits.ephemeral-storage', 'limits.memory'],
  ...['requests.cpu', 'requests.ephemeral-storage', 'requests.memory'],
];

export function validateEnv(
  variables: readonly EnvVar[] | undefined,
  path: FieldPath,
): readonly FieldError[] {
  if (!variables) return NONE;
  return variables.flatMap((variable, at) => {
    const { name } = variable;
    const own = path.index(at);
    const ofName = name ? nameErrors(name, own.child('name')) : [required(own.child('name'))];
    return [...ofName, ...validateValueFrom(variable, own.child('valueFrom'))];
  });
}

function validateValueFrom({ value, valueFrom }: EnvVar, path: FieldPath): readonly FieldError[] {
  if (!valueFrom) return NONE;
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom;
  const errors: FieldError[] = [];
  if (fieldRef) append(errors, validateFieldRef(fieldRef, ENV_FIELDS, path.child('fieldRef')));
  if (resourceFieldRef) {
    append(errors, validateResourceFieldRef(resourceFieldRef, path.child('resourceFieldRef'), false));
  }
  if (configMapKeyRef) append(errors, validateKeyRef(configMapKeyRef, path.child('configMapKeyRef')));
  if (secretKeyRef) append(errors, validateKeyRef(secretKeyRef, path.child('secretKeyRef')));
  const sources = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef].filter(Boolean).length;
  if (sources === 0) {
    const choices = 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`';
    append(errors, until('1.35', [invalid(path, '', `${choices} or \`secretKeyRef\``)]));
    append(errors, since('1.35', [invalid(path, '', `${choices}, \`secretKeyRef\` or \`fileKeyRef\``)]));
  } else if (value) {
    errors.push(invalid(path, '', 'may not be specified when `value` is not empty'));
  } else if (sources > 1) {
    errors.push(invalid(path, '', 'may not have more than one field specified at a time'));
  }
  return errors;
}

function validateKeyRef({ name, key }: ConfigMapKeySelector, path: FieldPath): readonly FieldError[] {
  const errors: FieldError[] = [...checkedBy(dns1123Subdomain, name ?? '', path.child('name'))];
  if (!key) errors.push(required(path.child('key')));
  else for (const finding of configMapKey(key)) errors.push(invalid(path.child('key'), key, finding));
  return errors;
}

export function validateFieldRef(
  { apiVersion, fieldPath }: ObjectFieldSelector,
  fields: readonly string[],
  path: FieldPath,
): readonly FieldError[] {
  if (!apiVersion) return [required(path.child('apiVersion'))];
  if (!fieldPath) return [required(path.child('fieldPath'))];
  const own = path.child('fieldPath');
  if (apiVersion !== 'v1')
    return [invalid(own, fieldPath, `error converting fieldPath: unsupported pod version: ${apiVersion}`)];
  const subscripted = /^(.*)\['([^']*)'\]$/.exec(fieldPath);
  if (subscripted) return validateSubscript(subscripted[1] ?? '', subscripted[2] ?? '', fieldPath, path);
  const known = fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath;
  if (!DOWNWARD_FIELDS.has(known)) {
    const why = `error converting fieldPath: field label not supported: ${fieldPath}`;
    return [invalid(own, fieldPath, why)];
  }
  return fields.includes(known) ? NONE : [notSupported(own, known, fields)];
}

function validateSubscript(
  field: string,
  key: string,
  whole: string,
  path: FieldPath,
): readonly FieldError[] {
  if (field !== 'metadata.annotations' && field !== 'metadata.labels') {
    const why = `error converting fieldPath: field label does not support subscript: ${whole}`;
    return [invalid(path.child('fieldPath'), whole, why)];
  }
  const checked = field === 'metadata.annotations' ? key.toLowerCase() : key;
  return qualifiedName(checked).map((finding) => invalid(path, key, finding));
}

export function validateResourceFieldRef(
  { containerName, resource, divisor }: ResourceFieldSelector,
  path: FieldPath,
  isVolume: boolean,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (isVolume && !containerName) errors.push(required(path.child('containerName')));
  else if (!resource) errors.push(required(path.child('resource')));
  else if (!RESOURCE_FIELDS.includes(resource) && !/^(limits|requests)\.hugepages-/.test(resource)) {
    errors.push(notSupported(path.child('resource'), resource, RESOURCE_FIELDS));
  }
  const why = divisorFinding(resource ?? '', divisor ?? '0');
  if (why) errors.push(invalid(path.child('divisor'), resource ?? '', why));
  return errors;
}

const BYTE_DIVISORS = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

function divisorFinding(resource: string, divisor: string): string | undefined {
  if (divisor === '0') return undefined;
  // What stands for no amount of a container is refused for that alone.
  const [, name = ''] = /^(?:limits|requests)\.(.*)$/s.exec(resource) ?? [];
  if (name === 'cpu') {
    if (divisor === '1' || divisor === '1m') return undefined;
    return "only divisor's values 1m and 1 are supported with the cpu resource";
  }
  const words =
    name === 'memory' || name === 'ephemeral-storage' || name.startsWith('hugepages-') ? name : undefined;
  if (words === undefined || BYTE_DIVISORS.includes(divisor)) return undefined;
  const shown =
    name === 'memory' ? 'memory' : name === 'ephemeral-storage' ? 'local ephemeral storage' : 'hugepages';
  return `only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the ${shown} resource`;
}

/** Judged as if it was the beginning of a name, which may end with a dash. */
function sourceNameErrors(name: string | undefined, path: FieldPath): readonly FieldError[] {
  if (!name) return [required(path)];
  return dns1123Subdomain(maskTrailingDash(name)).map((finding) => invalid(path, name, finding));
}

export function validateEnvFrom(
  sources: readonly EnvFromSource[] | undefined,
  path: FieldPath,
): readonly FieldError[] {
  if (!sources) return NONE;
  return sources.flatMap(({ prefix, configMapRef, secretRef }, at) => {
    const own = path.index(at);
    const errors: FieldError[] = [];
    if (prefix) append(errors, nameErrors(prefix, own.child('prefix')));
    if (configMapRef) append(errors, sourceNameErrors(configMapRef.name, own.child('configMapRef', 'name')));
    if (secretRef) append(errors, sourceNameErrors(secretRef.name, own.child('secretRef', 'name')));
    if (!configMapRef && !secretRef) {
      errors.push(invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`'));
    } else if (configMapRef && secretRef) {
      errors.push(invalid(path, '', 'may not have more than one field specified at a time'));
    }
    return errors;
  });
}

const TAKES_ALL = 'RelaxedEnvironmentVariableValidation';

/** Where a gate is on almost any name is taken. */
const nameErrors = (name: string, path: FieldPath): readonly FieldError[] => [
  ...ifOff(TAKES_ALL, checkedBy(envVarName, name, path)),
  ...ifOn(TAKES_ALL, checkedBy(relaxedEnvVarName, name, path)),
];
