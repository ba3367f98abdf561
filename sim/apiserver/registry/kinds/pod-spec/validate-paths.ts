/** Rules of paths inside a container's file system. */
import type { FieldError } from '../../../../api/status.ts';
import { invalid } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';

/** No step of the path leads up. */
export const validateNoBacksteps = (text: string, path: FieldPath): readonly FieldError[] =>
  text.split('/').includes('..') ? [invalid(path, text, "must not contain '..'")] : [];

/** A relative path that stays below where it starts. */
export const validateDescendingPath = (text: string, path: FieldPath): readonly FieldError[] => [
  ...(text.startsWith('/') ? [invalid(path, text, 'must be a relative path')] : []),
  ...validateNoBacksteps(text, path),
];

/** Names that begin with two dots are the volume's own. */
export const validateFilePath = (text: string, path: FieldPath): readonly FieldError[] => [
  ...validateDescendingPath(text, path),
  ...(text.startsWith('..') && !text.startsWith('../')
    ? [invalid(path, text, "must not start with '..'")]
    : []),
];
