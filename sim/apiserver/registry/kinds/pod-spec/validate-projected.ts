/** Rules of volumes whose files come from several sources, and of files that show the pod's own fields. */
import { append } from '../../../../api/append.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { DownwardAPIVolumeFile, Volume, VolumeProjection } from '../../../../api/types/core-v1.ts';
import { forbidden, invalid, required } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { validateFieldRef, validateResourceFieldRef, VOLUME_FIELDS } from './validate-env.ts';
import { validateFilePath } from './validate-paths.ts';
import { validateItems, validateMode } from './validate-files.ts';

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
  sources?.forEach((source, at) => {
    append(errors, validateSource(source, path.child('sources').index(at)));
    for (const file of filesOf(source)) {
      if (file === '') continue;
      if (taken.has(file)) errors.push(invalid(path, nameOf(source) ?? file, 'conflicting duplicate paths'));
      taken.add(file);
    }
  });
  return errors;
}

/** What the server names where two files have one path: the source, if it has a name. */
const nameOf = ({ secret, configMap }: VolumeProjection): string | undefined =>
  secret?.name ?? configMap?.name;

/** Tokens may have the path of another file. */
function filesOf({ secret, configMap, downwardAPI }: VolumeProjection): readonly string[] {
  const items = secret?.items ?? configMap?.items ?? downwardAPI?.items ?? [];
  return items.map(({ path }) => path ?? '');
}

const KINDS = ['secret', 'configMap', 'downwardAPI', 'serviceAccountToken', 'clusterTrustBundle'] as const;

function validateSource(source: VolumeProjection, path: FieldPath): readonly FieldError[] {
  const errors: FieldError[] = [];
  let count = 0;
  for (const kind of KINDS) {
    if (!source[kind]) continue;
    count += 1;
    if (count > 1) errors.push(forbidden(path, 'may not specify more than 1 volume type'));
    else append(errors, validateKind(source, path.child(kind)));
  }
  return errors;
}

function validateKind(source: VolumeProjection, path: FieldPath): readonly FieldError[] {
  const named = source.secret ?? source.configMap;
  if (named) {
    return [
      ...(named.name ? NONE : [required(path.child('name'))]),
      ...validateItems(named.items, path.child('items')),
    ];
  }
  if (source.downwardAPI)
    return (source.downwardAPI.items ?? []).flatMap((file) => validateDownwardFile(file, path));
  return source.serviceAccountToken ? validateToken(source.serviceAccountToken, path) : NONE;
}

function validateToken(
  { expirationSeconds = MIN_TOKEN_SECONDS, path: text }: NonNullable<VolumeProjection['serviceAccountToken']>,
  path: FieldPath,
): readonly FieldError[] {
  const own = path.child('expirationSeconds');
  const errors: FieldError[] = [];
  if (expirationSeconds < MIN_TOKEN_SECONDS) {
    errors.push(invalid(own, expirationSeconds, 'may not specify a duration less than 10 minutes'));
  }
  if (expirationSeconds > MAX_TOKEN_SECONDS) {
    errors.push(invalid(own, expirationSeconds, 'may not specify a duration larger than 2^32 seconds'));
  }
  if (!text) errors.push(required(path.child('path')));
  else append(errors, validateFilePath(text, path.child('path')));
  return errors;
}
