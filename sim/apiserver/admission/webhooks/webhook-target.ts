/**
 * Where the client configuration of a webhook leads: the URL as messages name it, and who answers there. Services are
 * found as the real server finds them, by the address of the service; whoever takes calls for its pods answers there.
 */
import type { HttpEndpoint } from '../../../api/http-call.ts';
import { goQuote } from '../../../api/go-text.ts';
import type { Endpoints, Service } from '../../../api/types/core-v1.ts';
import type { WebhookClientConfig } from '../../../api/types/admissionregistration-k8s-io-v1.ts';
import type { ApiServerSurroundings } from '../../surroundings.ts';

export type Place =
  | { readonly kind: 'endpoint'; readonly endpoint: HttpEndpoint }
  | {
      readonly kind: 'pod';
      readonly node: string;
      readonly ip: string;
      readonly port: number;
      /** The configuration says whose certificates count: public authorities vouch for no service of a cluster. */
      readonly isVouchedFor: boolean;
    }
  /** There is no way. */
  | { readonly kind: 'problem'; readonly text: string };

export interface WebhookTarget {
  /** Scheme, host and port, as the URL has them. */
  readonly origin: string;
  /** Normalized, from the first slash on. */
  readonly path: string;
  /** Host and port that are dialled. */
  readonly address: string;
  readonly place: Place;
}

export interface TargetContext {
  readonly surroundings: ApiServerSurroundings;
  lookup(resource: string, namespace: string, name: string): object | undefined;
}

const HTTPS_PORT = 443;

export function targetOf(context: TargetContext, client: WebhookClientConfig): WebhookTarget {
  return client.service
    ? targetOfService(context, client, client.service)
    : targetOfUrl(context, client, client.url ?? '');
}

function targetOfUrl(context: TargetContext, client: WebhookClientConfig, text: string): WebhookTarget {
  const { origin, host, port, path } = partsOf(text);
  const { surroundings } = context;
  const actor = surroundings.actorOf?.(host);
  return {
    origin,
    path: normalized(path),
    address: `${host}:${port}`,
    place: actor
      ? { kind: 'endpoint', endpoint: { kind: 'actor', actor, port } }
      : outside(surroundings, { url: origin, host, port, client }),
  };
}

type Trust = Omit<Extract<HttpEndpoint, { kind: 'url' }>, 'kind' | 'url'>;

/** Without a way to real URLs addresses refuse, and names are unknown. */
export function placeOutside(
  { reachesUrls }: ApiServerSurroundings,
  {
    url,
    host,
    port,
    trust,
  }: { readonly url: string; readonly host: string; readonly port: number; readonly trust: Trust },
): Place {
  return reachesUrls ? { kind: 'endpoint', endpoint: { kind: 'url', url, ...trust } } : nowhere(host, port);
}

function outside(
  surroundings: ApiServerSurroundings,
  to: {
    readonly url: string;
    readonly host: string;
    readonly port: number;
    readonly client: WebhookClientConfig;
    readonly serverName?: string;
  },
): Place {
  const { client, serverName, ...where } = to;
  const certificateAuthority = client.caBundle ? atob(client.caBundle) : undefined;
  const trust = {
    ...(certificateAuthority !== undefined && { certificateAuthority }),
    ...(serverName !== undefined && { serverName }),
  };
  return placeOutside(surroundings, { ...where, trust });
}

const IS_ADDRESS = /^(\d+\.\d+\.\d+\.\d+|\[.*\])$/;

const nowhere = (host: string, port: number): Place => ({
  kind: 'problem',
  text: IS_ADDRESS.test(host) || host === 'localhost' ? refusedAt(`${host}:${port}`) : unknownHost(host),
});

export const refusedAt = (address: string): string => `dial tcp ${address}: connect: connection refused`;
const unknownHost = (host: string): string => `dial tcp: lookup ${host}: no such host`;

type ServiceReference = NonNullable<WebhookClientConfig['service']>;

