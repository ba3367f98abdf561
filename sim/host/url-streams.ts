/**
 * Calls of a served world's API servers to real URLs whose answers come bit by bit: what aggregated servers are asked. A piece
 * is read when it is asked for, so that who sends without end fills no memory. Redirects are answers like others.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { bodyBytes, type HttpOutcome, type OutgoingCall } from '../api/http-call.ts';
import type { OpenedUrl, UrlCall } from '../cluster/engine-surroundings.ts';
import { type Agents, dialled, plainHeaders, type ProxyCertificate } from './url-dial.ts';
import { problemOf } from './url-problem.ts';

/** `inject` runs work of the outside at the present virtual instant. */
export function openedUrl(
  inject: (work: () => void) => void,
  agents: Agents,
  proxy: ProxyCertificate | undefined,
): UrlCall<OpenedUrl | HttpOutcome> {
  return (
    { url, certificateAuthority, serverName, asProxy, isUnverified = false },
    call,
    timeoutMs,
    told,
  ) => {
    const abort = new AbortController();
    let isOver = false;
    const end = (outcome: OpenedUrl | HttpOutcome): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      inject(() => told(outcome));
    };
    const timer = setTimeout(() => {
      end({ kind: 'timeout' });
      abort.abort();
    }, timeoutMs);
    const shown = asProxy ? proxy : undefined;
    const dialling = { certificateAuthority, serverName, shown, isUnverified, signal: abort.signal, agents };
    void dialled(new URL(call.path, url), call, dialling).then(
      (request) => ask(request, call, inject, end),
      (error: unknown) => end(problemOf(error)),
    );
    return () => {
      if (!isOver) abort.abort();
      isOver = true;
      clearTimeout(timer);
    };
  };
}

function ask(
  request: ClientRequest,
  { body }: OutgoingCall,
  inject: (work: () => void) => void,
  end: (outcome: OpenedUrl | HttpOutcome) => void,
): void {
  // Once there is an answer its own errors say what becomes of it.
  request.on('error', (error) => end(problemOf(error)));
  request.on('response', (response) => {
    const pieces = new Pieces(response, inject);
    end({
      kind: 'opened',
      status: response.statusCode ?? 0,
      headers: plainHeaders(response.headers),
      next: (deliver) => pieces.next(deliver),
      close: () => request.destroy(),
    });
  });
  const bytes = bodyBytes(body);
  if (bytes.length > 0) request.setHeader('content-length', bytes.length);
  request.end(bytes);
}

type Deliver = (piece: Uint8Array | 'broken' | undefined) => void;

/** One piece at a time. */
class Pieces {
  readonly #response: IncomingMessage;
  readonly #inject: (work: () => void) => void;
  #end: 'broken' | 'whole' | undefined;
  #deliver: Deliver | undefined;

  constructor(response: IncomingMessage, inject: (work: () => void) => void) {
    this.#response = response;
    this.#inject = inject;
    const over = (end: 'broken' | 'whole') => (): void => {
      this.#end ??= end;
      this.#tell();
    };
    response.on('readable', () => this.#tell());
    response.on('end', over('whole'));
    response.on('error', over('broken'));
    response.on('close', over('broken'));
  }

  next(deliver: Deliver): void {
    this.#deliver = deliver;
    // Within an event of the world: whoever asked waits for the answer when this comes.
    setImmediate(() => this.#tell());
  }

  #tell(): void {
    const deliver = this.#deliver;
    if (!deliver) return;
    const piece = this.#end === 'broken' ? null : (this.#response.read() as Buffer | null);
    if (piece === null && this.#end === undefined) return;
    this.#deliver = undefined;
    this.#inject(() => deliver(piece ?? (this.#end === 'broken' ? 'broken' : undefined)));
  }
}
