/**
 * What a body says that it is, beside what the path expects: the same, another version of it that is refused after it
 * was read, or something else of which there is no way to what is expected.
 */
import { splitGroupVersion } from '../../api/catalog/builtin-kinds.ts';
import { goQuote } from '../../api/go-text.ts';
import type { StructSchema } from '../../api/schema.ts';
import { badRequest } from '../../api/status.ts';
import type { Exchange, Target } from '../request/exchange.ts';
import { bodyBytes, type BodyType, quotedBody } from './read-body.ts';
import { UNVERSIONED_KINDS } from './unversioned-kinds.ts';

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

/** Why a body of another type is refused. */
export interface OtherType {
  readonly error: Error;
  /** Of the kind that it is, if it is one: what is wrong with it as such is told before. */
  readonly schema?: StructSchema;
  /** The kind can be turned into what is expected, and is only then found to be of another version. */
  readonly isConvertible?: boolean;
}

export const unrecognized = ({ kind }: ExpectedType, why: string, exchange: Exchange): Error =>
  badRequest(
    `the object provided is unrecognized (must be of type ${kind}): ${why} (${quotedBody(bodyBytes(exchange))})`,
  );

export const cannotBeHandled = (type: BodyType, expected: ExpectedType, why: string): Error => {
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

/** Kind and version of the body have to be those of the path; both may be left out. Undefined: they are. @throws ApiError */
export function otherTypeOf(
  type: BodyType,
  expected: ExpectedType,
  exchange: Exchange,
): OtherType | undefined {
  const apiVersion = meantVersion(type, expected, exchange);
  const kind = type.kind || expected.kind;
  const isTaken = apiVersion === expected.apiVersion || expected.alsoTakes?.includes(apiVersion) === true;
  if (isTaken && kind === expected.kind) return undefined;
  if (apiVersion.split('/').length > 2)
    return { error: unrecognized(expected, `unexpected GroupVersion string: ${apiVersion}`, exchange) };
  const { group, version } = splitGroupVersion(apiVersion);
  const { kinds, types } = exchange.server.release.catalog;
  const unhandled = (why: string): Error => cannotBeHandled({ kind, apiVersion }, expected, why);
  const fact = kinds.find(UNVERSIONED_KINDS.has(kind) ? { ...CORE, kind } : { group, version, kind });
  if (!fact) {
    const scheme = 'in scheme "pkg/runtime/scheme.go:100"';
    return {
      error: unhandled(`no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} ${scheme}`),
    };
  }
  const schema = types.structOf(fact.typeKey);
  if (kind === expected.kind && (group === expected.group || isFormerGroup(group, expected))) {
    const error = badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected.apiVersion})`,
    );
    return { error, schema, isConvertible: true };
  }
  const goName = fact.typeKey.slice(fact.typeKey.lastIndexOf('/') + 1);
  return {
    error: unhandled(`converting (${goName}) to (${expected.goTypeName}): unknown conversion`),
    schema,
  };
}

const CORE = { group: '', version: 'v1' };
