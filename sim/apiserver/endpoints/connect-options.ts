/**
 * Connections (exec, attach, port-forward, proxy): their options, read from the query, go through admission as an object
 * of their own before anybody looks for the pod. Specification: not shown (Kubernetes 1.31).
 */
import { goQuote } from '../../api/go-text.ts';
import type { FieldSchema, ScalarName, Schema, StructSchema } from '../../api/schema.ts';
import { badRequest } from '../../api/status.ts';
import type { Process } from '../../engine/process.ts';
import type { DraftObject } from '../registry/strategy.ts';
import type { Exchange } from '../request/exchange.ts';
import { isTrueParameter } from '../request/request-info.ts';
import { EndpointAdmission } from './endpoint-admission.ts';

export interface ConnectOptions {
  readonly kind: string;
  readonly stdin?: boolean;
  readonly stdout?: boolean;
  readonly stderr?: boolean;
  readonly tty?: boolean;
  readonly container?: string;
  readonly command?: readonly string[] | null;
  readonly ports?: readonly number[];
  readonly path?: string;
}

export type ConnectKind =
  | 'PodExecOptions'
  | 'PodAttachOptions'
  | 'PodPortForwardOptions'
  | 'PodProxyOptions'
  | 'ServiceProxyOptions'
  | 'NodeProxyOptions';

/** The options with which the connection is let through. `path`: what follows `/proxy`. @throws ApiError */
export function* admittedOptions(exchange: Exchange, kind: ConnectKind, path = ''): Process<ConnectOptions> {
  if (exchange.request.query.has('dryRun')) throw badRequest('dryRun is not supported');
  const schema = exchange.types.structOf(`v1.${kind}`);
  const draft = { ...asked(exchange, schema, path), kind, apiVersion: 'v1', metadata: {} } as DraftObject;
  const admission = new EndpointAdmission(exchange, {
    operation: 'CONNECT',
    draft,
    kind: { group: '', version: 'v1', apiVersion: 'v1', kind, schema },
    name: exchange.info.name,
    isDryRun: false,
    isBare: true,
  });
  yield* admission.admit();
  yield* admission.validate();
  return draft;
}

function asked({ request: { query } }: Exchange, { fields }: StructSchema, path: string): object {
  const options: Record<string, unknown> = {};
  for (const field of fields) {
    const { name } = field;
    // Only the path itself says where to.
    if (name === 'path') options[name] = path;
    else if (query.has(name) && name !== 'kind' && name !== 'apiVersion')
      options[name] = valueOf(field, query.all(name));
  }
  return options;
}

function valueOf({ schema }: FieldSchema, texts: readonly string[]): unknown {
  const [first = ''] = texts;
  if (schema.kind === 'list')
    return isScalar(schema.items, 'string') ? texts : texts.flatMap((text) => text.split(',').map(portOf));
  return isScalar(schema, 'boolean') ? isTrueParameter(first) : first;
}

const isScalar = (schema: Schema, scalar: ScalarName): boolean =>
  schema.kind === 'scalar' && schema.scalar === scalar;

const LARGEST_PORT = 65_535;

function portOf(text: string): number {
  const refused = (why: string): Error =>
    badRequest(`cannot convert to []int32: strconv.ParseUint: parsing ${goQuote(text)}: ${why}`);
  if (!/^[0-9]+$/.test(text)) throw refused('invalid syntax');
  const port = Number(text);
  if (port > LARGEST_PORT) throw refused('value out of range');
  return port;
}
