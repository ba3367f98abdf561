/** Where a webhook that decides on access is, and by what it knows the server. Specification: not shown (Kubernetes 1.31). */
import { partsOf, placeOutside, type WebhookTarget } from '../admission/webhooks/webhook-target.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';

/** As a kubeconfig says it. */
export interface WebhookConnection {
  readonly url: string;
  /** PEM, each. */
  readonly certificateAuthority?: string;
  readonly certificate?: { readonly cert: string; readonly key: string };
  readonly serverName?: string;
  readonly isUnverified?: boolean;
  /** Value of the header; absent: none. */
  readonly authorization?: string;
}

export function targetOfConnection(
  surroundings: ApiServerSurroundings,
  { url, certificateAuthority, certificate, serverName, isUnverified }: WebhookConnection,
): WebhookTarget {
  const { origin, host, port, path } = partsOf(url);
  const actor = surroundings.actorOf?.(host);
  const trust = {
    ...(certificateAuthority !== undefined && { certificateAuthority }),
    ...(certificate && { certificate }),
    ...(serverName !== undefined && { serverName }),
    ...(isUnverified !== undefined && { isUnverified }),
  };
  return {
    origin,
    path: path === '' ? '/' : path,
    address: `${host}:${port}`,
    place: actor
      ? { kind: 'endpoint', endpoint: { kind: 'actor', actor, port } }
      : placeOutside(surroundings, { url: origin, host, port, trust }),
  };
}

export const headersOf = ({ authorization }: WebhookConnection): Readonly<Record<string, string>> => ({
  'user-agent': 'Go-http-client/1.1',
  accept: 'application/json, */*',
  ...(authorization !== undefined && { authorization }),
  'content-type': 'application/json',
});
