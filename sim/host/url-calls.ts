/**
 * Calls of a served world's API servers to real URLs (webhooks, converters), by Node's own clients. The answer comes
 * into the world as an event from outside, at the virtual instant that it then is; the timeout runs in real time, as
 * whoever is called lives there.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { type HttpOutcome, type OutgoingCall, bodyBytes } from '../api/http-call.ts';
import type { UrlCall, UrlCalls } from '../cluster/engine-surroundings.ts';
import { Agents, dialled, plainHeaders, type ProxyCertificate } from './url-dial.ts';
import { problemOf } from './url-problem.ts';
import { openedUrl } from './url-streams.ts';

/** Answers beyond this are broken off, so that nobody fills the memory of the server. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

const MOST_REDIRECTS = 10;

/** `inject` runs work of the outside at the present virtual instant. */
export function realUrlCalls(inject: (work: () => void) => void, proxy?: ProxyCertificate): UrlCalls {
  const agents = new Agents();
  return { call: wholeCalls(inject, agents, proxy), open: openedUrl(inject, agents, proxy) };
}

function wholeCalls(
  inject: (work: () => void) => void,
  agents: Agents,
  proxy: ProxyCertificate | undefined,
): UrlCall {
  return (
    { url, certificateAuthority, serverName, asProxy = false, isUnverified = false },
    call,
    timeoutMs,
    deliver,
  ) => {
    const abort = new AbortController();
    let isOver = false;
    const end = (outcome: HttpOutcome): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      abort.abort();
      inject(() => deliver(outcome));
    };
    let hasBegun = false;
    const late = (): HttpOutcome =>
      hasBegun
        ? { kind: 'unreachable', message: 'context deadline exceeded', phase: 'body' }
        : { kind: 'timeout' };
    const timer = setTimeout(() => end(late()), timeoutMs);
    const shown = asProxy ? proxy : undefined;
    const dialling = { certificateAuthority, serverName, shown, isUnverified, signal: abort.signal, agents };
    const go = (target: URL, redirects: number, sent: OutgoingCall): void => {
      const ended = (outcome: HttpOutcome): void => end(redirects > 0 ? elsewhere(outcome, target) : outcome);
      void dialled(target, sent, dialling).then(
        (request) =>
          request.on('response', () => (hasBegun = true)) &&
          converse(
            request,
            sent,
            ended,
            (location) =>
              redirects < MOST_REDIRECTS &&
              go(new URL(location.to, target), redirects + 1, location.call(sent)),
          ),
        (error: unknown) => ended(problemOf(error)),
      );
    };
    go(new URL(call.path, url), 0, call);
    return () => {
      isOver = true;
      clearTimeout(timer);
      abort.abort();
    };
  };
}

const PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** What went wrong at `target` is told of that one. */
function elsewhere(outcome: HttpOutcome, target: URL): HttpOutcome {
  if (outcome.kind === 'unreachable') return { ...outcome, at: outcome.at ?? target.href };
  if (outcome.kind !== 'refused') return outcome;
  const address = `${target.hostname}:${target.port || (PORTS[target.protocol] ?? '')}`;
  const message = `dial tcp ${address}: connect: connection refused`;
  return { kind: 'unreachable', message, at: target.href };
}

/** Where an answer sends the caller on to, and what is asked there. */
interface Redirect {
  readonly to: string;
  call(before: OutgoingCall): OutgoingCall;
}

function converse(
  request: ClientRequest,
  { body }: OutgoingCall,
  end: (outcome: HttpOutcome) => void,
  follow: (redirect: Redirect) => unknown,
): void {
  let hasAnswer = false;
  request.on('error', (error) => end(problemOf(error, hasAnswer ? 'body' : undefined)));
  request.on('response', (response) => {
    hasAnswer = true;
    const redirect = redirectOf(response);
    if (!redirect) gather(response, end);
    else {
      response.resume();
      if (follow(redirect) === false)
        end({
          kind: 'unreachable',
          message: `stopped after ${MOST_REDIRECTS} redirects`,
          at: redirect.to,
        });
    }
  });
  const bytes = bodyBytes(body);
  if (bytes.length > 0) request.setHeader('content-length', bytes.length);
  request.end(bytes);
}

/** Only 307 and 308 ask again for the same; the others for what there is to read. */
function redirectOf({ statusCode = 0, headers: { location } }: IncomingMessage): Redirect | undefined {
  if (location === undefined || ![301, 302, 303, 307, 308].includes(statusCode)) return undefined;
  return {
    to: location,
    call(before) {
      if (statusCode >= 307) return before;
      const { body: _body, ...rest } = before;
      return { ...rest, method: 'GET' };
    },
  };
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
  response.on('error', (error) => end(problemOf(error, 'body')));
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
