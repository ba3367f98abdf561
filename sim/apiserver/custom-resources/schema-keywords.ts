/** Which keywords a declared schema may use at all, node by node, and how list and map types fit together. */
import { append } from '../../api/append.ts';
import { GoSyntax, goStringSlice } from '../../api/go-text.ts';
import type { FieldError } from '../../api/status.ts';
import { forbidden, invalid, notSupported, required } from '../../api/validation/field-error.ts';
import type { FieldPath } from '../../api/validation/field-path.ts';
import { isMap, itemsOf, type JSONSchemaProps } from './json-schema.ts';
import { manyItemsJson } from './schema-json.ts';
import { goManyItems } from './schema-text.ts';
import { writtenRuleErrors } from './rules/definition-rules.ts';

/** Why no default may stand here, if it may not. */
type DefaultBan = string | undefined;

export function keywordErrors(schema: JSONSchemaProps, path: FieldPath): FieldError[] {
  return errorsOf(schema, path, { isRoot: true, ban: undefined, isMeta: false });
}

interface Place {
  readonly isRoot: boolean;
  readonly ban: DefaultBan;
  /** Below a member that describes the metadata of an object, or its names. */
  readonly isMeta: boolean;
}

const TOP_MEMBERS = ['apiVersion', 'kind', 'metadata'];

function errorsOf(schema: JSONSchemaProps, path: FieldPath, place: Place): FieldError[] {
  return [
    ...unsupported(schema, path, place),
    ...inner(schema, path, place),
    ...typeRules(schema, path),
    ...writtenRuleErrors(schema, path),
  ];
}

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

function unsupported(schema: JSONSchemaProps, path: FieldPath, { ban, isMeta }: Place): FieldError[] {
  const errors: FieldError[] = [];
  if (schema.type && !TYPES.includes(schema.type))
    errors.push(notSupported(path.child('type'), schema.type, TYPES));
  const refuse = (isUsed: boolean, keyword: string, detail = `${keyword} is not supported`): void => {
    if (isUsed) errors.push(forbidden(path.child(keyword), detail));
  };
  refuse(ban !== undefined && schema.default !== undefined, 'default', ban);
  refuse(Boolean(schema.id), 'id');
  refuse(schema.additionalItems !== undefined, 'additionalItems');
  refuse(isUsedMap(schema.patternProperties), 'patternProperties');
  refuse(isUsedMap(schema.definitions), 'definitions');
  refuse(schema.dependencies !== undefined, 'dependencies');
  refuse(schema.$ref !== undefined, '$ref');
  refuse(schema.type === 'null', 'type', 'type cannot be set to null, use nullable as an alternative');
  refuse(
    Array.isArray(schema.items) && schema.items.length > 0,
    'items',
    'items must be a schema object and not an array',
  );
  refuse(
    isMeta && schema['x-kubernetes-embedded-resource'] === true,
    'x-kubernetes-embedded-resource',
    'must not be used inside of resource meta',
  );
  refuse(
    schema.uniqueItems === true,
    'uniqueItems',
    'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
  );
  return errors;
}

const isUsedMap = (value: unknown): boolean => isMap(value) && Object.keys(value).length > 0;

function inner(schema: JSONSchemaProps, path: FieldPath, place: Place): FieldError[] {
  const errors: FieldError[] = [];
  const { additionalProperties, properties = {} } = schema;
  const below = (part: JSONSchemaProps, at: FieldPath, own: Partial<Place> = {}): void => {
    append(errors, errorsOf(part, at, { ...place, isRoot: false, ...own }));
  };
  const hasProperties = Object.keys(properties).length > 0;
  if (hasProperties && (isMap(additionalProperties) || additionalProperties === false)) {
    errors.push(
      forbidden(
        path.child('additionalProperties'),
        'additionalProperties and properties are mutual exclusive',
      ),
    );
  }
  if (isMap(additionalProperties)) {
    const ban = 'must not be set inside additionalProperties applying to object metadata';
    below(additionalProperties, path.child('additionalProperties'), place.isMeta ? { ban } : {});
  }
  for (const name of Object.keys(properties).sort()) {
    const part = properties[name];
    if (part) below(part, path.child('properties').key(name), placeOf(name, schema, place));
  }
  if (schema.not) below(schema.not, path.child('not'));
  for (const junctor of ['allOf', 'oneOf', 'anyOf'] as const) {
    for (const [index, part] of (schema[junctor] ?? []).entries())
      below(part, path.child(junctor).index(index));
  }
  for (const [keyword, parts] of [
    ['definitions', schema.definitions],
    ['items', schema.items],
    ['dependencies', schema.dependencies],
  ] as const)
    for (const [part, at] of partsOf(parts, path.child(keyword))) below(part, at);
  return errors;
}

/** What describes metadata stands under rules of its own. */
function placeOf(name: string, schema: JSONSchemaProps, { isRoot }: Place): Partial<Place> {
  if (!TOP_MEMBERS.includes(name) || !(isRoot || schema['x-kubernetes-embedded-resource'])) return {};
  return isRoot ? { isMeta: true, ban: `must not be set in top-level ${name}` } : { isMeta: true };
}

