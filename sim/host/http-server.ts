/**
 * An API server on a real port: HTTP/1.1 and HTTP/2, with or without TLS. It turns what Node gives
 * into `ApiRequest`s and writes the responses; all meaning is elsewhere. Bodies, headers and slow
 * clients are bounded. Specification: "Endpoints", "Watch" 1.
 */
import type { Socket } from 'node:net';
import {
  createServer,
  STATUS_CODES,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
} from 'node:http';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import { gzip } from 'node:zlib';
import {
  type ApiRequest,
  type ApiResponse,
  QueryParameters,
  type RequestBody,
} from '../apiserver/request/request.ts';
import type { HttpRequest, HttpResponse, RequestHandler } from './request-handler.ts';
import { responsePieces } from './response-pieces.ts';
import { StreamWriter, WriteRounds } from './stream-writer.ts';
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
}

/** One more than the largest body that is decoded, so that the API itself can refuse it. */
const MAX_BUFFERED_BYTES = 3 * 1024 * 1024 + 1;
const DEFAULT_PATIENCE: Patience = { headersMs: 20_000, requestMs: 60_000 };
/** How long a client may go on sending a body that was refused already. */
const DRAIN_MS = 5_000;
const KEEP_ALIVE_MS = 60_000;
const MAX_CHECK_INTERVAL_MS = 5_000;
const COMPRESSION_THRESHOLD = 128 * 1024;
const MAX_HEADER_BYTES = 64 * 1024;

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
  const server = createServer(options, (request, response) => serveRequest(port, request, response));
  prepare(server, port);
  return server;
}

export function createHttpsServer(
  handler: RequestHandler,
  { key, cert }: TlsFiles,
  patience: Patience = DEFAULT_PATIENCE,
): Http2SecureServer {
  const options = {
    key,
    cert,
    allowHTTP1: true,
    maxHeaderListPairs: 256,
    connectionsCheckingInterval: checkInterval(patience),
  };
  const port = portOf(handler, patience);
  const server = createSecureServer(options, (request, response) => serveRequest(port, request, response));
  prepare(server, port);
  return server;
}

const checkInterval = ({ headersMs }: Patience): number => Math.min(MAX_CHECK_INTERVAL_MS, headersMs / 2);

/** Node's parser could not read a request. */
interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/** Node refuses methods that it does not know; the API answers them. Anything else is a broken client. */
function answerParserError(handler: RequestHandler, { code, rawPacket }: ParserError, socket: Socket): void {
  const head =
    code === 'HPE_INVALID_METHOD' ? rawPacket?.toString('latin1').split('\r\n\r\n', 1)[0] : undefined;
  const [line = '', ...fields] = (head ?? '').split('\r\n');
  const [method = '', url = ''] = line.split(' ');
  if (!url.startsWith('/') || !socket.writable) {
    socket.destroy();
    return;
  }
  const headers = Object.fromEntries(
    fields.map((field) => [
      field.split(':', 1)[0]?.toLowerCase() ?? '',
      field.slice(field.indexOf(':') + 1).trim(),
    ]),
  );
  const [path = '', query = ''] = url.split('?', 2);
  const request: ApiRequest = { method, path, query: QueryParameters.parse(query), headers, wire: true };
  const respond = ({ status, headers: sent, body }: ApiResponse): void => {
    const bytes = body.kind === 'stream' ? Buffer.alloc(0) : Buffer.concat(responsePieces(body));
    const lines = [...sent, ['content-length', String(bytes.length)], ['connection', 'close']];
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    );
    socket.end(bytes);
  };
  handler.handle(request, respond, () => socket.destroy());
}

function prepare(server: ListeningServer, { handler, patience: { headersMs, requestMs } }: Port): void {
  Object.assign(server, {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  server.on('clientError', (error: ParserError, socket: Socket) => answerParserError(handler, error, socket));
  const sockets = new WebSockets(handler);
  server.on('upgrade', (message: IncomingMessage, socket: Socket, head: Buffer) =>
    sockets.upgrade(apiRequestOf(message, undefined), { message, socket, head }),
  );
}

const BODYLESS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

function serveRequest(port: Port, request: HttpRequest, response: HttpResponse): void {
  const { handler, patience } = port;
  response.on('error', () => response.destroy());
  if (handler.serveOther?.(request, response)) return;
  const { method = 'GET' } = request;
  if (BODYLESS.has(method)) {
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

function start(
  port: Port,
  request: HttpRequest,
  response: HttpResponse,
  body: RequestBody | undefined,
): void {
  const apiRequest = apiRequestOf(request, body);
  port.handler.handle(
    apiRequest,
    (answer) => send(port, apiRequest, answer, response),
    () => breakOff(request),
  );
}

function breakOff(request: HttpRequest): void {
  if ('stream' in request) request.stream.session?.destroy();
  else request.destroy();
}

function apiRequestOf(request: HttpRequest, body: RequestBody | undefined): ApiRequest {
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  const { remoteAddress } = request.socket;
  return {
    method: request.method ?? 'GET',
    path: mark < 0 ? url : url.slice(0, mark),
    query: QueryParameters.parse(mark < 0 ? '' : url.slice(mark + 1)),
    headers: plainHeaders(request.headers),
    ...(body && { body }),
    wire: true,
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
  for (const [name, value] of headers) {
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
      if (error) response.destroy();
      else {
        const vary = request.method === 'GET' ? { vary: 'Accept-Encoding' } : {};
        end(request, response, status, { ...fields, ...vary, 'content-encoding': 'gzip' }, [packed]);
      }
    });
    return;
  }
  end(request, response, status, fields, pieces);
}

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
