/**
 * The object of a POST or PUT: body → the request's version of the kind, with unknown and duplicate
 * fields reported as `fieldValidation` asks. Specification: "Field validation".
 */
import { goQuote } from '../../api/go-text.ts';
import { splitGroupVersion } from '../../api/catalog/builtin-kinds.ts';
import { DecodeError } from '../../api/codec/decode-error.ts';
import { decodeJson, decodeStruct, decodeYamlValue } from '../../api/codec/decode.ts';
import { decodeProtobuf } from '../../api/codec/protobuf.ts';
import { MOST_VALUES } from '../../api/codec/value-bound.ts';
import { badRequest } from '../../api/status.ts';
import { andThen, atOnce, rescued, type Steps } from '../../api/steps.ts';
import type { JsonObject } from '../../api/object.ts';
import type { StructSchema } from '../../api/schema.ts';
import type { Exchange, Target } from '../request/exchange.ts';
import { keepEmptyLists, keepEmptyListsOfText } from './empty-lists.ts';
import type { FieldValidation } from '../options/write-options.ts';
import type { DraftObject } from '../registry/strategy.ts';
import { type Baseline, draftOf } from './baseline.ts';
import { UNVERSIONED_KINDS } from './unversioned-kinds.ts';
import { decodeCustomObject, unhandled } from './decode-custom-object.ts';
import {
  type Body,
  type ParsableBody,
  BodyError,
  bodyBytes,
  type BodyType,
  parseBody,
  quotedBody,
  readBody,
  readProtobuf,
} from './read-body.ts';

/** What the body has to be. */
export interface ExpectedType {
  readonly group: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly schema: StructSchema;
  /** `core.ConfigMap`, for messages. */
  readonly goTypeName: string;
  /** Other versions of the kind, of the same shape. */
  readonly alsoTakes?: readonly string[];
}

/** What a body of the routed resource has to be. */
export const expectedTypeOf = ({ resource, version }: Target): ExpectedType => ({
  group: version.group,
  version: version.version,
  apiVersion: version.apiVersion,
  kind: version.kind,
  schema: version.schema,
  goTypeName: resource.goTypeName,
});

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
): DraftObject => atOnce(decodeInSteps(exchange, expected, level));

/** @throws ApiError BadRequest */
export function decodeInSteps(
  exchange: Exchange,
  expected: ExpectedType,
  level: FieldValidation,
  baseline?: Baseline,
): Steps<DraftObject> {
  const body = readBody(exchange);
  const { resource, version } = exchange.routed;
  if (resource.isCustom && expected.kind === version.kind) return customObject(exchange, body, level);
  return andThen(decodeBody(body, expected, exchange, level !== 'Ignore', baseline), (decoded) => {
    checkType(decoded.type, expected, exchange);
    tellFindings(exchange, level, decoded, expected);
    const draft = decoded.object as DraftObject;
    if (draft.kind !== expected.kind) draft.kind = expected.kind;
    if (draft.apiVersion !== expected.apiVersion) draft.apiVersion = expected.apiVersion;
    draft.metadata ??= {};
    if (body.kind === 'json') keepEmptyListsOfText(draft, body.text, resource.strategy);
    else if (decoded.document !== undefined) keepEmptyLists(draft, decoded.document, resource.strategy);
    exchange.requestObject = draft;
    return draft;
  });
}

function customObject(exchange: Exchange, body: Body, level: FieldValidation): Steps<DraftObject> {
  const { routed } = exchange;
  return andThen(decodeCustomObject(exchange, routed.version, body), ({ draft, findings, type }) => {
    if (level === 'Strict' && findings.length > 0) throw unhandled(type, strictly(findings));
    tellFindings(exchange, level, { findings, type }, expectedTypeOf(routed));
    const { apiVersion } = routed.version;
    if (type.apiVersion !== apiVersion)
      throw badRequest(
        `the API version in the data (${type.apiVersion}) does not match the expected API version (${apiVersion})`,
      );
    exchange.requestObject = draft;
    return draft;
  });
}

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

/** The object is the request's own, but for parts that it shares with the baseline. */
function decodeBody(
  body: Body,
  expected: ExpectedType,
  exchange: Exchange,
  isStrict: boolean,
  baseline: Baseline | undefined,
): Steps<Decoded> {
  let type: BodyType = { kind: '', apiVersion: '' };
  const told = (found: BodyType): void => {
    type = found;
    checkType(type, expected, exchange);
  };
  const read = (): Steps<Decoded> => {
    if (body.kind === 'protobuf') {
      const sent = readProtobuf(body.bytes);
      told(sent.type);
      return { object: decodeProtobuf(expected.schema, sent.raw, MOST_VALUES), type, findings: [] };
    }
    if (body.kind !== 'json') return decodeValue(body, expected, isStrict, baseline, told);
    return andThen(decodeQuickly(body.text, expected, isStrict), (quick) => {
      if (quick) return quick;
      told(parseBody(body).type);
      return andThen(decodeJson(expected.schema, body.text, isStrict), (decoded) => ({ ...decoded, type }));
    });
  };
  return rescued(read, (error) => {
    if (error instanceof BodyError) throw unrecognized(expected, error.message, exchange);
    if (error instanceof DecodeError) throw cannotBeHandled(type, expected, error.message);
    throw error;
  });
}

