/**
 * An API server on a real port: HTTP/1.1 and HTTP/2, with or without TLS. It turns what Node gives
 * into `ApiRequest`s and writes the responses; all meaning is elsewhere. Bodies, headers and slow
 * clients are bounded. Specification: "Endpoints", "Watch" 1.
 */
import type { Socket } from 'node:net';
import { createServer, STATUS_CODES, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createSecureServer, type Http2SecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { gzip } from 'node:zlib';
import { type ApiRequest, type ApiResponse, QueryParameters, type RequestBody } from '../apiserver/request.ts';
import { StreamWriter } from './stream-writer.ts';

export type HttpRequest = IncomingMessage | Http2ServerRequest;
export type HttpResponse = ServerResponse | Http2ServerResponse;

export interface RequestHandler {
  /** Calls back once with the response, at once or later. */
  handle(request: ApiRequest, respond: (response: ApiResponse) => void): void;
  /** Runs work of a connection at the present virtual instant. */
  act(work: () => void): void;
  readonly compressesResponses: boolean;
}

export interface TlsFiles {
  readonly key: string;
  readonly cert: string;
}

/** One more than the largest body that is decoded, so that the API itself can refuse it. */
const MAX_BUFFERED_BYTES = 3 * 1024 * 1024 + 1;
const HEADERS_TIMEOUT_MS = 20_000;
const REQUEST_TIMEOUT_MS = 60_000;
const COMPRESSION_THRESHOLD = 128 * 1024;
const MAX_HEADER_BYTES = 64 * 1024;

export type ListeningServer = Server | Http2SecureServer;

export function createHttpServer(handler: RequestHandler): Server {
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) =>
    serveRequest(handler, request, response),
  );
  limitSlowness(server, handler);
  return server;
}

export function createHttpsServer(handler: RequestHandler, { key, cert }: TlsFiles): Http2SecureServer {
  const server = createSecureServer({ key, cert, allowHTTP1: true, maxHeaderListPairs: 256 }, (request, response) =>
    serveRequest(handler, request, response),
  );
  limitSlowness(server, handler);
  return server;
}

/** Node's parser could not read a request. */
interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/** Node refuses methods that it does not know; the API answers them. Anything else is a broken client. */
function answerParserError(handler: RequestHandler, { code, rawPacket }: ParserError, socket: Socket): void {
  const head = code === 'HPE_INVALID_METHOD' ? rawPacket?.toString('latin1').split('\r\n\r\n', 1)[0] : undefined;
  const [line = '', ...fields] = (head ?? '').split('\r\n');
  const [method = '', url = ''] = line.split(' ');
  if (!url.startsWith('/') || !socket.writable) {
    socket.destroy();
    return;
  }
  const headers = Object.fromEntries(
    fields.map((field) => [field.split(':', 1)[0]?.toLowerCase() ?? '', field.slice(field.indexOf(':') + 1).trim()]),
  );
  const [path = '', query = ''] = url.split('?', 2);
  const request: ApiRequest = { method, path, query: QueryParameters.parse(query), headers, wire: true };
  handler.handle(request, ({ status, headers: sent, body }) => {
    const bytes = body.kind === 'stream' ? Buffer.alloc(0) : Buffer.concat(piecesOf(body));
    const lines = [...sent, ['content-length', String(bytes.length)], ['connection', 'close']];
    socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
    socket.end(bytes);
  });
}

function limitSlowness(server: ListeningServer, handler: RequestHandler): void {
  Object.assign(server, { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS, keepAliveTimeout: REQUEST_TIMEOUT_MS });
  server.on('clientError', (error: ParserError, socket: Socket) => answerParserError(handler, error, socket));
}

const BODYLESS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

function serveRequest(handler: RequestHandler, request: HttpRequest, response: HttpResponse): void {
  const { method = 'GET' } = request;
  if (BODYLESS.has(method)) {
    start(handler, request, response, undefined);
    return;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    if (size >= MAX_BUFFERED_BYTES) return;
    size += chunk.length;
    chunks.push(chunk);
  });
  request.on('error', () => response.destroy());
  request.on('end', () => {
    const bytes = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    start(handler, request, response, bytes && bytes.length > 0 ? { kind: 'bytes', bytes } : undefined);
  });
}

function start(handler: RequestHandler, request: HttpRequest, response: HttpResponse, body: RequestBody | undefined): void {
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  const { remoteAddress } = request.socket;
  const apiRequest: ApiRequest = {
    method: request.method ?? 'GET',
    path: mark < 0 ? url : url.slice(0, mark),
    query: QueryParameters.parse(mark < 0 ? '' : url.slice(mark + 1)),
    headers: plainHeaders(request.headers),
    ...(body && { body }),
    wire: true,
    ...(remoteAddress !== undefined && { remoteAddress }),
  };
  handler.handle(apiRequest, (answer) => send(handler, apiRequest, answer, response));
}

/** Node joins repeated headers itself; the few that it gives as lists are joined alike. */
function plainHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string | undefined>> {
  const setCookie = headers['set-cookie'];
  if (setCookie === undefined) return headers as Readonly<Record<string, string | undefined>>;
  return { ...(headers as Readonly<Record<string, string | undefined>>), 'set-cookie': setCookie.join(', ') };
}

function send(handler: RequestHandler, request: ApiRequest, { status, headers, body }: ApiResponse, response: HttpResponse): void {
  const fields: Record<string, string | string[]> = {};
  for (const [name, value] of headers) {
    const known = fields[name];
    fields[name] = known === undefined ? value : [...(Array.isArray(known) ? known : [known]), value];
  }
  if (body.kind === 'stream') {
    writeHead(response, status, fields);
    if ('flushHeaders' in response) response.flushHeaders();
    new StreamWriter(body.stream, response, handler).begin();
    return;
  }
  const pieces = piecesOf(body);
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length >= COMPRESSION_THRESHOLD && handler.compressesResponses && acceptsGzip(request)) {
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

const acceptsGzip = ({ headers }: ApiRequest): boolean => /(^|,)\s*(gzip|\*)\s*(;|,|$)/.test(headers['accept-encoding'] ?? '');

/** What follows one another on the wire. */
function piecesOf(body: Exclude<ApiResponse['body'], { kind: 'stream' }>): readonly Uint8Array[] {
  switch (body.kind) {
    case 'none':
      return [];
    case 'bytes':
      return body.head ? [body.head, body.bytes] : [body.bytes];
    case 'text':
      return [Buffer.from(body.text)];
    case 'object':
      return [Buffer.from(JSON.stringify(body.object))];
  }
}

function end(request: ApiRequest, response: HttpResponse, status: number, fields: Record<string, string | string[]>, pieces: readonly Uint8Array[]): void {
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
