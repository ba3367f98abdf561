/**
 * Options of delete: the body if there is one (the query is then not looked at), else the query.
 * Specification: "States and transitions", "Dry run".
 */
import { goQuote } from '../../api/go-text.ts';
import { isReleasedBy } from '../../api/release/release.ts';
import { atOnce } from '../../api/steps.ts';
import { ApiError, badRequest, type FieldError, plainError } from '../../api/status.ts';
import { FieldPath } from '../../api/validation/field-path.ts';
import { invalid, invalidError, notSupported } from '../../api/validation/field-error.ts';
import { canonical } from '../../api/codec/canonical.ts';
import { decodeJson, decodeStruct } from '../../api/codec/decode.ts';
import { decodeProtobuf } from '../../api/codec/protobuf.ts';
import { MOST_VALUES } from '../../api/codec/value-bound.ts';
import { type BodyType, parseBody, readBody, readProtobuf } from '../verbs/read-body.ts';
import type { Exchange } from '../request/exchange.ts';
import { UNVERSIONED_KINDS } from '../verbs/unversioned-kinds.ts';
import type { DeleteOptions, DeletePropagation } from '../registry/strategy.ts';
import { isTrueParameter } from '../request/request-info.ts';
import type { QueryParameters } from '../request/request.ts';
import { integerParameter } from './parse-parameter.ts';
import { checkDryRuns, dryRunErrors } from './write-options.ts';

const POLICIES: readonly string[] = ['Foreground', 'Background', 'Orphan'];

/** @throws ApiError */
export function deleteOptionsOf(exchange: Exchange): DeleteOptions {
  checkDryRuns(exchange.request.query, exchange.server.machinery.dryRuns);
  const sent = fromBody(exchange);
  if (sent) tell(exchange, sent);
  const options = sent ?? fromQuery(exchange.request.query);
  checkDeleteOptions(options);
  return options;
}

/** As the server holds them, in no version. */
function tell(exchange: Exchange, sent: DeleteOptions): void {
  if (exchange.told !== 'object') return;
  const typed = { ...sent, kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/__internal' };
  exchange.requestObject = canonical(exchange.types.structOf(OPTIONS_TYPE), typed);
}

/** @throws ApiError */
export function checkDeleteOptions(options: DeleteOptions): void {
  const errors = deleteOptionsErrors(options);
  if (errors.length > 0) throw invalidError({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
}

export const isDryRunOf = (options: DeleteOptions): boolean => (options.dryRun?.length ?? 0) > 0;

function fromBody(exchange: Exchange): DeleteOptions | undefined {
  const { body } = exchange.request;
  if (!body || (body.kind === 'bytes' && body.bytes.length === 0)) return undefined;
  const sent = readBody(exchange);
  try {
    if (sent.kind === 'protobuf') {
      const { type, raw } = readProtobuf(sent.bytes);
      checkType(exchange, type);
      return decodeProtobuf(exchange.types.structOf(OPTIONS_TYPE), raw, MOST_VALUES);
    }
    const { value, type, isPlain } = parseBody(sent, true);
    checkType(exchange, type);
    const schema = exchange.types.structOf(OPTIONS_TYPE);
    if (isPlain || sent.kind !== 'json') return decodeStruct(schema, value);
    return atOnce(decodeJson(schema, sent.text, false)).object;
  } catch (error) {
    if (error instanceof ApiError || !(error instanceof Error)) throw error;
    throw refused(exchange, error.message);
  }
}

/** Earlier releases call it a failure of their own. */
const refused = ({ server }: Exchange, message: string): ApiError =>
  isReleasedBy(server.release, '1.35') ? badRequest(message) : plainError(message);

const OPTIONS_TYPE = 'meta.k8s.io/v1.DeleteOptions';

const META_KINDS: ReadonlySet<string> = new Set(
  [
    'ListOptions',
    'GetOptions',
    'CreateOptions',
    'UpdateOptions',
    'PatchOptions',
    'TableOptions',
    'WatchEvent',
    'Table',
  ].concat(['PartialObjectMetadata', 'PartialObjectMetadataList']),
);

/** Every group has the kind; both parts may be left out. */
function checkType(exchange: Exchange, { kind, apiVersion }: BodyType): void {
  if (apiVersion.split('/').length > 2)
    throw refused(exchange, `unexpected GroupVersion string: ${apiVersion}`);
  if (kind === '' || kind === 'DeleteOptions') return;
  const isOfMeta = apiVersion === '' || apiVersion === 'meta.k8s.io/v1';
  if (UNVERSIONED_KINDS.has(kind) || (isOfMeta && META_KINDS.has(kind)))
    throw refused(exchange, `converting (v1.${kind}) to (v1.DeleteOptions): unknown conversion`);
  throw refused(
    exchange,
    `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion || 'meta.k8s.io/v1')} in scheme "pkg/runtime/scheme.go:100"`,
  );
}

function fromQuery(query: QueryParameters): DeleteOptions {
  const gracePeriodSeconds = integerParameter(query.first('gracePeriodSeconds'));
  const propagationPolicy = query.first('propagationPolicy');
  const orphan = query.first('orphanDependents');
  const dryRun = query.all('dryRun');
  const [uid, resourceVersion] = [query.first('uid'), query.first('resourceVersion')];
  const preconditions = {
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  return {
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(propagationPolicy !== undefined && { propagationPolicy: propagationPolicy as DeletePropagation }),
    ...(orphan !== undefined && { orphanDependents: isTrueParameter(orphan) }),
    ...(dryRun.length > 0 && { dryRun }),
    ...(Object.keys(preconditions).length > 0 && { preconditions }),
  };
}

function deleteOptionsErrors({ propagationPolicy, orphanDependents, dryRun }: DeleteOptions): FieldError[] {
  const path = FieldPath.of('propagationPolicy');
  const errors: FieldError[] = [];
  if (orphanDependents !== undefined && propagationPolicy !== undefined) {
    errors.push(
      invalid(path, propagationPolicy, 'orphanDependents and deletionPropagation cannot be both set'),
    );
  }
  if (propagationPolicy !== undefined && !POLICIES.includes(propagationPolicy)) {
    errors.push(notSupported(path, propagationPolicy, [...POLICIES, 'nil']));
  }
  return [...errors, ...dryRunErrors(dryRun ?? [])];
}