/** Of YAML, or of what a first-party component hands in. */
function decodeValue(
  body: ParsableBody,
  expected: ExpectedType,
  isStrict: boolean,
  baseline: Baseline | undefined,
  told: (type: BodyType) => void,
): Decoded {
  const { value, type, duplicates } = parseBody(body);
  told(type);
  const repeated = duplicates.length > 0 ? [YAML_HEAD + duplicates.join('\n  ')] : [];
  const unknown: string[] = [];
  const findings = { unknown: (path: string) => void unknown.push(`unknown field "${path}"`) };
  const decode = body.kind === 'yaml' ? decodeYamlValue : decodeStruct;
  const decoded = decode(expected.schema, value, findings, baseline?.object);
  // What is canonical already is still the sender's own: it stays as it was sent, the draft is a copy.
  const object = body.kind === 'object' ? (draftOf(decoded, baseline) as JsonObject) : decoded;
  return { object, type, findings: isStrict ? [...repeated, ...unknown] : [], document: value };
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

const unrecognized = ({ kind }: ExpectedType, why: string, exchange: Exchange): Error =>
  badRequest(
    `the object provided is unrecognized (must be of type ${kind}): ${why} (${quotedBody(bodyBytes(exchange))})`,
  );

const cannotBeHandled = (type: BodyType, expected: ExpectedType, why: string): Error => {
  const version = type.apiVersion ? splitGroupVersion(type.apiVersion).version : expected.version;
  return badRequest(
    `${type.kind || expected.kind} in version ${goQuote(version)} cannot be handled as a ${expected.kind}: ${why}`,
  );
};

/** Kinds that were once served by `extensions`: their versions there can be told from those of today. */
const FORMER_EXTENSIONS: Readonly<Record<string, string>> = {
  DaemonSet: 'apps',
  Deployment: 'apps',
  ReplicaSet: 'apps',
  Ingress: 'networking.k8s.io',
  NetworkPolicy: 'networking.k8s.io',
};

/** Scales were known to the groups of what is scaled. */
const isFormerGroup = (group: string, { kind, group: present }: ExpectedType): boolean =>
  kind === 'Scale' || (group === 'extensions' && FORMER_EXTENSIONS[kind] === present);

/** The version that a text stands for: an empty group is none, and a group alone stands for its version in the path. */
function meantVersion({ kind, apiVersion }: BodyType, expected: ExpectedType, exchange: Exchange): string {
  const [group = '', version, ...more] = apiVersion.split('/');
  if (more.length > 0 || version === undefined) return apiVersion || expected.apiVersion;
  if (group === '') return version || expected.apiVersion;
  if (version !== '') return apiVersion;
  if (group === expected.group) return expected.apiVersion;
  const sent = new TextDecoder().decode(bodyBytes(exchange));
  throw cannotBeHandled({ kind, apiVersion }, expected, `Object 'apiVersion' is missing in '${sent}'`);
}

/** Kind and version of the body have to be those of the path; both may be left out. */
function checkType(type: BodyType, expected: ExpectedType, exchange: Exchange): void {
  const apiVersion = meantVersion(type, expected, exchange);
  const kind = type.kind || expected.kind;
  const isTaken = apiVersion === expected.apiVersion || expected.alsoTakes?.includes(apiVersion) === true;
  if (isTaken && kind === expected.kind) return;
  if (apiVersion.split('/').length > 2) {
    throw unrecognized(expected, `unexpected GroupVersion string: ${apiVersion}`, exchange);
  }
  const { group, version } = splitGroupVersion(apiVersion);
  if (UNVERSIONED_KINDS.has(kind)) {
    const why = `converting (v1.${kind}) to (${expected.goTypeName}): unknown conversion`;
    throw cannotBeHandled({ kind, apiVersion }, expected, why);
  }
  if (!exchange.server.release.catalog.kinds.find({ group, version, kind })) {
    const why = `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} in scheme "pkg/runtime/scheme.go:100"`;
    throw cannotBeHandled({ kind, apiVersion }, expected, why);
  }
  if (kind === expected.kind && (group === expected.group || isFormerGroup(group, expected))) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected.apiVersion})`,
    );
  }
  const why = `converting (${version}.${kind}) to (${expected.goTypeName}): unknown conversion`;
  throw cannotBeHandled({ kind, apiVersion }, expected, why);
}
