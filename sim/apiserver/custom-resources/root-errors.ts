/** What the root of a schema may say where the status is judged by itself: nothing that would be lost to it. */
import { GoSyntax } from '../../api/go-text.ts';
import type { FieldError } from '../../api/status.ts';
import { invalid } from '../../api/validation/field-error.ts';
import type { FieldPath } from '../../api/validation/field-path.ts';
import type { JSONSchemaProps } from './json-schema.ts';
import { schemaJson } from './schema-json.ts';
import { goSchema, SCHEMA_MEMBERS } from './schema-text.ts';

const ALLOWED = [
  ...['Description', 'Type', 'Format', 'Title', 'Maximum', 'ExclusiveMaximum', 'Minimum'],
  ...['ExclusiveMinimum', 'MaxLength', 'MinLength', 'Pattern', 'MaxItems', 'MinItems', 'UniqueItems'],
  ...['MultipleOf', 'Required', 'Items', 'Properties', 'ExternalDocs', 'Example'],
  ...['XPreserveUnknownFields', 'XValidations'],
];

const isZero = (value: unknown): boolean =>
  value === undefined || value === null || value === false || value === '';

/** The first member that is out of place, in the order in which the server keeps them. */
export function rootErrors(schema: JSONSchemaProps, path: FieldPath): readonly FieldError[] {
  for (const [name, member, form] of SCHEMA_MEMBERS) {
    const value = schema[member];
    const isSaid = value === '' && form.kind === 'pointer';
    // `false` is said where a schema or nothing could stand, too.
    if (isZero(value) && !isSaid && !(value === false && OR_FALSE.has(member))) continue;
    if (name === 'Type') {
      if (value !== 'object') return [invalid(path.child('type'), schema.type, WRONG_TYPE)];
    } else if (!ALLOWED.includes(name))
      return [invalid(path, new GoSyntax(goSchema(schema), () => schemaJson(schema)), LOST)];
  }
  return [];
}

const OR_FALSE: ReadonlySet<string> = new Set(['additionalProperties', 'additionalItems']);
const WRONG_TYPE =
  'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
const LOST = `only [${ALLOWED.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
