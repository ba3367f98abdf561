/**
 * Declared defaults have to be values of their schema. Those below `additionalProperties` nobody looks at; a default that
 * may be a number or a text may be anything, and may name an item twice.
 */
import { append } from '../../api/append.ts';
import { GoSyntax, goUntyped } from '../../api/go-text.ts';
import type { Json } from '../../api/object.ts';
import type { FieldError } from '../../api/status.ts';
import { invalid } from '../../api/validation/field-error.ts';
import type { FieldPath } from '../../api/validation/field-path.ts';
import { embeddedErrors, embeddedTextErrors } from './embedded-resource.ts';
import { isMap, itemsOf, type JSONSchemaProps } from './json-schema.ts';
import { pruned } from './prune.ts';
import { ruleErrors } from './rules/check-rules.ts';
import { validateValue } from './validate-value.ts';

/** `isRoot`: the schema is that of the whole object. */
export function defaultErrors(schema: JSONSchemaProps, path: FieldPath, isRoot = false): FieldError[] {
  const errors: FieldError[] = [];
  if (schema.default !== undefined && schema.default !== null) {
    const isObject = isRoot || schema['x-kubernetes-embedded-resource'] === true;
    append(errors, errorsOfDefault(schema, path.child('default'), isObject));
  }
  for (const name of Object.keys(schema.properties ?? {}).sort()) {
    const part = schema.properties?.[name];
    if (part) append(errors, defaultErrors(part, path.child('properties').key(name)));
  }
  const items = itemsOf(schema);
  if (items) append(errors, defaultErrors(items, path.child('items')));
  return errors;
}

function errorsOfDefault(schema: JSONSchemaProps, path: FieldPath, isObject: boolean): FieldError[] {
  const value = schema.default as Json;
  const unknown: FieldError[] = [];
  if (pruned(value, schema, isObject) !== value) {
    const shown = typeof value === 'string' ? value : new GoSyntax(goUntyped(value));
    unknown.push(invalid(path, shown, 'must not have unknown fields'));
  }
  const errors = [
    ...unknown,
    ...misfitsOf(value, schema, isObject).map((error) => ({
      ...error,
      field: error.field === '<nil>' ? path.text : fieldBelow(path, error.field),
    })),
  ];
  if (errors.length > 0) return errors;
  return [
    ...ruleErrors({
      value,
      old: value,
      schema,
      path,
      isResource: false,
      ratchets: false,
      warn: () => undefined,
    }),
  ];
}

/** Who is no whole object where one is wanted is not looked at further. */
function misfitsOf(value: Json, schema: JSONSchemaProps, isObject: boolean): readonly FieldError[] {
  const wrongTexts = embeddedTextErrors(value, schema, isObject);
  if (wrongTexts.length > 0) return wrongTexts;
  const embedded = embeddedErrors(value, schema, isObject);
  if (embedded.length > 0) return embedded;
  return validateValue(value, withoutIntOrString(schema), '', { everyFormatCounts: true });
}

const INT_OR_STRING = 'x-kubernetes-int-or-string';

function withoutIntOrString(schema: JSONSchemaProps): JSONSchemaProps {
  const { [INT_OR_STRING]: _either, properties, items, additionalProperties, ...rest } = schema;
  const partOf = <T>(part: T): T => (isMap(part) ? (withoutIntOrString(part) as T) : part);
  return {
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, part]) => [name, withoutIntOrString(part)]),
      ),
    }),
    ...(items !== undefined && { items: partOf(items) }),
    ...(additionalProperties !== undefined && { additionalProperties: partOf(additionalProperties) }),
  };
}

/** What is wrong in a part, as part of the whole. */
export const fieldBelow = (path: FieldPath, field: string): string => {
  if (field === '' || field === '<nil>') return field === '' ? path.text : field;
  return field.startsWith('.') ? path.text + field : `${path.text}.${field}`;
};
