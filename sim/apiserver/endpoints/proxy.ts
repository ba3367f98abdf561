/**
 * `nodes/proxy`, `pods/proxy`, `services/proxy`: a request that is passed on, to the agent of a node, to a port of a pod,
 * or to one of the pods that a service's Endpoints name as ready. A port on which no container listens refuses.
 * Specification: not shown (Kubernetes 1.31).
 */
import type { Process } from '../../engine/process.ts';
import { ApiError, badRequest, internalError, notFound } from '../../api/status.ts';
import type { Endpoints as EndpointsObject, Pod, Service } from '../../api/types/core-v1.ts';
import type { StoredObject } from '../stores/stored-object.ts';
import type { Exchange } from '../request/exchange.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { NodeRequest } from '../surroundings.ts';
import { admittedOptions } from './connect-options.ts';
import { dialProblem, NODE_TIMEOUTS, nodeConnection } from './node-reach.ts';
import { textStreamOf } from './node-text-stream.ts';
import { proxiedPage } from './proxied-page.ts';
import { podNamed } from './pod-target.ts';

const PLAIN_TEXT = 'text/plain; charset=utf-8';
const TEXT_HEADERS = [['content-type', PLAIN_TEXT]] as const;
const METHODS: Readonly<Record<string, NodeRequest['method']>> = {
  get: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
};

export function* nodeProxy(exchange: Exchange): Process<void> {
  const { info, request, server } = exchange;
  const { path = '' } = yield* admittedOptions(exchange, 'NodeProxyOptions', pathOf(exchange));
  const { name, port } = partsOf(exchange);
  const node = nodeConnection(exchange, name);
  if (redirectsToRoot(exchange, path)) return;
  const address = `${node.host}:${node.port}`;
  const dialed = port === '' ? node.port : dialedPort(port);
  if (dialed !== node.port) throw unreachable(dialProblem({ kind: 'refused' }, `${node.host}:${dialed}`));
  const query = Object.fromEntries(request.query.names.map((key) => [key, request.query.all(key)]));
  const method = METHODS[info.verb] ?? 'GET';
  const asked = { method, path, query };
  const outcome = yield* server.surroundings.streamFromNode(name, asked, NODE_TIMEOUTS);
  if (outcome.kind === 'stream') {
    exchange.respond(
      200,
      { kind: 'stream', stream: textStreamOf(server.surroundings, outcome) },
      TEXT_HEADERS,
    );
    return;
  }
  if (outcome.kind !== 'answer') throw unreachable(dialProblem(outcome, address));
  const {
    status,
    body,
    contentType = typeof body === 'string' ? PLAIN_TEXT : 'application/json',
    allow,
  } = outcome;
  exchange.respond(status, { kind: 'text', text: typeof body === 'string' ? body : JSON.stringify(body) }, [
    ['content-type', contentType],
    ...(allow === undefined ? [] : [['allow', allow] as const]),
  ]);
}

export function* podProxy(exchange: Exchange): Process<void> {
  const { path = '' } = yield* admittedOptions(exchange, 'PodProxyOptions', pathOf(exchange));
  const { name, port } = partsOf(exchange);
  const { spec, status }: Pod = podNamed(exchange, name);
  const declared = spec?.containers.flatMap(({ ports = [] }) => ports)[0]?.containerPort;
  const ip = status?.podIPs?.[0]?.ip ?? status?.podIP ?? '';
  if (!isGlobalUnicast(ip)) throw badRequest('address not allowed');
  if (redirectsToRoot(exchange, path)) return;
  const dialed = port === '' ? (declared ?? 80) : dialedPort(port);
  yield* passOn(exchange, { node: spec?.nodeName ?? '', ip, port: dialed, path });
}

export function* serviceProxy(exchange: Exchange): Process<void> {
  const { path = '' } = yield* admittedOptions(exchange, 'ServiceProxyOptions', pathOf(exchange));
  const { name, port } = partsOf(exchange);
  const portName = /^[0-9]+$/.test(port) ? portNameOf(exchange, name, Number(port)) : port;
  const { subsets = [] } = objectNamed(exchange, 'endpoints', name) as EndpointsObject;
  if (subsets.length === 0) throw unavailable(`no endpoints available for service "${name}"`);
  const candidates = subsets.flatMap(({ ports = [], addresses = [] }) => {
    const target = ports.find((each) => (each.name ?? '') === portName)?.port;
    return target === undefined ? [] : addresses.map((address) => ({ address, target }));
  });
  const { surroundings } = exchange.server;
  const chosen = candidates[candidates.length < 2 ? 0 : surroundings.choose(candidates.length)];
  if (!chosen) throw unavailable(`no endpoints available for service "${exchange.info.name}"`);
  if (redirectsToRoot(exchange, path)) return;
  const { address, target } = chosen;
  yield* passOn(exchange, { node: address.nodeName ?? '', ip: address.ip, port: target, path });
}

