/**
 * The control path on the wire: JSON in, JSON out, bodies small. No page of elsewhere may use it: it is asked for
 * its origin whatever it wants, and a body has to say that it is JSON, which a page cannot without being asked first.
 */
import type { Defects } from '../defects.ts';
import { presentedBy } from '../client-certificate.ts';
import type { HttpRequest, HttpResponse } from '../request-handler.ts';
import { clusterOf, type ServedClusters } from '../served-clusters.ts';
import { type WebGate, webHeaders } from '../web-gate.ts';
import type { World } from '../world.ts';
import {
  CONTROL_PREFIX,
  type ControlAnswer,
  type ControlApiOptions,
  type ControlRequest,
  failure,
  serveControl,
} from './control-api.ts';

const MAX_BODY_BYTES = 64 * 1024;
const ADMINISTRATORS = 'system:masters';

export interface ControlPathOptions {
  readonly clusters: ServedClusters;
  /** Where the agents of nodes are reached, by the name of the node. */
  readonly nodeUrls: () => Readonly<Record<string, string>>;
  /** Whether the world of the port is kept on disk. */
  readonly isKept: boolean;
  readonly defects: Defects;
  readonly gate: WebGate;
}

/** @returns false if the request is not about the control path */
export function controlPath(
  options: ControlPathOptions,
): (request: HttpRequest, response: HttpResponse) => boolean {
  return (request, response) => {
    const { cluster, path: url } = clusterOf(request.url ?? '/');
    if (!url.startsWith(CONTROL_PREFIX)) return false;
    const asked = { request, url, cluster };
    let text = '';
    let isTooLong = false;
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      isTooLong ||= text.length + chunk.length > MAX_BODY_BYTES;
      if (!isTooLong) text += chunk;
    });
    request.on('error', () => response.destroy());
    request.on('end', () =>
      options.defects.guard(
        () => {
          const deliver = (answer: ControlAnswer): void => send(response, answer);
          if (isTooLong) deliver(failure(413, 'the body is too long'));
          else response.on('close', answer(asked, text, options, deliver));
        },
        () => response.destroy(),
      ),
    );
    return true;
  };
}

interface Asked {
  readonly request: HttpRequest;
  /** Within the cluster that is meant. */
  readonly url: string;
  readonly cluster: string;
}

/** The function that comes back gives up what is not answered yet. */
function answer(
  asked: Asked,
  text: string,
  options: ControlPathOptions,
  deliver: (answer: ControlAnswer) => void,
): () => void {
  const read = readRequest(asked, text, options);
  if ('status' in read) {
    deliver(read);
    return () => undefined;
  }
  try {
    return serveControl(read, controlOf(asked.cluster, options), deliver);
  } catch (error) {
    options.defects.note(error);
    deliver(failure(500, 'a defect of the simulator, which its log describes'));
    return () => undefined;
  }
}

/** An answer: why it is not served. */
function readRequest(
  { request, url, cluster }: Asked,
  text: string,
  options: ControlPathOptions,
): ControlRequest | ControlAnswer {
  const origin = options.gate.originProblem(webHeaders(request));
  if (origin !== undefined) return failure(403, origin);
  const refusal = refusalOf(request, options.clusters.main);
  if (refusal) return refusal;
  if (!options.clusters.find(cluster)) return failure(404, `there is no cluster ${cluster}`);
  if (!isBodyAllowed(request, text)) return failure(415, 'the body has to be application/json');
  let body: unknown;
  try {
    body = text === '' ? undefined : JSON.parse(text);
  } catch {
    return failure(400, 'the body is not JSON');
  }
  const [path = '', query = ''] = url.split('?', 2);
  return { method: request.method ?? 'GET', path, query: new URLSearchParams(query), body };
}

const controlOf = (
  cluster: string,
  { clusters, nodeUrls, isKept }: ControlPathOptions,
): ControlApiOptions => ({
  world: () => clusters.find(cluster) ?? clusters.main,
  nodeUrls: cluster === '' ? nodeUrls : () => ({}),
  reset: isKept && cluster === '' ? undefined : (start) => clusters.reset(cluster, start),
  freeze: (name) => clusters.freeze(cluster, name),
  clusters,
});

/** No body needs no type; but whoever names another one does not know where they are. */
function isBodyAllowed({ headers }: HttpRequest, text: string): boolean {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  return type === 'application/json' || (text === '' && type === undefined);
}

function refusalOf(request: HttpRequest, { server }: World): ControlAnswer | undefined {
  const presented = presentedBy(request);
  const token = /^bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const ofToken = token === undefined ? undefined : server.userOfToken(token);
  const user = presented.kind === 'user' ? presented.user : ofToken;
  if (!server.allowsAnonymous && !user)
    return failure(401, 'a bearer token or a client certificate is needed');
  if (server.allowsEverything || user?.groups.includes(ADMINISTRATORS)) return undefined;
  return failure(403, `only members of ${ADMINISTRATORS} may use the control path`);
}

function send(response: HttpResponse, { status, body }: ControlAnswer): void {
  response.statusCode = status;
  if (body instanceof Uint8Array) {
    response.setHeader('content-type', 'application/octet-stream');
    response.end(body);
    return;
  }
  response.setHeader('content-type', 'application/json');
  response.end(`${JSON.stringify(body)}\n`);
}
