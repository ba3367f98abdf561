/** Rules of volumes whose files come from several sources, and of files that show the pod's own fields. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { DownwardAPIVolumeFile, Volume, VolumeProjection } from '../../../../api/types/core-v1.ts';
import { forbidden, invalid, required } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { validateFieldRef, validateResourceFieldRef, VOLUME_FIELDS } from './validate-env.ts';
import { validateFilePath } from './validate-paths.ts';
import { validateItem, validateMode } from './validate-files.ts';

const NONE: readonly FieldError[] = [];
const MIN_TOKEN_SECONDS = 600;
const MAX_TOKEN_SECONDS = 2 ** 32;

export function validateDownwardFile(file: DownwardAPIVolumeFile, path: FieldPath): readonly FieldError[] {
  const { fieldRef, resourceFieldRef, mode } = file;
  const errors: FieldError[] = [];
  if (!file.path) errors.push(required(path.child('path')));
  append(errors, validateFilePath(file.path ?? '', path.child('path')));
  if (fieldRef) {
    append(errors, validateFieldRef(fieldRef, VOLUME_FIELDS, path.child('fieldRef')));
    if (resourceFieldRef) {
      errors.push(
        invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'),
      );
    }
  } else if (resourceFieldRef) {
    append(errors, validateResourceFieldRef(resourceFieldRef, path.child('resourceFieldRef'), true));
  } else {
    errors.push(required(path, 'one of fieldRef and resourceFieldRef is required'));
  }
  append(errors, validateMode(mode, path.child('mode')));
  return errors;
}

export function validateProjected(
  { defaultMode, sources }: NonNullable<Volume['projected']>,
  path: FieldPath,
): readonly FieldError[] {
  const errors: FieldError[] = [...validateMode(defaultMode, path.child('defaultMode'))];
  const taken = new Set<string>();
  sources?.forEach((source, at) => append(errors, validateSource(source, path, at, taken)));
  return errors;
}

/** All that a source names is looked at, though it may name only one. `taken`: paths of files of the sources before. */
function validateSource(
  { secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle }: VolumeProjection,
  path: FieldPath,
  at: number,
  taken: Set<string>,
): readonly FieldError[] {
  const own = path.child('sources').index(at);
  const kinds = [secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle];
  const errors: FieldError[] = [
    ...(secret ? validateNamed(secret, own.child('secret'), path, taken) : NONE),
    ...(configMap ? validateNamed(configMap, own.child('configMap'), path, taken) : NONE),
    ...(downwardAPI?.items ?? []).flatMap((file) => [
      ...validateDownwardFile(file, own.child('downwardAPI')),
      ...conflict(file.path, file.path, path, taken),
    ]),
    ...(serviceAccountToken
      ? validateToken(serviceAccountToken, own.child('serviceAccountToken'), path)
      : NONE),
  ];
  if (kinds.filter((kind) => kind).length > 1)
    errors.push(forbidden(own, 'may not specify more than 1 volume type per source'));
  return errors;
}

function validateNamed(
  { name, items }: NonNullable<VolumeProjection['secret']>,
  own: FieldPath,
  path: FieldPath,
  taken: Set<string>,
): readonly FieldError[] {
  return [
    ...(name ? NONE : [required(own.child('name'))]),
    ...(items ?? []).flatMap((item, at) => [
      ...validateItem(item, own.child('items').index(at)),
      ...conflict(item.path, name, path, taken),
    ]),
  ];
}

/** Tokens may have the path of another file. `blamed`: what the server names for it. */
function conflict(
  file: string | undefined,
  blamed: string | undefined,
  path: FieldPath,
  taken: Set<string>,
): readonly FieldError[] {
  if (!file) return NONE;
  if (taken.has(file)) return [invalid(path, blamed ?? '', 'conflicting duplicate paths')];
  taken.add(file);
  return NONE;
}

/** `path`: of the volume; there the real server says what is wrong with the file's path. */
function validateToken(
  { expirationSeconds = MIN_TOKEN_SECONDS, path: text }: NonNullable<VolumeProjection['serviceAccountToken']>,
  own: FieldPath,
  path: FieldPath,
): readonly FieldError[] {
  const seconds = own.child('expirationSeconds');
  const errors: FieldError[] = [];
  if (expirationSeconds < MIN_TOKEN_SECONDS) {
    errors.push(invalid(seconds, expirationSeconds, 'may not specify a duration less than 10 minutes'));
  }
  if (expirationSeconds > MAX_TOKEN_SECONDS) {
    errors.push(invalid(seconds, expirationSeconds, 'may not specify a duration larger than 2^32 seconds'));
  }
  if (!text) errors.push(required(path.child('path')));
  else append(errors, validateFilePath(text, path.child('path')));
  return errors;
}