interface PodPlace {
  /** Empty: nobody knows. */
  readonly node: string;
  readonly ip: string;
  readonly port: number;
  readonly path: string;
}

const POD_PATIENCE_MS = 30_000;

/** `resource`, `name`, `proxy`: what follows is the path that is asked for. */
const OWN_PARTS = 3;

/** The path of the proxy itself. */
function prefixOf(path: string, { parts }: RequestInfo): string {
  const segments = path.split('/').filter((segment) => segment !== '');
  return `/${segments.slice(0, segments.length - (parts.length - OWN_PARTS)).join('/')}`;
}

function* passOn(exchange: Exchange, { node, ip, port, path }: PodPlace): Process<void> {
  const { info, request: asking, server } = exchange;
  const address = `${ip}:${port}`;
  const query = Object.fromEntries(asking.query.names.map((key) => [key, asking.query.all(key)[0] ?? '']));
  const { method } = asking;
  const request = { ip, port, method, path, ...(asking.query.names.length > 0 && { query }) };
  const refused = { kind: 'refused' } as const;
  const outcome = node === '' ? refused : yield* server.surroundings.reachPod(node, request, POD_PATIENCE_MS);
  if (outcome.kind !== 'answer') throw unreachable(dialProblem(outcome, address));
  const { status, body, contentType = PLAIN_TEXT } = outcome;
  const said = typeof body === 'string' ? body : JSON.stringify(body);
  const isPage = contentType.startsWith('text/html');
  const text = isPage ? proxiedPage(said, prefixOf(asking.path, info)) : said;
  exchange.respond(status, { kind: 'text', text }, [['content-type', contentType]]);
}

function portNameOf(exchange: Exchange, name: string, port: number): string {
  const { spec } = objectNamed(exchange, 'services', name) as Service;
  const found = (spec?.ports ?? []).find((each) => each.port === port);
  if (!found) throw unavailable(`no service port ${port} found for service "${name}"`);
  return found.name ?? '';
}

/** NotFound names the resource of the request, as the real server does. */
function objectNamed({ server, info }: Exchange, resource: string, name: string): StoredObject {
  const row = server.registry.findByText(resource);
  const store = row && server.storeOf(row);
  const object = store?.get(store.key(info.namespace, name))?.value;
  if (!object) throw notFound({ group: info.group, resource: info.resource }, name);
  return object;
}

/** `name`, `name:port`, `scheme:name:port`. */
function partsOf({ info, routed }: Exchange): { readonly name: string; readonly port: string } {
  const parts = info.name.split(':');
  const [scheme = '', name = '', port = ''] = parts.length === 3 ? parts : ['', ...parts];
  const isValid = parts.length <= 3 && name !== '' && ['', 'http', 'https'].includes(scheme);
  if (!isValid) throw badRequest(`invalid ${routed.resource.singular} request ${JSON.stringify(info.name)}`);
  return { name, port };
}

const HIGHEST_PORT = 65_535;

/** Ports of pods and nodes have no names. A real server breaks the connection where the text is no number; here an answer says why. */
function dialedPort(text: string): number {
  if (!/^[0-9]+$/.test(text)) throw internalError(`a port to dial is a number, not ${JSON.stringify(text)}`);
  const port = Number(text);
  if (port > HIGHEST_PORT) throw unreachable(`dial tcp: address ${text}: invalid port`);
  return port;
}

/** What follows `/proxy`. */
function pathOf({ info, request }: Exchange): string {
  const rest = info.parts.slice(3);
  const isFolder = request.path.endsWith('/');
  return rest.length === 0 ? (isFolder ? '/' : '') : `/${rest.join('/')}${isFolder ? '/' : ''}`;
}

/** Links of a page are relative to its folder, so reads of the bare name are sent to it. */
function redirectsToRoot(exchange: Exchange, path: string): boolean {
  const { info, request } = exchange;
  if (info.verb !== 'get' || path !== '') return false;
  const query = request.query.toString();
  exchange.respond(301, { kind: 'none' }, [['location', `${info.path}/${query && `?${query}`}`]]);
  return true;
}

const unavailable = (message: string): ApiError => new ApiError({ reason: 'ServiceUnavailable', message });

const unreachable = (why: string): ApiError => unavailable(`error trying to reach service: ${why}`);

/** Neither unspecified, loopback, multicast nor link-local. */
function isGlobalUnicast(ip: string): boolean {
  if (ip.includes(':')) return !/^(::1?$|fe[89ab]|ff)/i.test(ip);
  const [a = 0, b = 0, ...rest] = ip.split('.').map(Number);
  if (ip === '' || rest.length !== 2 || ip === '0.0.0.0' || ip === '255.255.255.255') return false;
  return a !== 127 && a < 224 && !(a === 169 && b === 254);
}
