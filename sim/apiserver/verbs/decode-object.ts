/**
 * The object of a POST or PUT: body → JSON → the request's version of the kind, with unknown and
 * duplicate fields reported as `fieldValidation` asks, and defaults set.
 * Specification: "Field validation".
 */
import { findKind } from '../../api/catalog/builtin-kinds.ts';
import { DecodeError, decodeStruct } from '../../api/codec/decode.ts';
import { decodeProtobuf } from '../../api/codec/protobuf.ts';
import { badRequest } from '../../api/status.ts';
import type { StructSchema } from '../../api/schema.ts';
import type { Exchange } from '../exchange.ts';
import type { FieldValidation } from '../options/write-options.ts';
import type { DraftObject } from '../registry/strategy.ts';
import { BodyError, bodyBytes, type ParsedBody, quotedBody, readBody } from './read-body.ts';

/** What the body has to be. */
export interface ExpectedType {
  readonly group: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly schema: StructSchema;
  /** `core.ConfigMap`, for messages. */
  readonly goTypeName: string;
}

/** At most so many unknown or duplicate fields are told. */
const MAX_FINDINGS = 100;

/** @throws ApiError BadRequest */
export function decodeObject(exchange: Exchange, expected: ExpectedType, level: FieldValidation): DraftObject {
  const body = bodyOf(exchange, expected);
  checkType(body, expected, exchange);
  const unknown: string[] = [];
  const value = decodeAs(body, expected, (path) => unknown.push(`unknown field "${path}"`));
  reportFindings(exchange, expected, level, body, unknown);
  const draft = { ...value, kind: expected.kind, apiVersion: expected.apiVersion } as DraftObject;
  draft.metadata ??= {};
  exchange.requestObject = draft;
  return draft;
}

function bodyOf(exchange: Exchange, expected: ExpectedType): ParsedBody {
  try {
    return readBody(exchange);
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    throw unrecognized(expected, `couldn't get version/kind; ${error.message}`, exchange);
  }
}

const unrecognized = ({ kind }: ExpectedType, why: string, exchange: Exchange): Error =>
  badRequest(
    `the object provided is unrecognized (must be of type ${kind}): ${why} (${quotedBody(bodyBytes(exchange) ?? new Uint8Array())})`,
  );

function decodeAs(body: ParsedBody, expected: ExpectedType, onUnknown: (path: string) => void): object {
  try {
    if (body.protobuf) return decodeProtobuf(expected.schema, body.protobuf);
    return decodeStruct(expected.schema, body.value, { unknown: onUnknown });
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw cannotBeHandled(body, expected, error.message);
  }
}

const cannotBeHandled = (body: Pick<ParsedBody, 'kind'>, expected: ExpectedType, why: string): Error =>
  badRequest(
    `${body.kind || expected.kind} in version ${JSON.stringify(expected.version)} cannot be handled as a ${expected.kind}: ${why}`,
  );

/** Kind and version of the body have to be those of the path; both may be left out. */
function checkType(body: ParsedBody, expected: ExpectedType, exchange: Exchange): void {
  const apiVersion = body.apiVersion || expected.apiVersion;
  const kind = body.kind || expected.kind;
  if (apiVersion === expected.apiVersion && kind === expected.kind) return;
  const slashes = apiVersion.split('/').length - 1;
  if (slashes > 1) throw unrecognized(expected, `unexpected GroupVersion string: ${apiVersion}`, exchange);
  const [group = '', version = ''] = slashes === 1 ? apiVersion.split('/') : ['', apiVersion];
  const known = findKind({ group, version, kind });
  const named = { kind: kind, apiVersion };
  if (!known) {
    throw badRequest(
      `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${expected.kind}: no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(named.apiVersion)} in scheme "pkg/runtime/scheme.go:100"`,
    );
  }
  if (group === expected.group && kind === expected.kind) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected.apiVersion})`,
    );
  }
  throw badRequest(
    `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${expected.kind}: converting (${version}.${kind}) to (${expected.goTypeName}): unknown conversion`,
  );
}

function reportFindings(
  exchange: Exchange,
  expected: ExpectedType,
  level: FieldValidation,
  { duplicates, isYaml, kind }: ParsedBody,
  unknown: readonly string[],
): void {
  if (level === 'Ignore' || duplicates.length + unknown.length === 0) return;
  const findings = (isYaml ? [...duplicates, ...unknown] : orderedFindings(unknown, duplicates)).slice(0, MAX_FINDINGS);
  if (level === 'Warn') {
    for (const finding of findings) exchange.warn(finding);
    return;
  }
  const yaml = isYaml && duplicates.length > 0 ? [`yaml: unmarshal errors:\n  ${duplicates.join('\n  ')}`] : [];
  const shown = isYaml ? [...yaml, ...unknown] : findings;
  throw cannotBeHandled({ kind }, expected, `strict decoding error: ${shown.join(', ')}`);
}

/** Unknown fields first, then duplicates: the order of the real decoder, which finds them in two passes. */
function orderedFindings(unknown: readonly string[], duplicates: readonly string[]): string[] {
  return [...unknown, ...duplicates.map((path) => `duplicate field "${path}"`)];
}
