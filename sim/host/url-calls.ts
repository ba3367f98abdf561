/**
 * Calls of a served world's API servers to real URLs (webhooks, converters), by Node's own clients. The answer comes
 * into the world as an event from outside, at the virtual instant that it then is; the timeout runs in real time, as
 * whoever is called lives there.
 */
import { type HttpOutcome, type OutgoingCall } from '../api/http-call.ts';
import type { UrlCall, UrlCalls } from '../cluster/engine-surroundings.ts';
import { Connections, type ProxyCertificate } from './url-dial.ts';
import type { UrlAnswer } from './url-heard.ts';
import { problemOf } from './url-problem.ts';
import { openedUrl } from './url-streams.ts';
import { tunnelToUrl } from './url-tunnel.ts';

/** Answers beyond this are broken off, so that nobody fills the memory of the server. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

const MOST_REDIRECTS = 10;

/** `inject` runs work of the outside at the present virtual instant. */
export function realUrlCalls(
  inject: (work: () => void) => void,
  proxy?: ProxyCertificate,
  connections = new Connections(),
): UrlCalls {
  return {
    call: wholeCalls(inject, connections, proxy),
    open: openedUrl(inject, connections, proxy),
    tunnel: tunnelToUrl(inject, proxy),
  };
}

function wholeCalls(
  inject: (work: () => void) => void,
  connections: Connections,
  proxy: ProxyCertificate | undefined,
): UrlCall {
  return (
    { url, certificateAuthority, serverName, certificate, asProxy = false, isUnverified = false },
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
    const shown = asProxy ? proxy : certificate;
    const dialling = { certificateAuthority, serverName, shown, isUnverified, signal: abort.signal };
    const go = (target: URL, redirects: number, sent: OutgoingCall): void => {
      const ended = (outcome: HttpOutcome): void => end(redirects > 0 ? elsewhere(outcome, target) : outcome);
      const follow = ({ to, call: next }: Redirect): void => {
        if (redirects < MOST_REDIRECTS) return go(new URL(to, target), redirects + 1, next(sent));
        ended({ kind: 'unreachable', message: `stopped after ${MOST_REDIRECTS} redirects`, at: to });
      };
      connections.ask(target, sent, dialling, {
        failed: (error) => ended(problemOf(error)),
        answered: (answer) => {
          hasBegun = true;
          // Who asks on behalf of others is told of redirects.
          const redirect = asProxy ? undefined : redirectOf(answer);
          if (!redirect) return gather(answer, ended);
          answer.body.on('error', () => undefined).resume();
          follow(redirect);
        },
      });
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
  const address = outcome.address ?? `${target.hostname}:${target.port || (PORTS[target.protocol] ?? '')}`;
  const message = `dial tcp ${address}: connect: connection refused`;
  return { kind: 'unreachable', message, at: target.href };
}

/** Where an answer sends the caller on to, and what is asked there. */
interface Redirect {
  readonly to: string;
  call(before: OutgoingCall): OutgoingCall;
}

/** Only 307 and 308 ask again for the same; the others for what there is to read. */
function redirectOf({ status, headers: { location } }: UrlAnswer): Redirect | undefined {
  if (location === undefined || ![301, 302, 303, 307, 308].includes(status)) return undefined;
  return {
    to: location,
    call(before) {
      if (status >= 307) return before;
      const { body: _body, ...rest } = before;
      return { ...rest, method: 'GET' };
    },
  };
}

function gather({ status, headers, body }: UrlAnswer, end: (outcome: HttpOutcome) => void): void {
  const pieces: Buffer[] = [];
  let size = 0;
  body.on('data', (piece: Buffer) => {
    pieces.push(piece);
    size += piece.length;
    if (size > MAX_ANSWER_BYTES)
      end({ kind: 'unreachable', message: `the answer has more than ${MAX_ANSWER_BYTES} bytes` });
  });
  body.on('error', (error) => end(problemOf(error, 'body')));
  body.on('end', () =>
    end({
      kind: 'answer',
      answer: { status, headers, body: { kind: 'bytes', bytes: Buffer.concat(pieces, size) } },
    }),
  );
}
