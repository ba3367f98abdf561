/**
 * Watches over WebSocket: each event is one message, text for JSON and binary for protobuf. A browser
 * cannot set headers, so it may give its bearer token as a subprotocol. Specification: "Watch".
 */
import type { IncomingMessage } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ApiRequest, ApiResponse, ResponseStream } from '../apiserver/request.ts';
import { responsePieces } from './response-pieces.ts';
import type { RequestHandler } from './http-server.ts';

const TOKEN_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';
/** Messages to this side carry no meaning. */
const MAX_MESSAGE_BYTES = 64 * 1024;
/** A client that has so much unread is not given more for now. */
const MAX_UNSENT_BYTES = 1024 * 1024;
const RETRY_MS = 20;
const FRAME_HEADER_BYTES = 4;

export class WatchSockets {
  readonly #handler: RequestHandler;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    handleProtocols: (offered) =>
      [...offered].find((protocol) => !protocol.startsWith(TOKEN_PROTOCOL)) ?? false,
  });

  constructor(handler: RequestHandler) {
    this.#handler = handler;
  }

  /** Answers a request to change the protocol. Whatever is no watch is answered as it would be without it. */
  upgrade(request: ApiRequest, { message, socket, head }: Upgrade): void {
    socket.on('error', () => socket.destroy());
    const token = tokenOf(request.headers['sec-websocket-protocol']);
    const headers =
      token === undefined ? request.headers : { ...request.headers, authorization: `Bearer ${token}` };
    this.#handler.handle({ ...request, headers }, (response) => {
      const { body } = response;
      if (body.kind !== 'stream') {
        refuse(socket, response);
        return;
      }
      const isBinary = response.headers.some(
        ([name, value]) => name === 'content-type' && value.includes('protobuf'),
      );
      this.#sockets.handleUpgrade(message, socket, head, (webSocket) =>
        new SocketWriter(webSocket, body.stream, { handler: this.#handler, isBinary }).begin(),
      );
    });
  }
}

export interface Upgrade {
  readonly message: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

function tokenOf(protocols: string | undefined): string | undefined {
  const offered = (protocols ?? '').split(',').map((protocol) => protocol.trim());
  const protocol = offered.find((each) => each.startsWith(TOKEN_PROTOCOL));
  return protocol && Buffer.from(protocol.slice(TOKEN_PROTOCOL.length), 'base64url').toString();
}

function refuse(socket: Duplex, response: ApiResponse): void {
  const bytes = Buffer.concat(responsePieces(response.body));
  const lines = [...response.headers, ['content-length', String(bytes.length)], ['connection', 'close']];
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ''}\r\n${head}\r\n`);
  socket.end(bytes);
}

interface SocketWriterOptions {
  readonly handler: RequestHandler;
  readonly isBinary: boolean;
}

class SocketWriter {
  readonly #socket: WebSocket;
  readonly #stream: ResponseStream;
  readonly #options: SocketWriterOptions;
  #isPlanned = false;

  constructor(socket: WebSocket, stream: ResponseStream, options: SocketWriterOptions) {
    this.#socket = socket;
    this.#stream = stream;
    this.#options = options;
  }

  begin(): void {
    this.#stream.subscribe(() => this.#plan());
    this.#socket.on('close', () => this.#options.handler.act(() => this.#stream.close()));
    this.#socket.on('error', () => this.#socket.terminate());
    this.#plan();
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#isPlanned = false;
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    while (this.#socket.bufferedAmount < MAX_UNSENT_BYTES) {
      const piece = this.#stream.read();
      if (piece === undefined) {
        if (this.#stream.ended) this.#socket.close();
        return;
      }
      if (piece instanceof Uint8Array) this.#send(piece);
      else this.#socket.send(`${JSON.stringify(piece)}\n`);
    }
    setTimeout(() => this.#plan(), RETRY_MS);
  }

  /** A message has a length of its own, so the frame's is left out. */
  #send(piece: Uint8Array): void {
    const { isBinary } = this.#options;
    this.#socket.send(isBinary ? piece.subarray(FRAME_HEADER_BYTES) : piece, { binary: isBinary });
  }
}
