/** The custom resource of a POST or PUT: body → the request's version, its values not looked at yet. */
import { splitGroupVersion } from '../../api/catalog/builtin-kinds.ts';
import { DecodeError } from '../../api/codec/decode-error.ts';
import { hugeNumberOf } from '../../api/codec/strict-json.ts';
import { goQuote } from '../../api/go-text.ts';
import { badRequest } from '../../api/status.ts';
import { rescued, type Steps } from '../../api/steps.ts';
import { decodeCustom, schemaOfDocument } from '../custom-resources/custom-decode.ts';
import { isMap } from '../custom-resources/json-schema.ts';
import type { Exchange } from '../request/exchange.ts';
import { keepEmptyLists } from './empty-lists.ts';
import type { ResourceVersion } from '../registry/resource.ts';
import type { DraftObject } from '../registry/strategy.ts';
import type { FieldValidation } from '../options/write-options.ts';
import { unsupportedBody } from '../representation/negotiate.ts';
import { type Body, BodyError, bodyBytes, type BodyType, parseBody, quotedBody } from './read-body.ts';

/** The YAML parser's findings are one error of several lines. */
const YAML_HEAD = 'yaml: unmarshal errors:\n  ';

export interface CustomObject {
  readonly draft: DraftObject;
  readonly findings: readonly string[];
  /** What the document says to be. */
  readonly type: BodyType;
}

/** @throws ApiError */
export function decodeCustomObject(
  exchange: Exchange,
  version: ResourceVersion,
  body: Body,
  level: FieldValidation,
): Steps<CustomObject> {
  if (body.kind === 'protobuf') throw unsupportedBody(['application/json', 'application/yaml']);
  const unrecognized = (why: string): Error =>
    badRequest(
      `the object provided is unrecognized (must be of type ${version.kind}): ${why} (${quotedBody(bodyBytes(exchange))})`,
    );
  let sent: BodyType = version;
  const read = (): Steps<CustomObject> => {
    const { value, type, duplicates } = parseBody(body, true);
    if (type.kind === '') {
      const why = `Object 'Kind' is missing in '${body.kind === 'object' ? JSON.stringify(value) : body.text}'`;
      // Who reads for strictness has looked for a type before.
      if (level !== 'Ignore') throw unrecognized(why);
      throw unhandled({ kind: version.kind, apiVersion: type.apiVersion || version.apiVersion }, why);
    }
    if (isMap(value) && value['apiVersion'] === null) throw hasNoVersion(type.kind);
    if (type.apiVersion.split('/').length > 2)
      throw unrecognized(`unexpected GroupVersion string: ${type.apiVersion}`);
    sent = type;
    checkNumbers(body);
    const document = isMap(value) ? value : {};
    const repeated =
      body.kind === 'yaml' && duplicates.length > 0 ? [YAML_HEAD + duplicates.join('\n  ')] : duplicates;
    return () => {
      const schema = schemaOfDocument(version, exchange.routed.resource.versions, document);
      const { draft, findings } = decodeCustom(version, document, { schema });
      keepEmptyLists(draft, document, {});
      return { draft, findings: [...repeated, ...findings], type };
    };
  };
  return rescued(read, (error) => {
    if (error instanceof BodyError) throw unrecognized(error.message);
    if (!(error instanceof DecodeError)) throw error;
    throw unhandled(sent, error.message);
  });
}

/** Whatever its schema says, a number is first of all a double. @throws DecodeError */
function checkNumbers(body: Body): void {
  const number = body.kind === 'json' ? hugeNumberOf(body.text) : undefined;
  if (number !== undefined)
    throw new DecodeError(`json: cannot unmarshal number ${number} into Go value of type float64`);
}

const hasNoVersion = (kind: string): Error =>
  badRequest(
    `${kind} in version "" cannot be handled as a ${kind}: .apiVersion accessor error: <nil> is of the type <nil>, expected string`,
  );

/** It is taken for what it says to be, which has to be a version. */
export function unhandled({ kind, apiVersion }: BodyType, why: string): Error {
  if (apiVersion === '')
    return badRequest("Object 'apiVersion' is missing in 'object has no apiVersion field'");
  const { version } = splitGroupVersion(apiVersion);
  return badRequest(`${kind} in version ${goQuote(version)} cannot be handled as a ${kind}: ${why}`);
}
