/**
 * An API server on a real port: HTTP/1.1 and HTTP/2, with or without TLS. It turns what Node gives
 * into `ApiRequest`s and writes the responses; all meaning is elsewhere. Bodies, headers and slow
 * clients are bounded. Specification: "Endpoints", "Watch" 1.
 */
import type { Socket } from 'node:net';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { gzip } from 'node:zlib';
import {
  type ApiRequest,
  type ApiResponse,
  QueryParameters,
  type RequestBody,
} from '../apiserver/request/request.ts';
import { ApiError, badRequest } from '../api/status.ts';
import { unauthorized } from '../apiserver/stages/authenticate.ts';
import { presentedBy } from './client-certificate.ts';
import { ConnectionTurns } from './connection-turns.ts';
import type { HttpRequest, HttpResponse, RequestHandler } from './request-handler.ts';
import { responsePieces } from './response-pieces.ts';
import { StreamWriter, WriteRounds } from './stream-writer.ts';
import { answerUnreadable, type ParserError } from './unreadable-request.ts';
import { webHeaders } from './web-gate.ts';
import { WebSockets } from './web-sockets.ts';

/** How patient the server is with slow clients. */
export interface Patience {
  /** For the headers of a request, in milliseconds. */
  readonly headersMs: number;
  /** For a whole request. */
  readonly requestMs: number;
}

export interface TlsFiles {
  readonly key: string;
  readonly cert: string;
  /** Authorities of users' certificates, in PEM; undefined: nobody is asked for one. */
  readonly clientAuthorities?: readonly string[];
}

/** One more than the largest body that is decoded, so that the API itself can refuse it. */
const MAX_BUFFERED_BYTES = 3 * 1024 * 1024 + 1;
const DEFAULT_PATIENCE: Patience = { headersMs: 20_000, requestMs: 60_000 };
/** How long a client may go on sending a body that was refused already. */
const DRAIN_MS = 5_000;
const KEEP_ALIVE_MS = 60_000;
const MAX_CHECK_INTERVAL_MS = 5_000;
const COMPRESSION_THRESHOLD = 128 * 1024;
/** As Go's server: 1 MiB and a little. */
const MAX_HEADER_BYTES = 1024 * 1024 + 4096;
/** Of one HTTP/2 session. */
const MAX_STREAMS = 250;
const HANDSHAKE_MS = 20_000;

/** What all connections of a port share. */
interface Port {
  readonly handler: RequestHandler;
  readonly patience: Patience;
  readonly rounds: WriteRounds;
}

const portOf = (handler: RequestHandler, patience: Patience): Port => ({
  handler,
  patience,
  rounds: new WriteRounds(),
});

export type ListeningServer = Server | Http2SecureServer;

export function createHttpServer(handler: RequestHandler, patience: Patience = DEFAULT_PATIENCE): Server {
  const options = { maxHeaderSize: MAX_HEADER_BYTES, connectionsCheckingInterval: checkInterval(patience) };
  const port = portOf(handler, patience);
  const server = createServer(options, (request, response) => serveInTurn(port, request, response));
  prepare(server, port);
  return server;
}

export function createHttpsServer(
  handler: RequestHandler,
  { key, cert, clientAuthorities }: TlsFiles,
  patience: Patience = DEFAULT_PATIENCE,
): Http2SecureServer {
  const options = {
    key,
    cert,
    // Whoever shows none, or a bad one, is heard all the same, and may have a token.
    ...(clientAuthorities && { ca: [...clientAuthorities], requestCert: true, rejectUnauthorized: false }),
    allowHTTP1: true,
    maxHeaderSize: MAX_HEADER_BYTES,
    maxHeaderListPairs: 2_000,
    handshakeTimeout: HANDSHAKE_MS,
    settings: { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: MAX_HEADER_BYTES },
    connectionsCheckingInterval: checkInterval(patience),
  };
  const port = portOf(handler, patience);
  const server = createSecureServer(options, (request, response) => serveInTurn(port, request, response));
  prepare(server, port);
  return server;
}

const checkInterval = ({ headersMs }: Patience): number => Math.min(MAX_CHECK_INTERVAL_MS, headersMs / 2);

function prepare(server: ListeningServer, port: Port): void {
  const { handler, patience } = port;
  const { defects } = handler;
  Object.assign(server, {
    headersTimeout: patience.headersMs,
    requestTimeout: patience.requestMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Their size is bounded; beyond a number Node would leave some out without a word.
    maxHeadersCount: 0,
  });
  server.on('clientError', (error: ParserError, socket: Socket) =>
    defects.guard(
      () => answerUnreadable(handler, error, socket),
      () => socket.destroy(),
    ),
  );
  server.on('session', (session: ServerHttp2Session) => endWhenIdle(session));
  server.on('sessionError', (_error: Error, session: ServerHttp2Session) => session.destroy());
  const sockets = new WebSockets(handler);
  server.on('upgrade', (message: IncomingMessage, socket: Socket, head: Buffer) => {
    // Whoever goes away while waiting is nobody's concern.
    socket.on('error', () => socket.destroy());
    ConnectionTurns.of(message.socket).take((done) => {
      socket.once('close', done);
      defects.guard(
        () => sockets.upgrade(apiRequestOf(message, undefined), { message, socket, head }),
        () => socket.destroy(),
      );
    });
  });
}

