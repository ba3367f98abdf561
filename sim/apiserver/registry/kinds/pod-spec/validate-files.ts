/** Rules of the files that a volume makes out of the keys of something else. */
import type { FieldError } from '../../../../api/status.ts';
import type { KeyToPath } from '../../../../api/types/core-v1.ts';
import { invalid, required } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { validateFilePath } from './validate-paths.ts';

const NONE: readonly FieldError[] = [];
const needed = (text: string | undefined, path: FieldPath): readonly FieldError[] =>
  text ? NONE : [required(path)];

const MAX_MODE = 0o777;

/** Permission bits of a file. */
export function validateMode(mode: number | undefined, path: FieldPath): readonly FieldError[] {
  if (mode === undefined || (mode >= 0 && mode <= MAX_MODE)) return NONE;
  return [invalid(path, mode, 'must be a number between 0 and 0777 (octal), both inclusive')];
}

export function validateItems(
  items: readonly KeyToPath[] | undefined,
  path: FieldPath,
): readonly FieldError[] {
  return (items ?? []).flatMap((item, at) => validateItem(item, path.index(at)));
}

export function validateItem({ key, path: text, mode }: KeyToPath, path: FieldPath): readonly FieldError[] {
  return [
    ...needed(key, path.child('key')),
    ...needed(text, path.child('path')),
    ...validateFilePath(text ?? '', path.child('path')),
    ...validateMode(mode, path.child('mode')),
  ];
}
