/**
 * Calls of a served world's API servers to real URLs whose answers come bit by bit: what aggregated servers are asked. A piece
 * is read when it is asked for, so that who sends without end fills no memory. Redirects are answers like others.
 */
import type { Readable } from 'node:stream';
import type { HttpOutcome } from '../api/http-call.ts';
import type { OpenedUrl, UrlCall } from '../cluster/engine-surroundings.ts';
import type { Connections, ProxyCertificate } from './url-dial.ts';
import { problemOf } from './url-problem.ts';

/** `inject` runs work of the outside at the present virtual instant. */
export function openedUrl(
  inject: (work: () => void) => void,
  connections: Connections,
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
    const dialling = { certificateAuthority, serverName, shown, isUnverified, signal: abort.signal };
    connections.ask(new URL(call.path, url), call, dialling, {
      failed: (error) => end(problemOf(error)),
      answered: ({ status, headers, body, close }) => {
        const pieces = new Pieces(body, inject);
        end({ kind: 'opened', status, headers, next: (deliver) => pieces.next(deliver), close });
      },
    });
    return () => {
      if (!isOver) abort.abort();
      isOver = true;
      clearTimeout(timer);
    };
  };
}

type Deliver = (piece: Uint8Array | 'broken' | undefined) => void;

/** One piece at a time. */
class Pieces {
  readonly #response: Readable;
  readonly #inject: (work: () => void) => void;
  #end: 'broken' | 'whole' | undefined;
  #deliver: Deliver | undefined;

  constructor(response: Readable, inject: (work: () => void) => void) {
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
