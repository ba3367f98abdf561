/** OpenAPI version 3 as protobuf: the messages of `openapi.v3.Document`, as far as API servers write them. */
import {
  any,
  bytesOf,
  double,
  each,
  eachAlone,
  flag,
  integer,
  isReference,
  membersOf,
  message,
  named,
  namedAlone,
  oneOf,
  type Put,
  text,
} from './message.ts';

export const documentOfVersion3 = (document: object): Uint8Array => bytesOf(DOCUMENT, document);

const REFERENCE = message(membersOf(() => ({ $ref: [1, text] })));

const orReference = (put: Put): Put => oneOf((value) => (isReference(value) ? [2, REFERENCE] : [1, put]));

const DOCUMENT = membersOf(
  () => ({
    openapi: [1, text],
    info: [
      2,
      message(membersOf(() => ({ title: [1, text], description: [2, text], version: [6, text] }), 7)),
    ],
    paths: [4, namedAlone(PATH_ITEM)],
    components: [5, COMPONENTS],
    security: [6, each(namedAlone(eachAlone(text)))],
  }),
  9,
);

const COMPONENTS = message(
  membersOf(
    () => ({
      schemas: [1, namedAlone(SCHEMA_OR_REFERENCE)],
      responses: [2, namedAlone(orReference(RESPONSE))],
      parameters: [3, namedAlone(orReference(PARAMETER))],
      requestBodies: [5, namedAlone(orReference(REQUEST_BODY))],
      securitySchemes: [7, namedAlone(orReference(SECURITY_SCHEME))],
    }),
    10,
  ),
);

const SECURITY_SCHEME = message(
  membersOf(
    () => ({ type: [1, text], description: [2, text], name: [3, text], in: [4, text], scheme: [5, text] }),
    9,
  ),
);

const MEDIA_TYPES = namedAlone(
  message(membersOf(() => ({ schema: [1, SCHEMA_OR_REFERENCE], example: [2, any] }), 5)),
);

const PARAMETER = message(
  membersOf(
    () => ({
      name: [1, text],
      in: [2, text],
      description: [3, text],
      required: [4, flag],
      deprecated: [5, flag],
      allowEmptyValue: [6, flag],
      style: [7, text],
      explode: [8, flag],
      allowReserved: [9, flag],
      schema: [10, SCHEMA_OR_REFERENCE],
      example: [11, any],
      content: [13, MEDIA_TYPES],
    }),
    14,
  ),
);

const REQUEST_BODY = message(
  membersOf(() => ({ description: [1, text], content: [2, MEDIA_TYPES], required: [3, flag] }), 4),
);

const RESPONSE = message(membersOf(() => ({ description: [1, text], content: [3, MEDIA_TYPES] }), 5));

/** The one that stands for all others has a place of its own. */
const RESPONSES = message((writer, value) => {
  const { default: other, ...codes } = value as Readonly<Record<string, unknown>>;
  if (other !== undefined) orReference(RESPONSE)(writer, 1, other);
  named(orReference(RESPONSE))(writer, 2, codes);
});

const OPERATION = message(
  membersOf(
    () => ({
      tags: [1, each(text)],
      summary: [2, text],
      description: [3, text],
      operationId: [5, text],
      parameters: [6, each(orReference(PARAMETER))],
      requestBody: [7, orReference(REQUEST_BODY)],
      responses: [8, RESPONSES],
      deprecated: [10, flag],
      security: [11, each(namedAlone(eachAlone(text)))],
    }),
    13,
  ),
);

const PATH_ITEM = message(
  membersOf(
    () => ({
      $ref: [1, text],
      summary: [2, text],
      description: [3, text],
      get: [4, OPERATION],
      put: [5, OPERATION],
      post: [6, OPERATION],
      delete: [7, OPERATION],
      options: [8, OPERATION],
      head: [9, OPERATION],
      patch: [10, OPERATION],
      trace: [11, OPERATION],
      parameters: [13, each(orReference(PARAMETER))],
    }),
    14,
  ),
);

const SCHEMA = message(
  membersOf(
    () => ({
      nullable: [1, flag],
      readOnly: [3, flag],
      writeOnly: [4, flag],
      example: [7, any],
      deprecated: [8, flag],
      title: [9, text],
      multipleOf: [10, double],
      maximum: [11, double],
      exclusiveMaximum: [12, flag],
      minimum: [13, double],
      exclusiveMinimum: [14, flag],
      maxLength: [15, integer],
      minLength: [16, integer],
      pattern: [17, text],
      maxItems: [18, integer],
      minItems: [19, integer],
      uniqueItems: [20, flag],
      maxProperties: [21, integer],
      minProperties: [22, integer],
      required: [23, each(text)],
      enum: [24, each(any)],
      type: [25, text],
      allOf: [26, each(SCHEMA_OR_REFERENCE)],
      oneOf: [27, each(SCHEMA_OR_REFERENCE)],
      anyOf: [28, each(SCHEMA_OR_REFERENCE)],
      not: [29, SCHEMA_ALONE],
      items: [30, eachAlone(SCHEMA_OR_REFERENCE)],
      properties: [31, namedAlone(SCHEMA_OR_REFERENCE)],
      additionalProperties: [32, ADDITIONAL],
      default: [33, DEFAULT],
      description: [34, text],
      format: [35, text],
    }),
    36,
  ),
);
const SCHEMA_ALONE: Put = (writer, number, value) => SCHEMA(writer, number, value);
const SCHEMA_OR_REFERENCE: Put = orReference((writer, number, value) => SCHEMA(writer, number, value));

const ADDITIONAL = oneOf((value) => (typeof value === 'boolean' ? [2, flag] : [1, SCHEMA_OR_REFERENCE]));

/** What is neither a number nor a text nor a truth has no place. */
const DEFAULT: Put = message((writer, value) => {
  if (typeof value === 'number') double(writer, 1, value);
  else if (typeof value === 'boolean') flag(writer, 2, value);
  else if (typeof value === 'string') text(writer, 3, value);
});
