/**
 * The object of a POST or PUT: body → the request's version of the kind, with unknown and duplicate
 * fields reported as `fieldValidation` asks. Specification: "Field validation".
 */
import { canonical } from '../../api/codec/canonical.ts';
import { DecodeError } from '../../api/codec/decode-error.ts';
import { decodeJson, decodeStruct, decodeYamlValue } from '../../api/codec/decode.ts';
import { decodeProtobuf } from '../../api/codec/protobuf.ts';
import { MOST_VALUES } from '../../api/codec/value-bound.ts';
import { badRequest } from '../../api/status.ts';
import { andThen, atOnce, rescued, type Steps } from '../../api/steps.ts';
import type { JsonObject } from '../../api/object.ts';
import type { StructSchema } from '../../api/schema.ts';
import { customForm } from '../custom-resources/custom-form.ts';
import type { Exchange } from '../request/exchange.ts';
import { keepEmptyLists, keepEmptyListsOfText } from './empty-lists.ts';
import type { FieldValidation } from '../options/write-options.ts';
import { copied } from '../registry/storage-form.ts';
import type { DraftObject } from '../registry/strategy.ts';
import { type Baseline, draftOf } from './baseline.ts';
import {
  cannotBeHandled,
  type ExpectedType,
  expectedTypeOf,
  otherTypeOf,
  unrecognized,
} from './body-type.ts';
import { decodeCustomObject, unhandled } from './decode-custom-object.ts';
import {
  type Body,
  type ParsableBody,
  BodyError,
  type BodyType,
  parseBody,
  type ParsedBody,
  readBody,
  readProtobuf,
} from './read-body.ts';

/** At most so many unknown or duplicate fields are told. */
const MAX_FINDINGS = 100;

interface Decoded {
  readonly object: JsonObject;
  readonly type: BodyType;
  readonly findings: readonly string[];
  /** What a YAML body says, before it was decoded. */
  readonly document?: unknown;
}

/** @throws ApiError BadRequest */
export const decodeObject = (
  exchange: Exchange,
  expected: ExpectedType,
  level: FieldValidation,
): DraftObject => {
  const draft = atOnce(decodeInSteps(exchange, expected, level));
  noteRead(exchange, expected.schema, draft);
  return draft;
};

/** Its defaults are still missing (`setDefaults`). @throws ApiError BadRequest */
export function decodeInSteps(
  exchange: Exchange,
  expected: ExpectedType,
  level: FieldValidation,
  baseline?: Baseline,
): Steps<DraftObject> {
  const body = readBody(exchange);
  const { resource, version } = exchange.routed;
  if (resource.isCustom && expected.kind === version.kind) return customObject(exchange, body, level);
  return andThen(decodeBody(exchange, body, { expected, level, baseline }), (decoded) => {
    tellFindings(exchange, level, decoded, expected);
    const draft = decoded.object as DraftObject;
    if (draft.kind !== expected.kind) draft.kind = expected.kind;
    if (draft.apiVersion !== expected.apiVersion) draft.apiVersion = expected.apiVersion;
    draft.metadata ??= {};
    if (body.kind === 'json') keepEmptyListsOfText(draft, body.text, resource.strategy);
    else if (decoded.document !== undefined) keepEmptyLists(draft, decoded.document, resource.strategy);
    return draft;
  });
}

/** With its defaults, if it has any: for whoever tells of the request afterwards. */
export function noteRead(exchange: Exchange, schema: StructSchema, draft: DraftObject): void {
  const teller = exchange.viewOf ?? exchange;
  const { resource } = exchange.routed;
  if (teller.told === 'metadata') teller.requestObject = { metadata: { ...draft.metadata } };
  if (teller.told === 'object')
    teller.requestObject = copied(
      resource.isCustom ? customRead(draft, resource.metaSchema) : canonical(schema, draft),
    );
}

function customRead(draft: DraftObject, metaSchema: StructSchema): object {
  const { metadata, ...members } = customForm(draft, metaSchema);
  return { ...members, metadata: { creationTimestamp: null, ...metadata } };
}

/** Those of the version in which it was sent: with them it is read. */
export function setDefaults(exchange: Exchange, draft: DraftObject): void {
  const { resource, version } = exchange.routed;
  resource.strategy.defaults?.(draft, version.apiVersion, exchange.server.features);
  noteRead(exchange, version.schema, draft);
}

function customObject(exchange: Exchange, body: Body, level: FieldValidation): Steps<DraftObject> {
  const { routed } = exchange;
  return andThen(decodeCustomObject(exchange, routed.version, body, level), ({ draft, findings, type }) => {
    if (level === 'Strict' && findings.length > 0) throw unhandled(type, strictly(findings));
    tellFindings(exchange, level, { findings, type }, expectedTypeOf(routed));
    const { apiVersion } = routed.version;
    if (type.apiVersion !== apiVersion)
      throw badRequest(
        `the API version in the data (${shownVersion(type.apiVersion)}) does not match the expected API version (${apiVersion})`,
      );
    return draft;
  });
}