/** A session without streams is closed after a while, as an idle connection of HTTP/1.1 is. */
function endWhenIdle(session: ServerHttp2Session): void {
  let openStreams = 0;
  session.on('stream', (stream: ServerHttp2Stream) => {
    openStreams++;
    stream.once('close', () => openStreams--);
  });
  session.setTimeout(KEEP_ALIVE_MS, () => {
    if (openStreams === 0) session.close();
  });
}

const BODYLESS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Streams of HTTP/2 stand side by side; requests of an older connection follow one another. */
function serveInTurn(port: Port, request: HttpRequest, response: HttpResponse): void {
  const { defects } = port.handler;
  response.on('error', () => response.destroy());
  const serve = (): void =>
    defects.guard(
      () => serveRequest(port, request, response),
      () => endOne(request),
    );
  if ('stream' in request) serve();
  else
    ConnectionTurns.of(request.socket).take((done) => {
      response.once('close', done);
      serve();
    });
}

function serveRequest(port: Port, request: HttpRequest, response: HttpResponse): void {
  const { handler, patience } = port;
  const { method = 'GET' } = request;
  if (method === 'OPTIONS' && request.url === '*') {
    // Asks whether anybody is there at all.
    writeHead(response, 200, { 'content-length': '0' });
    response.end();
    request.resume();
    return;
  }
  toUrlOfPath(request);
  const problem = isUrlOfPath(request) ? handler.gate.problem(method, webHeaders(request)) : 'not a path';
  if (problem !== undefined) {
    refuse(request, response, isUrlOfPath(request) ? forbiddenToPages(problem) : badRequest(problem));
    return;
  }
  if (presentedBy(request).kind === 'untrusted' && request.headers.authorization === undefined) {
    refuse(request, response, unauthorized());
    return;
  }
  if (handler.serveOther?.(request, response)) return;
  if (BODYLESS.has(method)) {
    if (hasBody(request)) throwAway(request, patience.requestMs);
    start(port, request, response, undefined);
    return;
  }
  // Streams of HTTP/2 have no time limit of their own.
  const timer = setTimeout(() => request.destroy(), patience.requestMs);
  request.on('close', () => clearTimeout(timer));
  const chunks: Buffer[] = [];
  let size = 0;
  const begin = (): void => {
    const bytes = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    start(port, request, response, bytes && bytes.length > 0 ? { kind: 'bytes', bytes } : undefined);
  };
  /** The answer comes at once; what still arrives is thrown away for a while, so that the client lives to read it. */
  const refuseRest = (): void => {
    begin();
    chunks.length = 0;
    const drain = setTimeout(() => request.destroy(), DRAIN_MS);
    request.on('close', () => clearTimeout(drain));
  };
  request.on('data', (chunk: Buffer) => {
    if (size >= MAX_BUFFERED_BYTES) return;
    size += chunk.length;
    chunks.push(chunk);
    if (size >= MAX_BUFFERED_BYTES) refuseRest();
  });
  request.on('error', () => response.destroy());
  request.on('end', () => {
    clearTimeout(timer);
    if (size < MAX_BUFFERED_BYTES) begin();
  });
}

const hasBody = (request: HttpRequest): boolean =>
  'stream' in request
    ? !request.stream.endAfterHeaders
    : (request.headers['content-length'] ?? request.headers['transfer-encoding']) !== undefined;

/** Nobody wants it, but a client that cannot send it does not end. */
function throwAway(request: HttpRequest, patienceMs: number): void {
  request.on('error', () => undefined);
  const timer = setTimeout(() => request.destroy(), patienceMs);
  request.on('close', () => clearTimeout(timer));
  request.on('end', () => clearTimeout(timer));
  request.resume();
}

const BAD_ESCAPE = /^[^?]*%(?![0-9a-fA-F]{2})/;

const ABSOLUTE = /^https?:\/\/([^/?#]+)(?=[/?]|$)/i;

/** A target with scheme and host, as proxies are sent, says by itself whom it means. */
function toUrlOfPath(request: HttpRequest): void {
  const [whole = '', host] = ABSOLUTE.exec(request.url ?? '/') ?? [];
  if (host === undefined || 'stream' in request) return;
  const rest = (request.url ?? '').slice(whole.length);
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  request.headers.host = host;
}

const isUrlOfPath = ({ url = '/' }: HttpRequest): boolean => url.startsWith('/') && !BAD_ESCAPE.test(url);

/** Answers before anything of the request has been looked at, and takes no more of it. */
function refuse(request: HttpRequest, response: HttpResponse, { status }: ApiError): void {
  const text = JSON.stringify(status);
  const fields = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) };
  writeHead(response, status.code, fields);
  response.end(text);
  request.resume();
}

