/**
 * Requests that become WebSockets: watches, logs, exec, attach, port-forward; the latter three also SPDY/3.1, and whatever an aggregated server
 * makes of them. A browser cannot set headers, so it may give its bearer token as a subprotocol. Specification: "Watch".
 */
import type { IncomingMessage } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { createWebSocketStream, WebSocketServer } from 'ws';
import type { ApiRequest, ApiResponse, ChannelStream, PodPorts } from '../apiserver/request/request.ts';
import { ApiError } from '../api/status.ts';
import { ChannelSocket, isChannelProtocol } from './channel-socket.ts';
import { isLogProtocol, sendLog } from './log-socket.ts';
import { forwardPortsOver } from './port-socket.ts';
import { responsePieces } from './response-pieces.ts';
import type { RequestHandler } from './request-handler.ts';
import { forwardPorts } from './spdy/spdy-ports.ts';
import { asksForSpdy, upgradeToSpdy } from './spdy/upgrade-spdy.ts';
import { UrlTunnel } from './url-tunnel.ts';
import { sendWatch } from './watch-socket.ts';
import { webHeaders } from './web-gate.ts';

/** SPDY within the messages of a WebSocket, as kubectl forwards ports from 1.31 on. */
const TUNNEL_PROTOCOL = 'SPDY/3.1+portforward.k8s.io';
const TOKEN_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';
/** kubectl sends what is typed or piped in pieces of 32 KiB. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

export class WebSockets {
  readonly #handler: RequestHandler;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    handleProtocols: (offered) => {
      const names = [...offered].filter((protocol) => !protocol.startsWith(TOKEN_PROTOCOL));
      const isKnown = (name: string): boolean =>
        isChannelProtocol(name) || isLogProtocol(name) || name === TUNNEL_PROTOCOL;
      return names.find(isKnown) ?? names[0] ?? false;
    },
  });

  constructor(handler: RequestHandler) {
    this.#handler = handler;
  }

  /** Answers a request to change the protocol. Whatever is no watch is answered as it would be without it. */
  upgrade(request: ApiRequest, { message, socket, head }: Upgrade): void {
    socket.on('error', () => socket.destroy());
    const page = webHeaders(message);
    const problem = this.#handler.gate.hostProblem(page) ?? this.#handler.gate.originProblem(page);
    if (problem !== undefined) {
      refuse(socket, forbiddenToPages(problem));
      return;
    }
    const token = tokenOf(request.headers['sec-websocket-protocol']);
    const headers =
      token === undefined ? request.headers : { ...request.headers, authorization: `Bearer ${token}` };
    const respond = (response: ApiResponse): void => {
      const { body } = response;
      if ((body.kind === 'channels' || body.kind === 'ports') && asksForSpdy(request)) {
        if (head.length > 0) socket.unshift(head);
        const refused = upgradeToSpdy(request, { socket, body, handler: this.#handler });
        if (refused) refuse(socket, refused);
        return;
      }
      if (body.kind === 'tunnel' && body.tunnel instanceof UrlTunnel) {
        body.tunnel.join(socket, head);
        return;
      }
      if (body.kind === 'ports') {
        this.#forwardPorts(request, { message, socket, head }, body.ports);
        return;
      }
      if (response.status === 200 && isLogPath(request.path) && isWebSocket(request)) {
        const source = body.kind === 'stream' ? body.stream : body.kind === 'text' ? body.text : '';
        this.#sockets.handleUpgrade(message, socket, head, (webSocket) =>
          sendLog(webSocket, source, this.#handler),
        );
        return;
      }
      if (body.kind === 'channels') {
        this.#openChannels(request, { message, socket, head }, body.channels);
        return;
      }
      if (body.kind !== 'stream') {
        refuse(socket, response);
        return;
      }
      const isBinary = response.headers.some(
        ([name, value]) => name === 'content-type' && value.includes('protobuf'),
      );
      this.#sockets.handleUpgrade(message, socket, head, (webSocket) =>
        sendWatch(webSocket, body.stream, { handler: this.#handler, isBinary }),
      );
    };
    const giveUp = (): void => void socket.destroy();
    this.#handler.handle(
      { ...request, headers },
      (response) => this.#handler.defects.guard(() => respond(response), giveUp),
      giveUp,
    );
  }

  /** Plain WebSockets name their ports in the query, tunnels within. */
  #forwardPorts(request: ApiRequest, { message, socket, head }: Upgrade, ports: PodPorts): void {
    const handler = this.#handler;
    this.#sockets.handleUpgrade(message, socket, head, (webSocket) => {
      if (webSocket.protocol === TUNNEL_PROTOCOL)
        forwardPorts(createWebSocketStream(webSocket), ports, handler);
      else
        forwardPortsOver(
          webSocket,
          request.query.all('ports').flatMap((text) => text.split(',')),
          { ports, handler },
        );
    });
  }

  #openChannels(request: ApiRequest, { message, socket, head }: Upgrade, channels: ChannelStream): void {
    const offered = protocolsOf(request.headers['sec-websocket-protocol']);
    if (offered.length > 0 && !offered.some(isChannelProtocol)) {
      this.#handler.act(() => channels.close());
      const text = `none of the protocols ${offered.join(', ')} is known here: use v5.channel.k8s.io\n`;
      refuse(socket, {
        status: 403,
        headers: [['content-type', 'text/plain']],
        body: { kind: 'text', text },
      });
      return;
    }
    this.#sockets.handleUpgrade(message, socket, head, (webSocket) =>
      new ChannelSocket(webSocket, channels, this.#handler).begin(),
    );
  }
}

const isWebSocket = ({ headers }: ApiRequest): boolean => /^websocket$/i.test(headers['upgrade'] ?? '');

const isLogPath = (path: string): boolean => /\/pods\/[^/]+\/log$/.test(path);

const forbiddenToPages = (message: string): ApiResponse => ({
  status: 403,
  headers: [['content-type', 'application/json']],
  body: { kind: 'object', object: new ApiError({ reason: 'Forbidden', message }).status },
});

const protocolsOf = (header: string | undefined): readonly string[] =>
  (header ?? '')
    .split(',')
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== '' && !protocol.startsWith(TOKEN_PROTOCOL));

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
