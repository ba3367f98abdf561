/** A schema as Go's `%#v` prints it: refusals of a whole root show it. What a pointer leads to is not printed. */
import { compareStrings, goQuote, goStringSlice, goUntyped } from '../../api/go-text.ts';
import type { Json } from '../../api/object.ts';
import type { ValidationRule } from '../../api/types/apiextensions-k8s-io-v1.ts';
import { isMap, type JSONSchemaProps } from './json-schema.ts';

const GO = 'apiextensions.';
const ADDRESS = '0xc000000000';

export type SchemaForm =
  | { readonly kind: 'text' | 'flag' | 'texts' | 'values' | 'rules' | 'dependencies' }
  | { readonly kind: 'pointer'; readonly type: string }
  | { readonly kind: 'schemas' }
  | { readonly kind: 'schemaMap'; readonly type: string };

const TEXT: SchemaForm = { kind: 'text' };
const FLAG: SchemaForm = { kind: 'flag' };
const TEXTS: SchemaForm = { kind: 'texts' };
const SCHEMAS: SchemaForm = { kind: 'schemas' };
const pointer = (type: string): SchemaForm => ({ kind: 'pointer', type });
const schemaMap = (type: string): SchemaForm => ({ kind: 'schemaMap', type });

/** Go's name, the document's name, and the type, in the order of Go. */
export const SCHEMA_MEMBERS: readonly (readonly [string, keyof JSONSchemaProps, SchemaForm])[] = [
  ['ID', 'id', TEXT],
  ['Schema', '$schema', TEXT],
  ['Ref', '$ref', pointer('string')],
  ['Description', 'description', TEXT],
  ['Type', 'type', TEXT],
  ['Nullable', 'nullable', FLAG],
  ['Format', 'format', TEXT],
  ['Title', 'title', TEXT],
  ['Default', 'default', pointer(`${GO}JSON`)],
  ['Maximum', 'maximum', pointer('float64')],
  ['ExclusiveMaximum', 'exclusiveMaximum', FLAG],
  ['Minimum', 'minimum', pointer('float64')],
  ['ExclusiveMinimum', 'exclusiveMinimum', FLAG],
  ['MaxLength', 'maxLength', pointer('int64')],
  ['MinLength', 'minLength', pointer('int64')],
  ['Pattern', 'pattern', TEXT],
  ['MaxItems', 'maxItems', pointer('int64')],
  ['MinItems', 'minItems', pointer('int64')],
  ['UniqueItems', 'uniqueItems', FLAG],
  ['MultipleOf', 'multipleOf', pointer('float64')],
  ['Enum', 'enum', { kind: 'values' }],
  ['MaxProperties', 'maxProperties', pointer('int64')],
  ['MinProperties', 'minProperties', pointer('int64')],
  ['Required', 'required', TEXTS],
  ['Items', 'items', pointer(`${GO}JSONSchemaPropsOrArray`)],
  ['AllOf', 'allOf', SCHEMAS],
  ['OneOf', 'oneOf', SCHEMAS],
  ['AnyOf', 'anyOf', SCHEMAS],
  ['Not', 'not', pointer(`${GO}JSONSchemaProps`)],
  ['Properties', 'properties', schemaMap(`map[string]${GO}JSONSchemaProps`)],
  ['AdditionalProperties', 'additionalProperties', pointer(`${GO}JSONSchemaPropsOrBool`)],
  ['PatternProperties', 'patternProperties', schemaMap(`map[string]${GO}JSONSchemaProps`)],
  ['Dependencies', 'dependencies', { kind: 'dependencies' }],
  ['AdditionalItems', 'additionalItems', pointer(`${GO}JSONSchemaPropsOrBool`)],
  ['Definitions', 'definitions', schemaMap(`${GO}JSONSchemaDefinitions`)],
  ['ExternalDocs', 'externalDocs', pointer(`${GO}ExternalDocumentation`)],
  ['Example', 'example', pointer(`${GO}JSON`)],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields', pointer('bool')],
  ['XEmbeddedResource', 'x-kubernetes-embedded-resource', FLAG],
  ['XIntOrString', 'x-kubernetes-int-or-string', FLAG],
  ['XListMapKeys', 'x-kubernetes-list-map-keys', TEXTS],
  ['XListType', 'x-kubernetes-list-type', pointer('string')],
  ['XMapType', 'x-kubernetes-map-type', pointer('string')],
  ['XValidations', 'x-kubernetes-validations', { kind: 'rules' }],
];

export const goSchema = (schema: JSONSchemaProps): string =>
  `${GO}JSONSchemaProps{${SCHEMA_MEMBERS.map(([name, member, form]) => `${name}:${textOf(schema[member], form)}`).join(', ')}}`;

/** Of `items` that are no single schema: a list of schemas, or nothing that Go's types take. */
export const goManyItems = (items: unknown): string =>
  `${GO}JSONSchemaPropsOrArray{Schema:(*${GO}JSONSchemaProps)(nil), JSONSchemas:${textOf(items, SCHEMAS)}}`;

function textOf(value: unknown, form: SchemaForm): string {
  switch (form.kind) {
    case 'text':
      return goQuote(typeof value === 'string' ? value : '');
    case 'flag':
      return String(value === true);
    case 'texts':
      return goStringSlice(value as readonly string[] | undefined).text;
    case 'values':
      return listText(`[]${GO}JSON`, value, (item) =>
        item === null ? `${GO}JSON(nil)` : goUntyped(item as Json),
      );
    case 'rules':
      return listText(`${GO}ValidationRules`, value, (rule) => goRule(rule as ValidationRule));
    case 'schemas':
      return listText(`[]${GO}JSONSchemaProps`, value, (part) => goSchema(part as JSONSchemaProps));
    case 'pointer':
      return pointerText(form.type, value);
    case 'schemaMap':
      return mapText(form.type, value, (part) => goSchema(part as JSONSchemaProps));
    case 'dependencies':
      return mapText(`${GO}JSONSchemaDependencies`, value, dependencyText);
  }
}

export const pointerText = (type: string, value: unknown): string =>
  `(*${type})(${value === undefined || value === null ? 'nil' : ADDRESS})`;

const listText = (type: string, value: unknown, item: (value: unknown) => string): string =>
  Array.isArray(value) ? `${type}{${value.map(item).join(', ')}}` : `${type}(nil)`;

function mapText(type: string, value: unknown, item: (value: unknown) => string): string {
  if (!isMap(value)) return `${type}(nil)`;
  const keys = Object.keys(value).sort(compareStrings);
  return `${type}{${keys.map((key) => `${goQuote(key)}:${item(value[key])}`).join(', ')}}`;
}

function dependencyText(value: unknown): string {
  const names = Array.isArray(value) ? (value as readonly string[]) : undefined;
  const schema = pointerText(`${GO}JSONSchemaProps`, names ? undefined : value);
  return `${GO}JSONSchemaPropsOrStringArray{Schema:${schema}, Property:${goStringSlice(names).text}}`;
}

/** As Go prints the rule. */
export function goRule(rule: ValidationRule): string {
  const { message = '', messageExpression = '', reason, fieldPath = '', optionalOldSelf } = rule;
  return `${GO}ValidationRule{Rule:${goQuote(rule.rule)}, Message:${goQuote(message)}, MessageExpression:${goQuote(messageExpression)}, Reason:${pointerText(`${GO}FieldValueErrorReason`, reason)}, FieldPath:${goQuote(fieldPath)}, OptionalOldSelf:${pointerText('bool', optionalOldSelf)}}`;
}
