import { expect, test } from 'vitest';
import { parseFieldSelector } from '../../api/selector/field-selector.ts';
import { checkFieldLabels } from './list-options.ts';

test.each([
  ['"{label}" is not a known field selector', '"a\\nb\\"" is not a known field selector'],
  ['field label not supported: {label}', 'field label not supported: a\nb"'],
])('a label that is unknown is quoted where the text quotes it: %s', (unsupportedFieldLabel, message) => {
  const selector = parseFieldSelector('a\nb"=1');
  expect(() => checkFieldLabels(selector, { fieldLabels: new Set(['a']), unsupportedFieldLabel })).toThrow(
    expect.objectContaining({ message, code: 400 }),
  );
});
