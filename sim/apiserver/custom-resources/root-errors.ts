/** What the root of a schema may say where the status is judged by itself: nothing that would be lost to it. */
import { GoSyntax } from '../../api/go-text.ts';
import type { FieldError } from '../../api/status.ts';
import { invalid } from '../../api/validation/field-error.ts';
import type { FieldPath } from '../../api/validation/field-path.ts';
import type { JSONSchemaProps } from './json-schema.ts';

const ALLOWED = [
  'Description',
  'Type',
  'Format',
  'Title',
  'Maximum',
  'ExclusiveMaximum',
  'Minimum',
  'ExclusiveMinimum',
  'MaxLength',
  'MinLength',
  'Pattern',
  'MaxItems',
  'MinItems',
  'UniqueItems',
  'MultipleOf',
  'Required',
  'Items',
  'Properties',
  'ExternalDocs',
  'Example',
  'XPreserveUnknownFields',
  'XValidations',
];

const nameOf = (keyword: string): string => {
  const words = keyword.replace(/^x-kubernetes-/, 'x-').split('-');
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('');
};

const isZero = (value: unknown): boolean =>
  value === undefined || value === null || value === false || value === '';

/** The first keyword that is out of place; the type comes before all others that can be. */
export function rootErrors(schema: JSONSchemaProps, path: FieldPath): readonly FieldError[] {
  const { type = '' } = schema;
  if (type !== '' && type !== 'object') {
    const detail =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [invalid(path.child('type'), type, detail)];
  }
  const isLost = Object.entries(schema).some(
    ([keyword, value]) => !isZero(value) && !ALLOWED.includes(nameOf(keyword)),
  );
  if (!isLost) return [];
  const detail = `only [${ALLOWED.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return [invalid(path, new GoSyntax('apiextensions.JSONSchemaProps{}'), detail)];
}
