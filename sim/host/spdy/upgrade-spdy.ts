/** Requests that become SPDY/3.1 connections: exec, attach and port-forward of clients that do not know WebSockets for it. */
import type { Duplex } from 'node:stream';
import { CHANNEL } from '../../api/stream-frame.ts';
import type { ApiRequest, ApiResponse } from '../../apiserver/request/request.ts';
import { isTrueParameter } from '../../apiserver/request/request-info.ts';
import type { RequestHandler } from '../request-handler.ts';
import { forwardPorts, PORT_PROTOCOL } from './spdy-ports.ts';
import { EXEC_PROTOCOLS, SpdyChannels } from './spdy-channels.ts';

type Upgraded = Extract<ApiResponse['body'], { kind: 'channels' | 'ports' }>;

export const asksForSpdy = ({ headers }: ApiRequest): boolean =>
  /^spdy\/3\.1$/i.test(headers['upgrade'] ?? '');

/** The response with which it was refused; undefined: it goes on as SPDY. */
export function upgradeToSpdy(
  request: ApiRequest,
  {
    socket,
    body,
    handler,
  }: { readonly socket: Duplex; readonly body: Upgraded; readonly handler: RequestHandler },
): ApiResponse | undefined {
  const known: readonly string[] = body.kind === 'channels' ? EXEC_PROTOCOLS : [PORT_PROTOCOL];
  const offered = (request.headers['x-stream-protocol-version'] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const protocol = offered.find((name) => known.includes(name));
  if (protocol === undefined) {
    handler.act(() => (body.kind === 'channels' ? body.channels : body.ports).close());
    return refusal(offered, known);
  }
  const head = ['Connection: Upgrade', 'Upgrade: SPDY/3.1', `X-Stream-Protocol-Version: ${protocol}`];
  socket.write(`HTTP/1.1 101 Switching Protocols\r\n${head.join('\r\n')}\r\n\r\n`);
  if (body.kind === 'channels')
    new SpdyChannels(socket, body.channels, { protocol, expected: expectedOf(request), handler }).begin();
  else forwardPorts(socket, body.ports, handler);
  return undefined;
}

const refusal = (offered: readonly string[], known: readonly string[]): ApiResponse => ({
  status: offered.length === 0 ? 400 : 403,
  headers: [
    ['content-type', 'text/plain; charset=utf-8'],
    ...known.map((name) => ['x-accepted-stream-protocol-versions', name] as const),
  ],
  body: {
    kind: 'text',
    text:
      offered.length === 0
        ? 'unable to upgrade: X-Stream-Protocol-Version is required\n'
        : `unable to upgrade: unable to negotiate protocol: client supports [${offered.join(' ')}], server accepts [${known.join(' ')}]\n`,
  },
});

/** The streams that a client opens before anything begins; agents have other names for the parameters. */
function expectedOf({ query }: ApiRequest): number[] {
  const isAsked = (...names: readonly string[]): boolean =>
    names.some((name) => isTrueParameter(query.first(name)));
  const isTerminal = isAsked('tty');
  return [
    CHANNEL.error,
    ...(isAsked('stdin', 'input') ? [CHANNEL.stdin] : []),
    ...(isAsked('stdout', 'output') ? [CHANNEL.stdout] : []),
    ...(isAsked('stderr', 'error') && !isTerminal ? [CHANNEL.stderr] : []),
  ];
}
