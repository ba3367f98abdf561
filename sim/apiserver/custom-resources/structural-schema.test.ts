import { expect, it } from 'vitest';
import { unreadable } from './structural-schema.ts';

it('a schema for further elements cannot be read even if it says nothing', () => {
  const problem = "OpenAPIV3Schema 'additionalItems' is not supported";
  expect(unreadable({ properties: { a: { type: 'string', additionalItems: {} } } })).toBe(problem);
  expect(unreadable({ type: 'string', patternProperties: {} })).toBeUndefined();
});
