/** A schema is structural if types are said once, outside of junctors: the condition for pruning and defaults. */
import { append } from '../../api/append.ts';
import { compareStrings } from '../../api/go-text.ts';
import type { FieldError } from '../../api/status.ts';
import { forbidden, invalid, required } from '../../api/validation/field-error.ts';
import type { FieldPath } from '../../api/validation/field-path.ts';
import { isMap, itemsOf, type JSONSchemaProps, propertyOf } from './json-schema.ts';
import { problemOf } from './patterns.ts';

type Level = 'root' | 'item' | 'field';

const EMPTY_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

/** In the order of their texts. */
export const structuralErrors = (schema: JSONSchemaProps, path: FieldPath): FieldError[] =>
  [...invariantErrors(schema, 'root', path), ...completenessErrors(schema, path)]
    .map((error) => ({ error, text: `${error.field}: ${error.message}` }))
    .sort((a, b) => compareStrings(a.text, b.text))
    .map(({ error }) => error);

/** Why it cannot even be read as a structural schema. */
export function unreadable(schema: JSONSchemaProps): string | undefined {
  const keyword = UNREADABLE.find((name) => isSaid(schema[name], name));
  if (keyword !== undefined)
    return `OpenAPIV3Schema '${keyword.replace('$schema', 'schema')}' is not supported`;
  if (Array.isArray(schema.items) && schema.items.length > 0)
    return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  if (schema['x-kubernetes-preserve-unknown-fields'] === false)
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  const { additionalProperties, not, properties = {} } = schema;
  const parts = [
    ...JUNCTORS.flatMap((junctor) => schema[junctor] ?? []),
    ...[not, itemsOf(schema), isMap(additionalProperties) ? additionalProperties : undefined],
    ...Object.keys(properties).map((name) => properties[name]),
  ];
  for (const part of parts) {
    const problem = part && unreadable(part);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const UNREADABLE = [
  ...(['id', '$schema', '$ref', 'additionalItems'] as const),
  ...(['patternProperties', 'definitions', 'dependencies'] as const),
];

/** Of further elements even a schema that says nothing. */
const isSaid = (value: unknown, name: string): boolean =>
  value !== undefined &&
  value !== null &&
  value !== '' &&
  (typeof value !== 'object' || name === 'additionalItems' || Object.keys(value).length > 0);

function invariantErrors(schema: JSONSchemaProps, level: Level, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const items = itemsOf(schema);
  if (schema.type === 'array' && !items) errors.push(required(path.child('items'), 'must be specified'));
  if (items) append(errors, invariantErrors(items, 'item', path.child('items')));
  for (const name of Object.keys(schema.properties ?? {}).sort()) {
    const part = schema.properties?.[name];
    if (part) append(errors, invariantErrors(part, 'field', path.child('properties').key(name)));
  }
  const { additionalProperties } = schema;
  if (isMap(additionalProperties)) {
    append(errors, invariantErrors(additionalProperties, 'field', path.child('additionalProperties')));
  }
  append(errors, junctorErrors(schema, path, true));
  return [
    ...errors,
    ...patternErrors(schema, path),
    ...exclusionErrors(schema, path),
    ...typeErrors(schema, level, path),
    ...metadataErrors(schema, level, path),
  ];
}

/** What nobody can read restricts no values. */
function patternErrors({ pattern }: JSONSchemaProps, path: FieldPath): FieldError[] {
  const problem = pattern ? problemOf(pattern) : undefined;
  if (problem === undefined) return [];
  const detail = `must be a valid regular expression, but isn't: ${problem}`;
  return [invalid(path.child('pattern'), pattern, detail)];
}

const exclusionErrors = (schema: JSONSchemaProps, path: FieldPath): FieldError[] =>
  schema['x-kubernetes-int-or-string']
    ? (['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const)
        .filter((keyword) => schema[keyword] === true)
        .map((keyword) =>
          invalid(path.child(keyword), true, 'must be false if x-kubernetes-int-or-string is true'),
        )
    : [];

function typeErrors(schema: JSONSchemaProps, level: Level, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const { type = '', additionalProperties } = schema;
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  const preserves = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (isEmbedded && !preserves && Object.keys(schema.properties ?? {}).length === 0) {
    const detail =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(required(path.child('properties'), detail));
  }
  if (isEmbedded && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type ? invalid(path.child('type'), type, detail) : required(path.child('type'), detail));
  } else if (type === '' && !schema['x-kubernetes-int-or-string'] && !preserves) {
    errors.push(required(path.child('type'), EMPTY_TYPE[level]));
  }
  if (isEmbedded && additionalProperties !== undefined) {
    errors.push(
      forbidden(
        path.child('additionalProperties'),
        'must not be used if x-kubernetes-embedded-resource is set',
      ),
    );
  }
  if (level === 'root' && type !== '' && type !== 'object')
    errors.push(invalid(path.child('type'), type, 'must be object at the root'));
  if (level === 'root' && additionalProperties !== undefined) {
    errors.push(forbidden(path.child('additionalProperties'), 'must not be used at the root'));
  }
  return errors;
}

function metadataErrors(schema: JSONSchemaProps, level: Level, path: FieldPath): FieldError[] {
  if (level !== 'root' && !schema['x-kubernetes-embedded-resource']) return [];
  const errors: FieldError[] = [];
  for (const name of ['kind', 'apiVersion']) {
    const part = schema.properties?.[name];
    if (part && part.type !== 'string')
      errors.push(
        invalid(path.child('properties').key(name).child('type'), part.type ?? '', 'must be string'),
      );
  }
  const metadata = schema.properties?.['metadata'];
  if (!metadata) return errors;
  const at = path.child('properties').key('metadata');
  if (metadata.type !== 'object')
    errors.push(invalid(at.child('type'), metadata.type ?? '', 'must be object'));
  if (level === 'root' && !saysOnlyNames(metadata)) {
    errors.push(
      forbidden(
        at,
        'must not specify anything other than name and generateName, but metadata is implicitly specified',
      ),
    );
  }
  return errors;
}

/** Types, defaults and descriptions aside. */
function saysOnlyNames(metadata: JSONSchemaProps): boolean {
  const { type: _type, default: _default, properties = {}, ...rest } = metadata;
  const names = Object.keys(properties);
  return Object.keys(rest).length === 0 && names.every((name) => name === 'name' || name === 'generateName');
}

const JUNCTORS = ['allOf', 'anyOf', 'oneOf'] as const;

function junctorErrors(schema: JSONSchemaProps, path: FieldPath, isOutside = false): FieldError[] {
  const errors: FieldError[] = [];
  for (const junctor of JUNCTORS) {
    for (const [index, part] of (schema[junctor] ?? []).entries()) {
      const at = path.child(junctor).index(index);
      if (isOutside && junctor === 'anyOf' && isIntOrStringPattern(schema.anyOf ?? [])) continue;
      if (isOutside && junctor === 'allOf' && index === 0 && isIntOrStringPattern(part.anyOf ?? [])) {
        const { anyOf: _pattern, ...rest } = part;
        append(errors, nestedErrors(rest, at));
      } else append(errors, nestedErrors(part, at));
    }
  }
  if (schema.not) append(errors, nestedErrors(schema.not, path.child('not')));
  return errors;
}

/** `[{type: integer}, {type: string}]`, as generators write it. */
const isIntOrStringPattern = (parts: readonly JSONSchemaProps[]): boolean =>
  parts.length === 2 && saysOnlyType(parts[0], 'integer') && saysOnlyType(parts[1], 'string');

const saysOnlyType = (part: JSONSchemaProps | undefined, type: string): boolean =>
  part?.type === type &&
  Object.entries(part).every(([keyword, value]) => keyword === 'type' || isBesideThePoint(keyword, value));

/** What a structural schema does not hold. */
const isBesideThePoint = (keyword: string, value: unknown): boolean =>
  keyword === 'example' ||
  keyword === 'externalDocs' ||
  (keyword === 'items' && !isMap(value)) ||
  (keyword === 'additionalProperties' && value === false) ||
  ((UNREADABLE as readonly string[]).includes(keyword) && !isSaid(value, keyword));

/** What is said outside of junctors alone, and what it has to be inside. */
const SAID_OUTSIDE = [
  ['type', 'empty'],
  ['additionalProperties', 'undefined'],
  ['default', 'undefined'],
  ['title', 'empty'],
  ['description', 'empty'],
  ['nullable', 'false'],
  ['x-kubernetes-preserve-unknown-fields', 'false'],
  ['x-kubernetes-embedded-resource', 'false'],
  ['x-kubernetes-int-or-string', 'false'],
  ['x-kubernetes-list-map-keys', 'empty'],
  ['x-kubernetes-list-type', 'undefined'],
  ['x-kubernetes-map-type', 'undefined'],
  ['x-kubernetes-validations', 'empty'],
] as const satisfies readonly (readonly [keyof JSONSchemaProps, 'empty' | 'undefined' | 'false'])[];

type Outside = (typeof SAID_OUTSIDE)[number];

function isOutOfPlace(schema: JSONSchemaProps, [keyword, wanted]: Outside): boolean {
  const value = schema[keyword];
  if (keyword === 'additionalProperties') return value !== undefined && value !== false;
  if (wanted === 'undefined') return value !== undefined;
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/** Inside junctors values are restricted, types are not said. */
function nestedErrors(schema: JSONSchemaProps, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const items = itemsOf(schema);
  if (items) append(errors, nestedErrors(items, path.child('items')));
  for (const name of Object.keys(schema.properties ?? {}).sort()) {
    const part = schema.properties?.[name];
    if (part) append(errors, nestedErrors(part, path.child('properties').key(name)));
  }
  append(errors, [...junctorErrors(schema, path), ...patternErrors(schema, path)]);
  for (const outside of SAID_OUTSIDE) {
    const [keyword, wanted] = outside;
    if (isOutOfPlace(schema, outside))
      errors.push(forbidden(path.child(keyword), `must be ${wanted} to be structural`));
  }
  return errors;
}

/** What junctors at the root speak of has to be declared outside of them. */
function completenessErrors(schema: JSONSchemaProps, path: FieldPath): FieldError[] {
  return ofJunctors(schema, (part, at) => undeclaredErrors(part, schema, { own: path, junctor: at }), path);
}

interface Spoken {
  /** Where it would be declared. */
  readonly own: FieldPath;
  /** Where it is spoken of. */
  readonly junctor: FieldPath;
}

function undeclaredErrors(
  part: JSONSchemaProps,
  declared: JSONSchemaProps | undefined,
  { own, junctor }: Spoken,
): FieldError[] {
  if (!declared) return [required(own, `because it is defined in ${junctor.text}`)];
  const errors = ofJunctors(
    part,
    (inner, at) => undeclaredErrors(inner, declared, { own, junctor: at }),
    junctor,
  );
  const items = itemsOf(part);
  if (items) {
    const inside = { own: own.child('items'), junctor: junctor.child('items') };
    append(errors, undeclaredErrors(items, itemsOf(declared), inside));
  }
  for (const name of Object.keys(part.properties ?? {}).sort()) {
    const inside = {
      own: own.child('properties').key(name),
      junctor: junctor.child('properties').key(name),
    };
    append(errors, undeclaredErrors(part.properties?.[name] ?? {}, propertyOf(declared, name), inside));
  }
  return errors;
}

function ofJunctors(
  schema: JSONSchemaProps,
  errorsOf: (part: JSONSchemaProps, at: FieldPath) => FieldError[],
  path: FieldPath,
): FieldError[] {
  const errors = JUNCTORS.flatMap((junctor) =>
    (schema[junctor] ?? []).flatMap((part, index) => errorsOf(part, path.child(junctor).index(index))),
  );
  if (schema.not) append(errors, errorsOf(schema.not, path.child('not')));
  return errors;
}
