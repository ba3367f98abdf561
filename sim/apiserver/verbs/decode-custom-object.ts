/** The custom resource of a POST or PUT: body → the request's version, its values not looked at yet. */
import { DecodeError } from '../../api/codec/decode-error.ts';
import { badRequest } from '../../api/status.ts';
import { rescued, type Steps } from '../../api/steps.ts';
import { decodeCustom } from '../custom-resources/custom-decode.ts';
import { isMap } from '../custom-resources/json-schema.ts';
import type { Exchange } from '../request/exchange.ts';
import { keepEmptyLists } from './empty-lists.ts';
import type { ResourceVersion } from '../registry/resource.ts';
import type { DraftObject } from '../registry/strategy.ts';
import { unsupportedBody } from '../representation/negotiate.ts';
import { type Body, BodyError, bodyBytes, parseBody, quotedBody } from './read-body.ts';

/** The YAML parser's findings are one error of several lines. */
const YAML_HEAD = 'yaml: unmarshal errors:\n  ';

export interface CustomObject {
  readonly draft: DraftObject;
  readonly findings: readonly string[];
}

/** @throws ApiError */
export function decodeCustomObject(
  exchange: Exchange,
  version: ResourceVersion,
  body: Body,
): Steps<CustomObject> {
  if (body.kind === 'protobuf') throw unsupportedBody(['application/json', 'application/yaml']);
  const unrecognized = (why: string): Error =>
    badRequest(
      `the object provided is unrecognized (must be of type ${version.kind}): ${why} (${quotedBody(bodyBytes(exchange))})`,
    );
  const read = (): Steps<CustomObject> => {
    const { value, type, duplicates } = parseBody(body);
    if (type.kind === '') {
      throw unrecognized(
        `Object 'Kind' is missing in '${body.kind === 'object' ? JSON.stringify(value) : body.text}'`,
      );
    }
    if (type.apiVersion !== version.apiVersion) {
      throw badRequest(
        `the API version in the data (${type.apiVersion}) does not match the expected API version (${version.apiVersion})`,
      );
    }
    const document = isMap(value) ? value : {};
    const repeated =
      body.kind === 'yaml' && duplicates.length > 0 ? [YAML_HEAD + duplicates.join('\n  ')] : duplicates;
    return () => {
      const { draft, findings } = decodeCustom(version, document);
      keepEmptyLists(draft, document, {});
      return { draft, findings: [...repeated, ...findings] };
    };
  };
  return rescued(read, (error) => {
    if (error instanceof BodyError) throw unrecognized(error.message);
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(
      `${version.kind} in version ${JSON.stringify(version.version)} cannot be handled as a ${version.kind}: ${error.message}`,
    );
  });
}
