/**
 * Declared defaults have to be values of their schema. Those below `additionalProperties` nobody looks at; a default that
 * may be a number or a text may be anything, and may name an item twice.
 */
import { append } from '../../api/append.ts';
import { type GoSyntax, goUntypedValue } from '../../api/go-text.ts';
import type { Json } from '../../api/object.ts';
import { RELEASE_1_31 } from '../../api/release/release-1-31.ts';
import type { FieldError } from '../../api/status.ts';
import { invalid } from '../../api/validation/field-error.ts';
import type { FieldPath } from '../../api/validation/field-path.ts';
import { embeddedErrors, embeddedTypeErrors, withCutMetadata } from './embedded-resource.ts';
import { isMap, itemsOf, type JSONSchemaProps } from './json-schema.ts';
import { pruned } from './prune.ts';
import { ruleErrors } from './rules/check-rules.ts';
import { validateValue } from './validate-value.ts';

/** Of all releases alike. */
const META = RELEASE_1_31.catalog.types.structOf('meta.k8s.io/v1.ObjectMeta');

/** Of the whole object's schema. */
export const defaultErrors = (schema: JSONSchemaProps, path: FieldPath): FieldError[] =>
  errorsBelow(schema, path, { isRoot: true });

interface Place {
  /** The schema is that of the whole object. */
  readonly isRoot?: boolean;
  /** Within the metadata, kind or version of an embedded object: what that is with nothing but a value of the schema. */
  readonly wrap?: (value: Json) => Json;
  /** Of that object. */
  readonly embedded?: JSONSchemaProps;
}

function errorsBelow(schema: JSONSchemaProps, path: FieldPath, around: Place): FieldError[] {
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  const place: Place = isEmbedded ? { isRoot: around.isRoot === true, embedded: schema } : around;
  const errors: FieldError[] = [];
  if (schema.default !== undefined && schema.default !== null)
    append(errors, errorsOfDefault(schema, path.child('default'), place));
  for (const name of Object.keys(schema.properties ?? {}).sort()) {
    const part = schema.properties?.[name];
    if (!part) continue;
    append(errors, errorsBelow(part, path.child('properties').key(name), placeOf(name, place, isEmbedded)));
  }
  const items = itemsOf(schema);
  const { wrap, embedded } = place;
  if (items) {
    const inItems: Place = wrap && embedded ? { wrap: (value) => wrap([value]), embedded } : {};
    append(errors, errorsBelow(items, path.child('items'), inItems));
  }
  return errors;
}

const OF_OBJECTS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);
const SOME_OBJECT = { apiVersion: 'validation/v1', kind: 'Validation' };

function placeOf(name: string, { wrap, embedded }: Place, isOfObject: boolean): Place {
  if (!embedded) return {};
  if (wrap) return { wrap: (value) => wrap({ [name]: value }), embedded };
  return isOfObject && OF_OBJECTS.has(name)
    ? { wrap: (value) => ({ ...SOME_OBJECT, [name]: value }), embedded }
    : {};
}

function errorsOfDefault(schema: JSONSchemaProps, path: FieldPath, place: Place): FieldError[] {
  const value = schema.default as Json;
  const isObject = place.isRoot === true || schema['x-kubernetes-embedded-resource'] === true;
  const unknown = place.wrap ? [] : unknownErrors(schema, path, isObject);
  const misfits = misfitsOf(value, schema, { isObject, path, place });
  if (misfits.length > 0) return [...unknown, ...misfits];
  return [
    ...unknown,
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

function unknownErrors(schema: JSONSchemaProps, path: FieldPath, isObject: boolean): FieldError[] {
  const value = schema.default as Json;
  if (pruned(value, schema, isObject) === value) return [];
  return [invalid(path, shownValue(value), 'must not have unknown fields')];
}

const shownValue = (value: Json): string | GoSyntax =>
  typeof value === 'string' ? value : goUntypedValue(value);

interface Looking {
  readonly isObject: boolean;
  readonly path: FieldPath;
  readonly place: Place;
}

/** Who is no whole object where one is wanted is not looked at further. */
function misfitsOf(
  value: Json,
  schema: JSONSchemaProps,
  { isObject, path, place: { wrap, embedded } }: Looking,
): readonly FieldError[] {
  const [object, ofWhat] = wrap && embedded ? [wrap(value), embedded] : [value, schema];
  const unfit = objectErrors(object, ofWhat, wrap !== undefined || isObject);
  if (unfit.length > 0) {
    if (!wrap) return unfit.map((error) => ofElement(path, error) ?? below(path, error));
    return [invalid(path, shownValue(value), `must result in valid metadata: ${textOfAll(unfit)}`)];
  }
  return validateValue(value, withoutIntOrString(schema), '', { everyFormatCounts: true }).map((error) =>
    below(path, error),
  );
}

function objectErrors(value: Json, schema: JSONSchemaProps, isObject: boolean): readonly FieldError[] {
  const wrongTypes = embeddedTypeErrors(value, schema, { metaSchema: META, isObject });
  return wrongTypes.length > 0 ? wrongTypes : embeddedErrors(value, schema, isObject);
}

/** What is said of embedded objects names elements right behind the path; of other values a dot stands between. */
const ofElement = (path: FieldPath, error: FieldError): FieldError | undefined =>
  error.field.startsWith('[') ? { ...error, field: path.text + error.field } : undefined;

const below = (path: FieldPath, error: FieldError): FieldError => ({
  ...error,
  field: fieldBelow(path, error.field),
});

/** As Go joins errors: each once. */
function textOfAll(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}

/**
 * The schema whose declared defaults have their objects' metadata cut to what metadata may hold, as a server that looks at them
 * leaves them behind. Those of which nobody looks at stay as they are.
 */
export function withCutDefaults<Schema extends JSONSchemaProps>(schema: Schema, isRoot = true): Schema {
  const { properties, items, default: value } = schema;
  const single = itemsOf(schema);
  const isObject = isRoot || schema['x-kubernetes-embedded-resource'] === true;
  const cut =
    value === undefined || value === null
      ? value
      : withCutMetadata(value as Json, schema, { metaSchema: META, isObject });
  const parts = Object.entries(properties ?? {}).map(
    ([name, part]) => [name, withCutDefaults(part, false)] as const,
  );
  const ofItems = single && withCutDefaults(single, false);
  const isSame = cut === value && ofItems === single;
  if (isSame && parts.every(([name, part]) => part === properties?.[name])) return schema;
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(parts) }),
    ...(items !== undefined && { items: ofItems ?? items }),
    ...(cut !== value && { default: cut }),
  };
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
  if (field === '' || field === '<nil>') return path.text;
  return field.startsWith('.') ? path.text + field : `${path.text}.${field}`;
};
