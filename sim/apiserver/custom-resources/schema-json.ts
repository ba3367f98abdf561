/** A schema as releases since 1.34 print it in refusals: JSON of the shape that the server keeps it in, all members there. */
import { compareStrings, jsonMembers, untypedJson } from '../../api/go-text.ts';
import type { Json } from '../../api/object.ts';
import type { ValidationRule } from '../../api/types/apiextensions-k8s-io-v1.ts';
import { isMap, type JSONSchemaProps } from './json-schema.ts';
import { SCHEMA_MEMBERS, type SchemaForm } from './schema-text.ts';

export const schemaJson = (schema: JSONSchemaProps): string =>
  jsonMembers(SCHEMA_MEMBERS.map(([name, member, form]) => [name, jsonOf(schema[member], form)]));

/** Of `items` that are no single schema, as `goManyItems`. */
export const manyItemsJson = (items: unknown): string =>
  jsonMembers([
    ['Schema', 'null'],
    ['JSONSchemas', listJson(items, partJson)],
  ]);

export const ruleJson = (rule: ValidationRule): string => {
  const { message = '', messageExpression = '', reason, fieldPath = '', optionalOldSelf } = rule;
  return jsonMembers([
    ['Rule', plainJson(rule.rule)],
    ['Message', plainJson(message)],
    ['MessageExpression', plainJson(messageExpression)],
    ['Reason', plainJson(reason)],
    ['FieldPath', plainJson(fieldPath)],
    ['OptionalOldSelf', plainJson(optionalOldSelf)],
  ]);
};

export const plainJson = (value: unknown): string => untypedJson(value as Json | undefined);

const partJson = (part: unknown): string => schemaJson(part as JSONSchemaProps);

function jsonOf(value: unknown, form: SchemaForm): string {
  switch (form.kind) {
    case 'text':
      return plainJson(typeof value === 'string' ? value : '');
    case 'flag':
      return String(value === true);
    case 'texts':
    case 'values':
      return plainJson(value);
    case 'rules':
      return listJson(value, (rule) => ruleJson(rule as ValidationRule));
    case 'schemas':
      return listJson(value, partJson);
    case 'pointer':
      return value === undefined || value === null ? 'null' : pointedJson(form.type, value);
    case 'schemaMap':
      return mapJson(value, partJson);
    case 'dependencies':
      return mapJson(value, dependencyJson);
  }
}

function pointedJson(type: string, value: unknown): string {
  switch (type.slice(type.indexOf('.') + 1)) {
    case 'JSONSchemaProps':
      return partJson(value);
    case 'JSONSchemaPropsOrArray':
      return isMap(value)
        ? jsonMembers([
            ['Schema', partJson(value)],
            ['JSONSchemas', 'null'],
          ])
        : manyItemsJson(value);
    case 'JSONSchemaPropsOrBool':
      return jsonMembers([
        ['Allows', String(value !== false)],
        ['Schema', isMap(value) ? partJson(value) : 'null'],
      ]);
    case 'ExternalDocumentation': {
      const { description = '', url = '' } = isMap(value) ? value : {};
      return jsonMembers([
        ['Description', plainJson(description)],
        ['URL', plainJson(url)],
      ]);
    }
    default:
      return plainJson(value);
  }
}

const listJson = (value: unknown, item: (value: unknown) => string): string =>
  Array.isArray(value) ? `[${value.map(item).join(',')}]` : 'null';

const mapJson = (value: unknown, item: (value: unknown) => string): string =>
  isMap(value)
    ? jsonMembers(
        Object.keys(value)
          .sort(compareStrings)
          .map((key) => [key, item(value[key])]),
      )
    : 'null';

const dependencyJson = (value: unknown): string =>
  jsonMembers([
    ['Schema', isMap(value) ? partJson(value) : 'null'],
    ['Property', Array.isArray(value) ? plainJson(value) : 'null'],
  ]);
