/**
 * Connections to real URLs by Node's own clients, kept for the next call: those with one trust, and one certificate to show,
 * for themselves. Which protocol is spoken is agreed on with each connection, as Go's transport does: HTTP/2 where the other
 * one can (`url-sessions.ts`), HTTP/1.1 where it cannot.
 */
import type { Agent, ClientRequest } from 'node:http';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { bodyBytes, type OutgoingCall } from '../api/http-call.ts';
import { plainHeaders, sendable } from './url-headers.ts';
import type { Heard } from './url-heard.ts';
import { type Refusal, type SessionPatience } from './url-session.ts';
import { Sessions } from './url-sessions.ts';

/** Idle connections are closed after so long. */
const IDLE_MS = 90_000;
const HANDSHAKE_MS = 10_000;
const HTTPS_PORT = 443;

/** In PEM: what is shown where somebody asks on behalf of somebody else. */
export interface ProxyCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface Dialling {
  readonly certificateAuthority: string | undefined;
  readonly serverName: string | undefined;
  readonly shown: ProxyCertificate | undefined;
  readonly isUnverified: boolean;
  readonly signal: AbortSignal;
}

interface Asking {
  readonly target: URL;
  readonly call: OutgoingCall;
  readonly dialling: Dialling;
  readonly heard: Heard;
  /** What is to be said if the connection that was just made for it has no room, or is gone already. */
  readonly justDialled?: Refusal | undefined;
}

/** A call that was refused, or not even looked at, is made anew: at once, then after 1, 2, 4, … s. */
const MOST_REFUSALS = 6;
/** Who breaks the protocol is asked anew over another connection, as long as there is time. */
const PROTOCOL_PAUSE_MS = 20;

export class Connections {
  readonly #agents = new Map<string, Agent>();
  readonly #sessions: Sessions;

  constructor(patience?: SessionPatience) {
    this.#sessions = new Sessions(patience);
  }

  /** The clients are loaded with the first call: most worlds call nobody. */
  ask(target: URL, call: OutgoingCall, dialling: Dialling, heard: Heard): void {
    const asked =
      target.protocol === 'https:'
        ? this.#askSecurely({ target, call, dialling, heard }, 0)
        : this.#askPlainly(target, call, dialling, heard);
    asked.catch((error: unknown) => heard.failed(error));
  }

