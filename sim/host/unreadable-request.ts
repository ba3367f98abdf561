/**
 * What Node's parser could not read. Methods that it does not know are the API's to answer; anything else is
 * answered as Go's server does, and the connection ends. Nothing of an earlier request in the same packet is ever
 * taken for a part of this one.
 */
import { METHODS, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ApiRequest, type ApiResponse, QueryParameters } from '../apiserver/request/request.ts';
import { ConnectionTurns } from './connection-turns.ts';
import type { RequestHandler } from './request-handler.ts';
import { responsePieces } from './response-pieces.ts';

export interface ParserError extends Error {
  readonly code?: string;
  /** How much of the packet was read before. */
  readonly bytesParsed?: number;
  readonly rawPacket?: Buffer;
}

export function answerUnreadable(handler: RequestHandler, error: ParserError, socket: Socket): void {
  // Broken off by the client, or silent for too long.
  if (error.code === undefined || !socket.writable || !error.code.startsWith('HPE_')) {
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.writable) end(socket, TIMED_OUT);
    else socket.destroy();
    return;
  }
  ConnectionTurns.of(socket).take(() => {
    const request = ofUnknownMethod(error);
    if (error.code === 'HPE_HEADER_OVERFLOW') end(socket, TOO_LARGE);
    else if (error.code === 'HPE_INVALID_VERSION') end(socket, WRONG_VERSION);
    else if (!request) end(socket, BAD);
    else {
      const respond = (response: ApiResponse): void => end(socket, wireText(response));
      handler.defects.guard(
        () => handler.handle(request, respond, () => socket.destroy()),
        () => socket.destroy(),
      );
    }
  });
}

const plain = (status: number): string => {
  const line = `${status} ${STATUS_CODES[status] ?? ''}`;
  return `HTTP/1.1 ${line}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${line}`;
};
const BAD = plain(400);
const TIMED_OUT = plain(408);
const TOO_LARGE = plain(431);
const WRONG_VERSION = plain(505);

/** How long a client may take to read a refusal. */
const LINGER_MS = 1_000;

function end(socket: Socket, answer: string | Buffer): void {
  if (!socket.writable) return;
  socket.end(answer);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Undefined: it is not a request of a method that Node does not know. */
function ofUnknownMethod({ code, rawPacket, bytesParsed = 0 }: ParserError): ApiRequest | undefined {
  const text = code === 'HPE_INVALID_METHOD' ? rawPacket?.toString('latin1') : undefined;
  const end = text?.indexOf('\r\n\r\n') ?? -1;
  if (text === undefined || end < 0) return undefined;
  const [line = '', ...fields] = text.slice(0, end).split('\r\n');
  const [, method = '', url = ''] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\/\S*) HTTP\/1\.[01]$/.exec(line) ?? [];
  // Read on to somewhere behind the method: something else comes first in the packet.
  if (method === '' || METHODS.includes(method) || bytesParsed > method.length) return undefined;
  const headers: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const field of fields) {
    const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/.exec(field) ?? [];
    if (name === '') return undefined;
    headers[name.toLowerCase()] = value;
  }
  const [path = '', query = ''] = url.split('?', 2);
  return { method, path, query: QueryParameters.parse(query), headers, wire: true };
}

function wireText({ status, headers, body }: ApiResponse): Buffer {
  const bytes = body.kind === 'stream' ? Buffer.alloc(0) : Buffer.concat(responsePieces(body));
  const lines = [...headers, ['content-length', String(bytes.length)], ['connection', 'close']];
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${head}\r\n`, 'latin1'),
    bytes,
  ]);
}