function targetOfService(
  context: TargetContext,
  client: WebhookClientConfig,
  { namespace, name, path = '', port = HTTPS_PORT }: ServiceReference,
): WebhookTarget {
  const host = `${name}.${namespace}.svc`;
  const origin = `https://${host}:${port}`;
  const { surroundings } = context;
  const forward = surroundings.forwardOf?.({ namespace, name, port });
  if (forward !== undefined) {
    const place = outside(surroundings, { url: forward, host, port, client, serverName: host });
    return { origin, path: normalized(path), address: forward, place };
  }
  const service = context.lookup('services', namespace, name) as Service | undefined;
  const { address, place } = service
    ? placeOfService(context, service, { client, port, host })
    : { address: '', place: problem(`service ${goQuote(name)} not found`) };
  return { origin, path: normalized(path), address, place };
}

const problem = (text: string): Place => ({ kind: 'problem', text });

function placeOfService(
  context: TargetContext,
  { metadata, spec }: Service,
  {
    client,
    port,
    host,
  }: { readonly client: WebhookClientConfig; readonly port: number; readonly host: string },
): { readonly address: string; readonly place: Place } {
  const { surroundings } = context;
  const isVouchedFor = Boolean(client.caBundle);
  const name = metadata.name ?? '';
  if (spec?.type === 'ExternalName') {
    const external = spec.externalName ?? '';
    const actor = surroundings.actorOf?.(external);
    const place: Place = actor
      ? { kind: 'endpoint', endpoint: { kind: 'actor', actor, port } }
      : outside(surroundings, {
          url: `https://${external}:${port}`,
          host: external,
          port,
          client,
          serverName: host,
        });
    return { address: `${external}:${port}`, place };
  }
  const clusterIP = spec?.clusterIP ?? '';
  if (clusterIP === '' || clusterIP === 'None')
    return { address: '', place: problem(`cannot route to service with ClusterIP ${goQuote(clusterIP)}`) };
  const found = (spec?.ports ?? []).find((each) => each.port === port);
  if (!found)
    return { address: '', place: problem(`no service port ${port} found for service ${goQuote(name)}`) };
  const address = `${clusterIP}:${port}`;
  // Who serves under the name of the service stands for its pods.
  const actor = surroundings.actorOf?.(host);
  const actorPort = typeof found.targetPort === 'number' ? found.targetPort : port;
  if (actor)
    return { address, place: { kind: 'endpoint', endpoint: { kind: 'actor', actor, port: actorPort } } };
  const endpoints = context.lookup('endpoints', metadata.namespace ?? '', name) as Endpoints | undefined;
  const pods = (endpoints?.subsets ?? []).flatMap(({ ports = [], addresses = [] }) => {
    const target = ports.find((each) => (each.name ?? '') === (found.name ?? ''))?.port;
    return target === undefined ? [] : addresses.map((each) => ({ ...each, target }));
  });
  const chosen = pods[pods.length < 2 ? 0 : surroundings.choose(pods.length)];
  if (!chosen) return { address, place: problem(refusedAt(address)) };
  const { nodeName: node = '', ip, target } = chosen;
  return { address, place: { kind: 'pod', node, ip, port: target, isVouchedFor } };
}

interface UrlParts {
  readonly origin: string;
  readonly host: string;
  readonly port: number;
  readonly path: string;
}

export function partsOf(text: string): UrlParts {
  const [, scheme = 'https', authority = '', path = ''] = /^([a-z]+):\/\/([^/?#]*)([^?#]*)/i.exec(text) ?? [];
  const [, host = authority, port] = /^(.*?)(?::(\d+))?$/.exec(authority) ?? [];
  const isPlain = scheme.toLowerCase() === 'http';
  return {
    origin: `${scheme}://${authority}`,
    host,
    port: Number(port ?? (isPlain ? 80 : HTTPS_PORT)),
    path,
  };
}

/** Without empty segments, and without a slash at the end. */
const normalized = (path: string): string =>
  `/${path
    .split('/')
    .filter((part) => part !== '')
    .join('/')}`;