  async #askPlainly(target: URL, call: OutgoingCall, { signal }: Dialling, heard: Heard): Promise<void> {
    if (target.protocol !== 'http:') throw new RangeError(`${target.origin}: expected http or https`);
    const http = await import('node:http');
    const agent = this.#agent('http', () => new http.Agent({ keepAlive: true, timeout: IDLE_MS }));
    const { method, headers } = call;
    converse(http.request(target, { method, headers: sendable(headers), signal, agent }), call, heard);
  }

  async #askSecurely(asking: Asking, refusals: number): Promise<void> {
    const { target, call, dialling, heard } = asking;
    const trust = tlsOptions(dialling);
    const key = JSON.stringify(trust);
    const { signal } = dialling;
    const refused = (refusal: Refusal): void =>
      this.#again({ ...asking, justDialled: undefined }, refusals + 1, refusal);
    const place = placeOf(key, target.hostname, target.port || HTTPS_PORT);
    if (this.#sessions.ask(place, { target, call, signal }, { ...heard, refused })) return;
    if (asking.justDialled) return refused(asking.justDialled);
    const https = await import('node:https');
    const agent = await this.#negotiating(key, trust);
    const { method, headers } = call;
    const request = https.request(target, { method, headers: sendable(headers), signal, ...trust, agent });
    converse(request, call, {
      answered: (answer) => heard.answered(answer),
      failed: (error) => {
        if (error instanceof SpeaksHttp2) this.#talk({ ...asking, justDialled: error.refusal }, refusals);
        else heard.failed(error);
      },
    });
  }

  /** Who has just agreed to talk is asked at once: he may be gone soon. */
  #talk(asking: Asking, refusals: number): void {
    const { heard, dialling } = asking;
    if (dialling.signal.aborted) return;
    this.#askSecurely(asking, refusals).catch((error: unknown) => heard.failed(error));
  }

  #again(asking: Asking, refusals: number, { why, problem }: Refusal): void {
    const { heard, dialling } = asking;
    if (dialling.signal.aborted) return;
    if (refusals > MOST_REFUSALS && why !== 'protocol') {
      heard.failed(problem);
      return;
    }
    const backoffMs = refusals < 2 ? 0 : 1000 * 2 ** (refusals - 2);
    const waitMs = why === 'protocol' ? PROTOCOL_PAUSE_MS : backoffMs;
    const stop = (): void => clearTimeout(timer);
    const timer = setTimeout(() => {
      dialling.signal.removeEventListener('abort', stop);
      this.#talk(asking, refusals);
    }, waitMs);
    dialling.signal.addEventListener('abort', stop, { once: true });
  }

  #agent(key: string, make: () => Agent): Agent {
    const known = this.#agents.get(key);
    if (known) return known;
    const agent = make();
    this.#agents.set(key, agent);
    return agent;
  }

  /** Keeps connections of HTTP/1.1; those over which HTTP/2 is spoken become sessions, and the caller has to ask anew. */
  async #negotiating(key: string, trust: object): Promise<Agent> {
    const https = await import('node:https');
    const tls = await import('node:tls');
    const http2 = await import('node:http2');
    const createConnection = (options: ConnectionOptions, done: Dialled): void => {
      const socket = tls.connect({ ...options, ALPNProtocols: ['h2', 'http/1.1'] });
      awaitHandshake(socket, (error) => {
        if (error || socket.alpnProtocol !== 'h2') return done(error, socket);
        const { host = '', port = HTTPS_PORT } = options;
        this.#sessions.add(placeOf(key, host, port), () =>
          http2.connect('https://session.invalid', { createConnection: () => socket }),
        );
        done(new SpeaksHttp2());
      });
    };
    const options = { keepAlive: true, timeout: IDLE_MS, ...trust };
    return this.#agent(key, () => Object.assign(new https.Agent(options), { createConnection }));
  }
}

type Dialled = (error: Error | null, socket?: TLSSocket) => void;

function awaitHandshake(socket: TLSSocket, done: (error: Error | null) => void): void {
  const tooLate = (): unknown => socket.destroy(new Error('net/http: TLS handshake timeout'));
  let timer: NodeJS.Timeout | undefined;
  socket.once('connect', () => (timer = setTimeout(tooLate, HANDSHAKE_MS)));
  socket.once('close', () => clearTimeout(timer));
  socket.once('error', done);
  socket.once('secureConnect', () => {
    clearTimeout(timer);
    socket.off('error', done);
    done(null);
  });
}

class SpeaksHttp2 extends Error {
  override readonly name = 'SpeaksHttp2';
  override readonly message = 'http2: no connection has room for the call';
  readonly refusal: Refusal = { why: 'unasked', problem: this };
}

const placeOf = (trust: string, host: string, port: number | string): string =>
  `${trust} ${host.replaceAll(/[[\]]/g, '')} ${port}`;

/** Whom to believe, and what to show. */
export const tlsOptions = ({
  certificateAuthority,
  serverName,
  shown,
  isUnverified,
}: Omit<Dialling, 'signal'>): object => ({
  // As for Go, whatever is named is trusted, be it the server's own certificate.
  ...(certificateAuthority !== undefined && { ca: certificateAuthority, allowPartialTrustChain: true }),
  ...(serverName !== undefined && { servername: serverName }),
  ...(isUnverified && { rejectUnauthorized: false }),
  ...(shown && { cert: shown.cert, key: shown.key }),
});

function converse(request: ClientRequest, { body }: OutgoingCall, heard: Heard): void {
  // Once there is an answer its own errors say what becomes of it.
  request.on('error', (error) => heard.failed(error));
  request.on('response', (response) => {
    request.removeAllListeners('error').on('error', () => undefined);
    heard.answered({
      status: response.statusCode ?? 0,
      headers: plainHeaders(response.headers),
      body: response,
      close: () => request.destroy(),
    });
  });
  const bytes = bodyBytes(body);
  if (bytes.length > 0) request.setHeader('content-length', bytes.length);
  request.end(bytes);
}
