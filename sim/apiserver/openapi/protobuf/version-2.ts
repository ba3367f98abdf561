/** OpenAPI version 2 as protobuf: the messages of `openapi.v2.Document`, as far as API servers write them. */
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

export const documentOfVersion2 = (document: object): Uint8Array => bytesOf(DOCUMENT, document);

const DOCUMENT = membersOf(
  () => ({
    swagger: [1, text],
    info: [
      2,
      message(membersOf(() => ({ title: [1, text], version: [2, text], description: [3, text] }), 7)),
    ],
    host: [3, text],
    basePath: [4, text],
    schemes: [5, each(text)],
    consumes: [6, each(text)],
    produces: [7, each(text)],
    paths: [8, namedAlone(PATH_ITEM, 2)],
    definitions: [9, namedAlone(SCHEMA)],
    parameters: [10, namedAlone(PARAMETER)],
    security: [12, each(SECURITY)],
    securityDefinitions: [13, namedAlone(SECURITY_DEFINITION)],
  }),
  16,
);

const SECURITY: Put = namedAlone(eachAlone(text));

const SECURITY_DEFINITION = oneOf(() => [
  2,
  message(membersOf(() => ({ type: [1, text], name: [2, text], in: [3, text], description: [4, text] }), 5)),
]);

const REFERENCE = message(membersOf(() => ({ $ref: [1, text], description: [2, text] })));

const BODY_PARAMETER = message(
  membersOf(
    () => ({
      description: [1, text],
      name: [2, text],
      in: [3, text],
      required: [4, flag],
      schema: [5, SCHEMA],
    }),
    6,
  ),
);

/** The numbers of what other parameters have in common begin at different places. */
const plainParameter = (first: number, more: Readonly<Record<string, readonly [number, Put]>>): Put =>
  message(
    membersOf(
      () => ({
        required: [1, flag],
        in: [2, text],
        description: [3, text],
        name: [4, text],
        ...more,
        type: [first, text],
        format: [first + 1, text],
        collectionFormat: [first + 3, text],
        default: [first + 4, any],
        maximum: [first + 5, double],
        exclusiveMaximum: [first + 6, flag],
        minimum: [first + 7, double],
        exclusiveMinimum: [first + 8, flag],
        maxLength: [first + 9, integer],
        minLength: [first + 10, integer],
        pattern: [first + 11, text],
        maxItems: [first + 12, integer],
        minItems: [first + 13, integer],
        uniqueItems: [first + 14, flag],
        enum: [first + 15, each(any)],
        multipleOf: [first + 16, double],
      }),
      first + 17,
    ),
  );

const ALLOWS_EMPTY = { allowEmptyValue: [5, flag] } as const;
const PLAIN_PARAMETERS: Readonly<Record<string, readonly [number, Put]>> = {
  header: [1, plainParameter(5, {})],
  formData: [2, plainParameter(6, ALLOWS_EMPTY)],
  query: [3, plainParameter(6, ALLOWS_EMPTY)],
  path: [4, plainParameter(5, {})],
};
const QUERY = PLAIN_PARAMETERS['query'] ?? [3, plainParameter(6, ALLOWS_EMPTY)];

const inOf = (value: unknown): string => (value as { readonly in?: string }).in ?? '';

const PLAIN_PARAMETER = oneOf((value) => PLAIN_PARAMETERS[inOf(value)] ?? QUERY);
const PARAMETER = oneOf((value) => (inOf(value) === 'body' ? [1, BODY_PARAMETER] : [2, PLAIN_PARAMETER]));
const PARAMETERS_ITEM = oneOf((value) => (isReference(value) ? [2, REFERENCE] : [1, PARAMETER]));

const RESPONSE = oneOf((value) =>
  isReference(value)
    ? [2, REFERENCE]
    : [1, message(membersOf(() => ({ description: [1, text], schema: [2, oneOf(() => [1, SCHEMA])] }), 5))],
);

const OPERATION = message(
  membersOf(
    () => ({
      tags: [1, each(text)],
      summary: [2, text],
      description: [3, text],
      operationId: [5, text],
      produces: [6, each(text)],
      consumes: [7, each(text)],
      parameters: [8, each(PARAMETERS_ITEM)],
      responses: [9, message((writer, value) => named(RESPONSE)(writer, 1, value))],
      schemes: [10, each(text)],
      deprecated: [11, flag],
      security: [12, each(SECURITY)],
    }),
    13,
  ),
);

const PATH_ITEM = message(
  membersOf(
    () => ({
      $ref: [1, text],
      get: [2, OPERATION],
      put: [3, OPERATION],
      post: [4, OPERATION],
      delete: [5, OPERATION],
      options: [6, OPERATION],
      head: [7, OPERATION],
      patch: [8, OPERATION],
      parameters: [9, each(PARAMETERS_ITEM)],
    }),
    10,
  ),
);

const SCHEMA: Put = message(
  membersOf(
    () => ({
      $ref: [1, text],
      format: [2, text],
      title: [3, text],
      description: [4, text],
      default: [5, any],
      multipleOf: [6, double],
      maximum: [7, double],
      exclusiveMaximum: [8, flag],
      minimum: [9, double],
      exclusiveMinimum: [10, flag],
      maxLength: [11, integer],
      minLength: [12, integer],
      pattern: [13, text],
      maxItems: [14, integer],
      minItems: [15, integer],
      uniqueItems: [16, flag],
      maxProperties: [17, integer],
      minProperties: [18, integer],
      required: [19, each(text)],
      enum: [20, each(any)],
      additionalProperties: [21, ADDITIONAL],
      type: [22, eachAlone(text)],
      items: [23, eachAlone(SCHEMA)],
      allOf: [24, each(SCHEMA)],
      properties: [25, namedAlone(SCHEMA)],
      discriminator: [26, text],
      readOnly: [27, flag],
      externalDocs: [29, EXTERNAL_DOCS],
      example: [30, any],
    }),
    31,
  ),
);

const EXTERNAL_DOCS = message(membersOf(() => ({ description: [1, text], url: [2, text] }), 3));

const ADDITIONAL = oneOf((value) => (typeof value === 'boolean' ? [2, flag] : [1, SCHEMA]));
