/** Declared defaults have to be values of their schema. */
import { append } from '../../api/append.ts';
import { GoSyntax, goUntyped } from '../../api/go-text.ts';
import type { Json } from '../../api/object.ts';
import type { FieldError } from '../../api/status.ts';
import { invalid } from '../../api/validation/field-error.ts';
import type { FieldPath } from '../../api/validation/field-path.ts';
import { isMap, itemsOf, type JSONSchemaProps } from './json-schema.ts';
import { pruned } from './prune.ts';
import { ruleErrors } from './rules/check-rules.ts';
import { uniquenessErrors } from './unique-items.ts';
import { validateValue } from './validate-value.ts';

export function defaultErrors(schema: JSONSchemaProps, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (schema.default !== undefined && schema.default !== null)
    append(errors, errorsOfDefault(schema, path.child('default')));
  for (const name of Object.keys(schema.properties ?? {}).sort()) {
    const part = schema.properties?.[name];
    if (part) append(errors, defaultErrors(part, path.child('properties').key(name)));
  }
  const items = itemsOf(schema);
  if (items) append(errors, defaultErrors(items, path.child('items')));
  const { additionalProperties } = schema;
  if (isMap(additionalProperties))
    append(errors, defaultErrors(additionalProperties, path.child('additionalProperties')));
  return errors;
}

function errorsOfDefault(schema: JSONSchemaProps, path: FieldPath): FieldError[] {
  const value = schema.default as Json;
  if (pruned(value, schema, false) !== value) {
    const shown = typeof value === 'string' ? value : new GoSyntax(goUntyped(value));
    return [invalid(path, shown, 'must not have unknown fields')];
  }
  const errors = [...validateValue(value, schema, ''), ...uniquenessErrors(value, schema, '')].map(
    (error) => ({
      ...error,
      field: fieldBelow(path, error.field),
    }),
  );
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

/** What is wrong in a part, as part of the whole. */
export const fieldBelow = (path: FieldPath, field: string): string => {
  if (field === '' || field === '<nil>') return field === '' ? path.text : field;
  return field.startsWith('[') ? path.text + field : `${path.text}.${field}`;
};
