/**
 * What a server asks of itself, as its inner clients do: under its own name, with every right, as over a wire, and judged like
 * anybody's: what it does not serve it is refused as well.
 */
import { ApiError, type Status } from '../../api/status.ts';
import { type ApiRequest, type ApiResponse, QueryParameters, type UserInfo } from './request.ts';

const SERVER_USER: UserInfo = {
  name: 'system:apiserver',
  groups: ['system:authenticated', 'system:masters'],
};

export interface OwnRequest {
  readonly method: 'PUT' | 'PATCH';
  readonly path: string;
  readonly query?: string;
  /** Default: JSON. */
  readonly contentType?: string;
  readonly object: unknown;
}

/** Its user agent names the manager of the fields that it writes. */
export const ownRequest = ({
  method,
  path,
  query = '',
  contentType = 'application/json',
  object,
}: OwnRequest): ApiRequest => ({
  method,
  path,
  query: QueryParameters.parse(query),
  headers: { 'content-type': contentType, accept: 'application/json', 'user-agent': 'kube-apiserver' },
  body: { kind: 'bytes', bytes: new TextEncoder().encode(JSON.stringify(object)) },
  user: SERVER_USER,
  wire: true,
});

/** Undefined: it was done. */
export function refusalIn({ status: code, body }: ApiResponse): ApiError | undefined {
  if (code < 400) return undefined;
  const told =
    body.kind === 'bytes' ? (JSON.parse(new TextDecoder().decode(body.bytes)) as Partial<Status>) : {};
  const { reason = '', message = '', details } = told;
  return new ApiError({ reason, message, ...(details && { details }), code });
}