/** Of `items`, one schema or several; of maps, one for each key. */
function partsOf(value: unknown, path: FieldPath): (readonly [JSONSchemaProps, FieldPath])[] {
  if (Array.isArray(value)) return value.filter(isMap).map((part, index) => [part, path.index(index)]);
  if (!isMap(value)) return [];
  if (path.text.endsWith('.items')) return [[value, path]];
  return Object.keys(value)
    .sort()
    .flatMap((key) => {
      const part = value[key];
      return isMap(part) ? [[part, path.key(key)] as const] : [];
    });
}

function typeRules(schema: JSONSchemaProps, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const mapType = schema['x-kubernetes-map-type'];
  const listType = schema['x-kubernetes-list-type'];
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    errors.push(
      invalid(path.child('x-kubernetes-preserve-unknown-fields'), false, 'must be true or undefined'),
    );
  }
  if (mapType !== undefined) {
    if (schema.type !== 'object')
      errors.push(wrongType(schema, path, 'must be object if x-kubernetes-map-type is specified'));
    if (!['atomic', 'granular'].includes(mapType)) {
      errors.push(notSupported(path.child('x-kubernetes-map-type'), mapType, ['atomic', 'granular']));
    }
  }
  if (listType !== undefined) {
    if (schema.type !== 'array')
      errors.push(wrongType(schema, path, 'must be array if x-kubernetes-list-type is specified'));
    if (!['atomic', 'set', 'map'].includes(listType)) {
      errors.push(notSupported(path.child('x-kubernetes-list-type'), listType, ['atomic', 'set', 'map']));
    }
  }
  const items = itemsOf(schema);
  if (listType === 'set' && schema.type === 'array' && items) append(errors, setErrors(items, path));
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (keys.length > 0 && listType !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const at = path.child('x-kubernetes-list-type');
    errors.push(listType === undefined ? required(at, detail) : invalid(at, listType, detail));
  }
  if (listType === 'set' && items?.nullable)
    errors.push(
      forbidden(path.child('items', 'nullable'), 'cannot be nullable when x-kubernetes-list-type is set'),
    );
  if (listType === 'map') append(errors, mapListErrors(schema, keys, path));
  return errors;
}

const wrongType = ({ type }: JSONSchemaProps, path: FieldPath, detail: string): FieldError =>
  type ? invalid(path.child('type'), type, detail) : required(path.child('type'), detail);

function setErrors(items: JSONSchemaProps, path: FieldPath): FieldError[] {
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const at = path.child('items');
  const listType = items['x-kubernetes-list-type'];
  // The value that is shown is that of the other keyword: so real servers do it.
  if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic')
    return [invalid(at.child('x-kubernetes-map-type'), listType, detail)];
  if (items.type === 'array' && listType !== undefined && listType !== 'atomic')
    return [invalid(at.child('x-kubernetes-list-type'), listType, detail)];
  return [];
}

const COMPOSED = ['array', 'object'];

function mapListErrors(schema: JSONSchemaProps, keys: readonly string[], path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const items = itemsOf(schema);
  const keysPath = path.child('x-kubernetes-list-map-keys');
  if (keys.length === 0)
    errors.push(required(keysPath, 'must not be empty if x-kubernetes-list-type is map'));
  if (!items) {
    const { items: declared } = schema as { readonly items?: unknown };
    return [
      ...errors,
      declared === undefined || declared === null
        ? required(path.child('items'), 'must have a schema if x-kubernetes-list-type is map')
        : invalid(
            path.child('items'),
            new GoSyntax(goManyItems(declared), () => manyItemsJson(declared)),
            'must only have a single schema if x-kubernetes-list-type is map',
          ),
    ];
  }
  if (items.type === 'object') append(errors, keyErrors(items, keys, path));
  else {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    errors.push(invalid(path.child('items', 'type'), items.type ?? '', detail));
  }
  if (items.nullable)
    errors.push(
      forbidden(path.child('items', 'nullable'), 'cannot be nullable when x-kubernetes-list-type is map'),
    );
  const because = 'this property is in x-kubernetes-list-map-keys, so it';
  const asked = new Set(items.required);
  for (const key of keys) {
    const property = items.properties?.[key];
    if (!property) continue;
    const at = path.child('items', 'properties').key(key);
    if (!asked.has(key) && property.default === undefined) {
      errors.push(required(at.child('default'), `${because} must have a default or be a required property`));
    }
    if (property.nullable) errors.push(forbidden(at.child('nullable'), `${because} cannot be nullable`));
  }
  return errors;
}

function keyErrors(items: JSONSchemaProps, keys: readonly string[], path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const at = path.child('x-kubernetes-list-map-keys');
  for (const key of keys) {
    const property = items.properties?.[key];
    if (!property)
      errors.push(invalid(at, goStringSlice(keys), 'entries must all be names of item properties'));
    else if (COMPOSED.includes(property.type ?? '')) {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalid(path.child('items', 'properties').key(key).child('type'), items.type, detail));
    }
  }
  if (new Set(keys).size < keys.length)
    errors.push(invalid(at, goStringSlice(keys), 'must not contain duplicate entries'));
  return errors;
}