/** An empty group is none, and so is nothing at all. */
const shownVersion = (apiVersion: string): string => apiVersion.replace(/^\//, '');

function tellFindings(
  exchange: Exchange,
  level: FieldValidation,
  decoded: Pick<Decoded, 'findings' | 'type'>,
  expected: ExpectedType,
): void {
  const findings = decoded.findings.slice(0, MAX_FINDINGS);
  if (level === 'Strict' && findings.length > 0) {
    throw cannotBeHandled(decoded.type, expected, strictly(findings));
  }
  if (level === 'Warn') for (const finding of warningLines(findings)) exchange.warn(finding);
}

const strictly = (findings: readonly string[]): string =>
  `strict decoding error: ${findings.slice(0, MAX_FINDINGS).join(', ')}`;

/** The YAML parser's findings are one error of several lines, and a warning for each line. */
const YAML_HEAD = 'yaml: unmarshal errors:\n  ';

const warningLines = (findings: readonly string[]): readonly string[] =>
  findings.flatMap((finding) =>
    finding.startsWith(YAML_HEAD) ? finding.slice(YAML_HEAD.length).split('\n  ') : [finding],
  );

interface Wanted {
  readonly expected: ExpectedType;
  readonly level: FieldValidation;
  readonly baseline: Baseline | undefined;
}

/** The object is the request's own, but for parts that it shares with the baseline. */
function decodeBody(exchange: Exchange, body: Body, { expected, level, baseline }: Wanted): Steps<Decoded> {
  let type: BodyType = { kind: '', apiVersion: '' };
  const isStrict = level !== 'Ignore';
  const typed = (found: BodyType, decode: DecodeAs): Steps<Decoded> => {
    type = found;
    const other = otherTypeOf(found, expected, exchange);
    if (!other) return andThen(decode(expected.schema), (decoded) => ({ ...decoded, type: found }));
    if (other.schema) {
      const { findings } = atOnce(decode(other.schema));
      if (other.isConvertible === true) tellFindings(exchange, level, { findings, type: found }, expected);
    }
    throw other.error;
  };
  const read = (): Steps<Decoded> => {
    if (body.kind === 'protobuf') {
      const sent = readProtobuf(body.bytes);
      return typed(sent.type, (schema) => ({
        object: decodeProtobuf(schema, sent.raw, MOST_VALUES),
        findings: [],
      }));
    }
    if (body.kind !== 'json') {
      const parsed = parseBody(body);
      return typed(parsed.type, (schema) =>
        decodeValue(body.kind, parsed, {
          schema,
          isStrict,
          baseline: schema === expected.schema ? baseline : undefined,
        }),
      );
    }
    return andThen(decodeQuickly(body.text, expected, isStrict), (quick) => {
      if (quick) return quick;
      return typed(parseBody(body, true).type, (schema) => decodeJson(schema, body.text, isStrict));
    });
  };
  return rescued(read, (error) => {
    if (error instanceof BodyError) throw unrecognized(expected, error.message, exchange);
    if (error instanceof DecodeError) throw cannotBeHandled(type, expected, error.message);
    throw error;
  });
}

type DecodeAs = (schema: StructSchema) => Steps<Omit<Decoded, 'type'>>;

interface ReadAs {
  readonly schema: StructSchema;
  readonly isStrict: boolean;
  readonly baseline: Baseline | undefined;
}

/** Of YAML, or of what a first-party component hands in. */
function decodeValue(
  kind: Exclude<ParsableBody['kind'], 'json'>,
  { value, duplicates }: ParsedBody,
  { schema, isStrict, baseline }: ReadAs,
): Omit<Decoded, 'type'> {
  const repeated = duplicates.length > 0 ? [YAML_HEAD + duplicates.join('\n  ')] : [];
  const unknown: string[] = [];
  const findings = { unknown: (path: string) => void unknown.push(`unknown field "${path}"`) };
  const decode = kind === 'yaml' ? decodeYamlValue : decodeStruct;
  const decoded = decode(schema, value, findings, baseline?.object);
  // What is canonical already is still the sender's own: it stays as it was sent, the draft is a copy.
  const object = kind === 'object' ? (draftOf(decoded, baseline) as JsonObject) : decoded;
  return { object, findings: isStrict ? [...repeated, ...unknown] : [], document: value };
}

/** The usual body is of the expected type and well formed: one pass is enough. */
function decodeQuickly(text: string, expected: ExpectedType, isStrict: boolean): Steps<Decoded | undefined> {
  const read = (): Steps<Decoded | undefined> =>
    andThen(decodeJson(expected.schema, text, isStrict), ({ object, findings }) => {
      const { kind, apiVersion } = object;
      if (kind !== expected.kind || apiVersion !== expected.apiVersion) return undefined;
      if (isStrict ? findings.some(namesType) : hasOtherType(text)) return undefined;
      return { object, type: { kind, apiVersion }, findings };
    });
  return rescued(read, (error) => {
    if (error instanceof DecodeError) return undefined;
    throw error;
  });
}

/** Kind and version are also read where their names are written otherwise. */
const hasOtherType = (text: string): boolean =>
  text.match(ANY_TYPE)?.some((name) => !/^"(?:kind|apiVersion)"/.test(name)) ?? false;
const ANY_TYPE = /"(?:kind|apiversion)"\s*:/gi;
const namesType = (finding: string): boolean => /^unknown field "(?:kind|apiversion)"$/i.test(finding);