const forbiddenToPages = (message: string): ApiError => new ApiError({ reason: 'Forbidden', message });

/** A request's handling begins with its body there, and whatever goes wrong in it ends here. */
function start(
  port: Port,
  request: HttpRequest,
  response: HttpResponse,
  body: RequestBody | undefined,
): void {
  const { handler } = port;
  const giveUp = (): void => endOne(request);
  handler.defects.guard(() => {
    const apiRequest = apiRequestOf(request, body);
    handler.handle(
      apiRequest,
      (answer) => handler.defects.guard(() => send(port, apiRequest, answer, response), giveUp),
      () => breakOff(request),
    );
  }, giveUp);
}

/** The client of this request hears no more of it; others on its connection do. */
function endOne(request: HttpRequest): void {
  if ('stream' in request) request.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else request.destroy();
}

function breakOff(request: HttpRequest): void {
  if ('stream' in request) request.stream.session?.destroy();
  // A request whose body has been read is destroyed already, which its connection is not.
  else request.socket.destroy();
}

function apiRequestOf(request: HttpRequest, body: RequestBody | undefined): ApiRequest {
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  const { remoteAddress } = request.socket;
  const presented = presentedBy(request);
  return {
    method: request.method ?? 'GET',
    path: mark < 0 ? url : url.slice(0, mark),
    query: QueryParameters.parse(mark < 0 ? '' : url.slice(mark + 1)),
    headers: plainHeaders(request.headers),
    ...(body && { body }),
    wire: true,
    ...(presented.kind === 'user' && { user: presented.user }),
    ...(remoteAddress !== undefined && { remoteAddress }),
  };
}

/** Node joins repeated headers itself; the few that it gives as lists are joined alike. */
function plainHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string | undefined>> {
  const setCookie = headers['set-cookie'];
  if (setCookie === undefined) return headers as Readonly<Record<string, string | undefined>>;
  return { ...(headers as Readonly<Record<string, string | undefined>>), 'set-cookie': setCookie.join(', ') };
}

function send(
  port: Port,
  request: ApiRequest,
  { status, headers, body }: ApiResponse,
  response: HttpResponse,
): void {
  const fields: Record<string, string | string[]> = {};
  for (const [name, text] of headers) {
    const value = headerText(text);
    const known = fields[name];
    fields[name] = known === undefined ? value : [...(Array.isArray(known) ? known : [known]), value];
  }
  if (body.kind === 'stream') {
    writeHead(response, status, fields);
    if ('flushHeaders' in response) response.flushHeaders();
    new StreamWriter(body.stream, response, port).begin();
    return;
  }
  const pieces = responsePieces(body);
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length >= COMPRESSION_THRESHOLD && port.handler.compressesResponses && acceptsGzip(request)) {
    gzip(pieces.length === 1 ? (pieces[0] ?? '') : Buffer.concat(pieces), { level: 1 }, (error, packed) => {
      if (error) {
        response.destroy();
        return;
      }
      const vary = request.method === 'GET' ? { vary: 'Accept-Encoding' } : {};
      port.handler.defects.guard(
        () => end(request, response, status, { ...fields, ...vary, 'content-encoding': 'gzip' }, [packed]),
        () => response.destroy(),
      );
    });
    return;
  }
  end(request, response, status, fields, pieces);
}

/** As bytes of UTF-8, which Node takes for characters; what ends or breaks a header becomes a space. */
const headerText = (text: string): string =>
  PLAIN_HEADER.test(text) ? text : Buffer.from(text.replace(CONTROL, ' ')).toString('latin1');
const PLAIN_HEADER = /^[\t -~]*$/;
// oxlint-disable-next-line no-control-regex -- they are what it is about
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/g;

const acceptsGzip = ({ headers }: ApiRequest): boolean =>
  /(^|,)\s*(gzip|\*)\s*(;|,|$)/.test(headers['accept-encoding'] ?? '');

function end(
  request: ApiRequest,
  response: HttpResponse,
  status: number,
  fields: Record<string, string | string[]>,
  pieces: readonly Uint8Array[],
): void {
  const hasBody = request.method !== 'HEAD' && status !== 304 && status !== 204;
  if (hasBody) fields['content-length'] = String(pieces.reduce((sum, piece) => sum + piece.length, 0));
  writeHead(response, status, fields);
  if (hasBody) for (const piece of pieces.slice(0, -1)) writeTo(response, piece);
  const last = hasBody ? pieces.at(-1) : undefined;
  if (last) response.end(last);
  else response.end();
}

function writeTo(response: HttpResponse, bytes: Uint8Array): boolean {
  return 'stream' in response ? response.write(bytes) : response.write(bytes);
}

/** The two kinds of responses declare this method with types that TypeScript cannot call as one. */
function writeHead(response: HttpResponse, status: number, fields: Record<string, string | string[]>): void {
  if ('stream' in response) response.writeHead(status, fields);
  else response.writeHead(status, fields);
}
