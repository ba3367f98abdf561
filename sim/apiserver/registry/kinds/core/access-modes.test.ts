import { expect, test } from 'vitest';
import { FieldPath } from '../../../../api/validation/field-path.ts';
import { accessModesErrors } from './persistent-volume-validation.ts';

const NOT_MIXED = 'Forbidden: may not use ReadWriteOncePod with other access modes';
const UNKNOWN =
  'Unsupported value: "x": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"';

test('one pod at a time goes with no other mode; what is no mode is none', () => {
  const messages = (...modes: string[]): string[] =>
    accessModesErrors(modes, FieldPath.of('accessModes'), 'some').map(({ message }) => message);
  expect(messages('ReadWriteOncePod', 'ReadWriteOncePod')).toEqual([]);
  expect(messages('ReadWriteOncePod', 'ReadWriteOnce')).toEqual([NOT_MIXED]);
  expect(messages('ReadWriteOncePod', 'x')).toEqual([UNKNOWN]);
  expect(messages('x', 'ReadOnlyMany', 'ReadWriteOncePod')).toEqual([UNKNOWN, NOT_MIXED]);
});
