/**
 * Requests to real URLs that are to change the protocol (exec, attach, WebSockets of aggregated servers): always HTTP/1.1, as
 * its head and nothing else is read. What comes after the head, both ways, is for the two ends.
 */
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { type OutgoingCall, bodyBytes } from '../api/http-call.ts';
import { goQuote } from '../api/go-text.ts';
import type { Tunnel } from '../apiserver/request/request.ts';
import type { TunnelOutcome } from '../apiserver/surroundings.ts';
import type { UrlCall } from '../cluster/engine-surroundings.ts';
import { type ProxyCertificate, tlsOptions } from './url-dial.ts';
import { problemOf } from './url-problem.ts';

const MOST_HEAD_BYTES = 64 * 1024;
/** Whoever refuses has so long to say why. */
const REFUSAL_MS = 10_000;
const HTTPS_PORT = 443;
const SWITCHING = 101;
const LEAST_REFUSAL = 400;

export class UrlTunnel implements Tunnel {
  readonly #far: Duplex;
  readonly #head: Uint8Array;

  constructor(far: Duplex, head: Uint8Array) {
    this.#far = far;
    this.#head = head;
  }

  /** `sent`: what the near end has said already. */
  join(near: Duplex, sent: Uint8Array): void {
    const far = this.#far;
    near.write(this.#head);
    if (sent.length > 0) far.write(sent);
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.end());
    near.pipe(far);
    far.pipe(near);
  }

  close(): void {
    this.#far.destroy();
  }
}

/** `inject` runs work of the outside at the present virtual instant. */
export function tunnelToUrl(
  inject: (work: () => void) => void,
  proxy: ProxyCertificate | undefined,
): UrlCall<TunnelOutcome> {
  return ({ asProxy = false, ...endpoint }, call, timeoutMs, told) => {
    const target = new URL(call.path, endpoint.url);
    let socket: TLSSocket | undefined;
    let isOver = false;
    const end = (outcome: TunnelOutcome): void => {
      if (isOver) {
        if (outcome.kind === 'tunnel') outcome.tunnel.close();
        return;
      }
      isOver = true;
      clearTimeout(timer);
      if (outcome.kind !== 'tunnel') socket?.destroy();
      inject(() => told(outcome));
    };
    const timer = setTimeout(() => end({ kind: 'timeout' }), timeoutMs);
    const trust = tlsOptions({
      certificateAuthority: endpoint.certificateAuthority,
      serverName: endpoint.serverName,
      shown: asProxy ? proxy : undefined,
      isUnverified: endpoint.isUnverified ?? false,
    });
    void import('node:tls').then(({ connect }) => {
      if (isOver) return;
      const { hostname, port } = target;
      const host = hostname.replaceAll(/[[\]]/g, '');
      const servername = endpoint.serverName ?? (/^[\d.]+$|:/.test(host) ? '' : host);
      const options = { host, port: Number(port || HTTPS_PORT), servername, ...trust };
      socket = connect({ ...options, ALPNProtocols: ['http/1.1'] });
      converse(socket, headOf(target, call), bodyBytes(call.body), end);
    });
    return () => {
      if (!isOver) socket?.destroy();
      isOver = true;
      clearTimeout(timer);
    };
  };
}

function headOf(target: URL, { method, headers = {} }: OutgoingCall): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map((each) => `${name}: ${each}\r\n`),
  );
  return `${method} ${target.pathname}${target.search} HTTP/1.1\r\nhost: ${target.host}\r\n${lines.join('')}\r\n`;
}

function converse(
  socket: TLSSocket,
  head: string,
  body: Uint8Array,
  end: (outcome: TunnelOutcome) => void,
): void {
  let bytes = Buffer.alloc(0);
  const take = (piece: Buffer): void => {
    bytes = Buffer.concat([bytes, piece]);
    const until = bytes.indexOf('\r\n\r\n');
    if (until < 0 && bytes.length < MOST_HEAD_BYTES) return;
    socket.off('data', take).pause();
    end(outcomeOf(socket, bytes, until < 0 ? '' : bytes.toString('latin1', 0, until)));
  };
  let isOpen = false;
  socket.on('secureConnect', () => {
    isOpen = true;
    socket.write(head, 'latin1');
    if (body.length > 0) socket.write(body);
  });
  socket.on('data', take);
  const broken = { kind: 'unreachable', message: 'unexpected EOF', phase: 'body' } as const;
  socket.on('error', (error) => end(isOpen ? broken : problemOf(error)));
  socket.on('close', () => end(broken));
}

function outcomeOf(socket: TLSSocket, bytes: Buffer, head: string): TunnelOutcome {
  const [first = ''] = head.split('\r\n', 1);
  const [, text] = /^HTTP\/\d\.\d (\d{3})(?: |$)/.exec(first) ?? [];
  if (text === undefined) return { kind: 'malformed', message: `malformed HTTP response ${goQuote(first)}` };
  const status = Number(text);
  if (status !== SWITCHING && status < LEAST_REFUSAL) return { kind: 'declined', status };
  if (status !== SWITCHING) {
    const timer = setTimeout(() => socket.destroy(), REFUSAL_MS);
    socket.once('close', () => clearTimeout(timer));
  }
  return { kind: 'tunnel', tunnel: new UrlTunnel(socket, bytes) };
}
