/** OpenAPI version 2 out of version 3: the same paths and schemas in the older words, without what it cannot say. */
import type { Json, JsonObject } from '../../api/object.ts';

type Members = Readonly<Record<string, unknown>>;

/** @param document version 3, with everything in it */
export function swaggerOf(document: JsonObject): JsonObject {
  const { info, paths, components } = document as Members;
  const schemas = (components as Members)['schemas'] as Members;
  return {
    swagger: '2.0',
    info: info as Json,
    paths: mapMembers(paths as Members, pathItem),
    definitions: mapMembers(schemas, schemaOf),
    securityDefinitions: (components as Members)['securitySchemes'] as Json,
    security: [{ BearerToken: [] }],
  };
}

const mapMembers = (members: Members, change: (value: Members) => Json): JsonObject =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, change(value as Members)]));

function pathItem(item: Members): JsonObject {
  const { parameters, ...operations } = item;
  return {
    ...mapMembers(operations, operationOf),
    ...(parameters !== undefined && { parameters: (parameters as readonly Members[]).map(parameterOf) }),
  };
}

function operationOf(operation: Members): JsonObject {
  const { parameters, requestBody, responses, ...others } = operation;
  const body = requestBody as Members | undefined;
  const content = body?.['content'] as Members | undefined;
  const answers = Object.values(responses as Members) as readonly Members[];
  const all = [
    ...(content ? [bodyParameter(content, body?.['required'] === true)] : []),
    ...((parameters as readonly Members[] | undefined) ?? []).map(parameterOf),
  ];
  return {
    ...(others as JsonObject),
    consumes: content ? Object.keys(content) : ['*/*'],
    produces: Object.keys((answers[0]?.['content'] as Members | undefined) ?? {}),
    ...(all.length > 0 && { parameters: all }),
    responses: mapMembers(responses as Members, responseOf),
  };
}

const bodyParameter = (content: Members, required: boolean): JsonObject => ({
  name: 'body',
  in: 'body',
  ...(required && { required }),
  schema: firstSchema(content),
});

function parameterOf(parameter: Members): JsonObject {
  const { schema, ...others } = parameter;
  return { ...(others as JsonObject), ...(schema as JsonObject) };
}

function responseOf(response: Members): JsonObject {
  const { description, content } = response;
  return {
    description: description as string,
    ...(content !== undefined && { schema: firstSchema(content as Members) }),
  };
}

const firstSchema = (content: Members): JsonObject =>
  schemaOf((Object.values(content)[0] as Members)['schema'] as Members);

/** Words that version 2 does not have; a schema without them accepts more, never less. */
const DROPPED: ReadonlySet<string> = new Set(['default', 'oneOf', 'anyOf', 'not', 'nullable']);

/** What may be anything is said to be nothing in particular; a kind whose objects may be anything is still an object. */
const SAID_OF_SHAPE: ReadonlySet<string> = new Set(['type', 'properties', 'items']);
const PRESERVES = 'x-kubernetes-preserve-unknown-fields';

function withoutShape(schema: Members): Members {
  const isFree = schema[PRESERVES] === true || schema['nullable'] === true;
  if (!isFree) return schema;
  const isKind = schema['x-kubernetes-group-version-kind'] !== undefined;
  const kept = Object.entries(schema).filter(
    ([name]) => !SAID_OF_SHAPE.has(name) && !(isKind && name === PRESERVES),
  );
  return { ...Object.fromEntries(kept), ...(isKind && { type: 'object' }) };
}

function schemaOf(whole: Members): JsonObject {
  const schema = withoutShape(whole);
  const { allOf, ...others } = schema;
  const [wrapped] = (allOf as readonly Members[] | undefined) ?? [];
  const ref = (wrapped?.['$ref'] ?? schema['$ref']) as string | undefined;
  const members = Object.entries(others).filter(([name]) => name !== '$ref' && !DROPPED.has(name));
  return {
    ...(ref !== undefined && { $ref: ref.replace('#/components/schemas/', '#/definitions/') }),
    // What is one of several types is written as text here, as `Quantity` and `IntOrString` are.
    ...(isTextual(schema) && { type: 'string' }),
    ...Object.fromEntries(members.map(([name, value]) => [name, memberOf(name, value)])),
  };
}

const isTextual = ({ oneOf, type }: Members): boolean =>
  type === undefined && Array.isArray(oneOf) && oneOf.some((each) => (each as Members)['type'] === 'string');

function memberOf(name: string, value: unknown): Json {
  if (name === 'properties') return mapMembers(value as Members, schemaOf);
  const isSchema = name === 'items' || name === 'additionalProperties';
  return isSchema && typeof value === 'object' ? schemaOf(value as Members) : (value as Json);
}
