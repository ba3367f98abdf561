/**
 * Calls of a served world's API servers to real URLs (webhooks, converters), by Node's own clients. The answer comes
 * into the world as an event from outside, at the virtual instant that it then is; the timeout runs in real time, as
 * whoever is called lives there.
 */
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type HttpCall, type HttpHeaders, type HttpOutcome, bodyBytes } from '../api/http-call.ts';
import type { UrlCalls } from '../cluster/engine-surroundings.ts';

/** Answers beyond this are broken off, so that nobody fills the memory of the server. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** Nothing went out: whoever is there has surely not seen the call. */
const REFUSALS: ReadonlySet<string> = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH']);
/** The connection was there and broke: nobody knows. */
const RESETS: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

/** `inject` runs work of the outside at the present virtual instant. */
export const realUrlCalls =
  (inject: (work: () => void) => void): UrlCalls =>
  ({ url, certificateAuthority }, call, timeoutMs, deliver) => {
    const abort = new AbortController();
    let isOver = false;
    const end = (outcome: HttpOutcome): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      abort.abort();
      inject(() => deliver(outcome));
    };
    const timer = setTimeout(() => end({ kind: 'timeout' }), timeoutMs);
    void dialled(url, call, { certificateAuthority, signal: abort.signal }).then(
      (request) => converse(request, call, end),
      (error: unknown) => end(outcomeOf(error)),
    );
    return () => {
      isOver = true;
      clearTimeout(timer);
      abort.abort();
    };
  };

interface Dialling {
  readonly certificateAuthority: string | undefined;
  readonly signal: AbortSignal;
}

/** The clients are loaded with the first call: most worlds call nobody. */
async function dialled(
  url: string,
  { method, path, headers }: HttpCall,
  { certificateAuthority, signal }: Dialling,
): Promise<ClientRequest> {
  const target = new URL(path, url);
  const options = { method, headers: { ...headers }, signal };
  if (target.protocol === 'http:') return (await import('node:http')).request(target, options);
  if (target.protocol !== 'https:') throw new RangeError(`${url}: expected http or https`);
  const trust = certificateAuthority === undefined ? {} : { ca: certificateAuthority };
  return (await import('node:https')).request(target, { ...options, ...trust });
}

function converse(request: ClientRequest, { body }: HttpCall, end: (outcome: HttpOutcome) => void): void {
  request.on('error', (error) => end(outcomeOf(error)));
  request.on('response', (response) => gather(response, end));
  request.end(bodyBytes(body));
}

function gather(response: IncomingMessage, end: (outcome: HttpOutcome) => void): void {
  const pieces: Buffer[] = [];
  let size = 0;
  response.on('data', (piece: Buffer) => {
    pieces.push(piece);
    size += piece.length;
    if (size > MAX_ANSWER_BYTES)
      end({ kind: 'unreachable', message: `the answer has more than ${MAX_ANSWER_BYTES} bytes` });
  });
  response.on('error', (error) => end(outcomeOf(error)));
  response.on('end', () =>
    end({
      kind: 'answer',
      answer: {
        status: response.statusCode ?? 0,
        headers: plainHeaders(response.headers),
        body: { kind: 'bytes', bytes: Buffer.concat(pieces, size) },
      },
    }),
  );
}

function plainHeaders(headers: IncomingHttpHeaders): HttpHeaders {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) plain[name] = typeof value === 'string' ? value : value.join(', ');
  return plain;
}

function outcomeOf(error: unknown): HttpOutcome {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code === 'string' && REFUSALS.has(code)) return { kind: 'refused' };
  if (typeof code === 'string' && RESETS.has(code)) return { kind: 'reset' };
  return { kind: 'unreachable', message: error instanceof Error ? error.message : String(error) };
}
