/** The language as a JSON Schema, for completion and checks in editors. */
import { DURATION_PATTERN } from './duration.ts';
import type { Shape, StructShape } from './shape.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Draft 7, which editors understand best. */
export function jsonSchemaOf(...roots: readonly StructShape[]): JsonSchema {
  const definitions: Record<string, JsonSchema> = {};
  const schemaOf = (shape: Shape): JsonSchema => {
    const description = { description: shape.doc };
    switch (shape.kind) {
      case 'text':
        return { ...description, type: 'string', ...(shape.pattern && { pattern: shape.pattern.source }) };
      case 'integer':
        return {
          ...description,
          type: 'integer',
          minimum: shape.min,
          ...(shape.max !== Number.MAX_SAFE_INTEGER && { maximum: shape.max }),
        };
      case 'flag':
        return { ...description, type: 'boolean' };
      case 'duration':
        return {
          ...description,
          anyOf: [{ type: 'string', pattern: `^0$|${DURATION_PATTERN}` }, { const: 0 }],
        };
      case 'word':
        return { ...description, enum: shape.words };
      case 'json':
        return { ...description, ...(shape.only === 'object' && { type: 'object' }) };
      case 'list':
        return { ...description, type: 'array', items: schemaOf(shape.item) };
      case 'map':
        return { ...description, type: 'object', additionalProperties: schemaOf(shape.value) };
      case 'either':
        return { ...description, anyOf: shape.options.map(schemaOf) };
      case 'struct':
        return reference(shape);
      case 'later':
        return reference(shape.shape());
    }
  };
  const reference = (shape: StructShape): JsonSchema => {
    if (!Object.hasOwn(definitions, shape.name)) {
      definitions[shape.name] = {};
      definitions[shape.name] = structSchema(shape, schemaOf);
    }
    return { $ref: `#/definitions/${shape.name}` };
  };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'kubesim scenario',
    anyOf: roots.map(reference),
    definitions,
  };
}

function structSchema(shape: StructShape, schemaOf: (shape: Shape) => JsonSchema): JsonSchema {
  const fields = Object.entries(shape.fields);
  const requiredNames = fields.filter(([, { isRequired }]) => isRequired).map(([name]) => name);
  return {
    description: shape.doc,
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(fields.map(([name, field]) => [name, schemaOf(field.shape)])),
    ...(requiredNames.length > 0 && { required: requiredNames }),
    ...(shape.verbs && { oneOf: shape.verbs.map((verb) => ({ required: [verb] })) }),
  };
}
