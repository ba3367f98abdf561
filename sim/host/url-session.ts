/**
 * One connection over which HTTP/2 is spoken, and the calls on it. What breaks it, or a call, is said in the words of Go's
 * transport. Whoever says nothing while somebody waits is asked whether he is still there; without calls it is closed.
 */
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import { PassThrough, type Readable } from 'node:stream';
import { goQuote } from '../api/go-text.ts';
import { bodyBytes, type OutgoingCall } from '../api/http-call.ts';
import { plainHeaders, sendable } from './url-headers.ts';
import type { Heard } from './url-heard.ts';

export interface SessionPatience {
  /** Who says nothing for so long, while calls are open, is asked. */
  readonly silenceMs: number;
  /** And given up when he does not answer for so long. */
  readonly pingMs: number;
  /** Without calls it is closed. */
  readonly idleMs: number;
}

export interface SentCall {
  readonly target: URL;
  readonly call: OutgoingCall;
  readonly signal: AbortSignal;
}

/** It surely was not acted on, or the other one broke the protocol: it may be asked again. */
export interface Refusal {
  readonly why: 'unasked' | 'protocol' | 'refused';
  readonly problem: Error;
}

export interface HeardOverHttp2 extends Heard {
  refused(refusal: Refusal): void;
}

const CODES: Readonly<Record<number, string>> = {
  0: 'NO_ERROR',
  1: 'PROTOCOL_ERROR',
  2: 'INTERNAL_ERROR',
  3: 'FLOW_CONTROL_ERROR',
  4: 'SETTINGS_TIMEOUT',
  5: 'STREAM_CLOSED',
  6: 'FRAME_SIZE_ERROR',
  7: 'REFUSED_STREAM',
  8: 'CANCEL',
  9: 'COMPRESSION_ERROR',
  10: 'CONNECT_ERROR',
  11: 'ENHANCE_YOUR_CALM',
  12: 'INADEQUATE_SECURITY',
  13: 'HTTP_1_1_REQUIRED',
};
const PROTOCOL_ERROR = 1;
const REFUSED_STREAM = 7;
const CANCEL = 8;

const codeText = (code: number): string => CODES[code] ?? `unknown error code 0x${code.toString(16)}`;

/** What broke a session or a call of it, as Go says it. */
export class Http2Problem extends Error {
  override readonly name = 'Http2Problem';
}

export class Session {
  readonly #session: ClientHttp2Session;
  readonly #patience: SessionPatience;
  #open = 0;
  #isLeft = false;
  #goAway: GoAway | undefined;
  #isLost = false;

  constructor(session: ClientHttp2Session, patience: SessionPatience) {
    this.#session = session;
    this.#patience = patience;
    session.on('goaway', (code: number, lastStreamId: number, data?: Buffer) => {
      this.#goAway = {
        lastStreamId,
        code: this.#goAway?.code || code,
        debug: this.#goAway?.debug || (data?.toString() ?? ''),
      };
    });
    session.on('error', () => undefined);
    session.on('timeout', () => this.#quiet());
    this.#rest();
  }

  get isOver(): boolean {
    return this.#isLeft || this.#session.closed || this.#session.destroyed;
  }

  get hasRoom(): boolean {
    const { maxConcurrentStreams = Number.POSITIVE_INFINITY } = this.#session.remoteSettings;
    return !this.isOver && this.#open < maxConcurrentStreams;
  }

  ask({ target, call, signal }: SentCall, heard: HeardOverHttp2): void {
    const bytes = bodyBytes(call.body);
    const stream = this.#session.request(
      {
        ':method': call.method,
        ':path': `${target.pathname}${target.search}`,
        ':authority': target.host,
        ...sendable(call.headers),
        ...(bytes.length > 0 && { 'content-length': bytes.length }),
      },
      { signal, endStream: bytes.length === 0 },
    );
    this.#begin();
    let hasAnswer = false;
    stream.on('response', (headers) => {
      hasAnswer = true;
      heard.answered({
        status: headers[':status'] ?? 0,
        headers: plainHeaders(headers),
        body: this.#bodyOf(stream),
        close: () => stream.close(CANCEL),
      });
    });
    stream.on('error', () => undefined);
    stream.on('close', () => {
      this.#open -= 1;
      if (this.#open === 0) this.#rest();
      if (!hasAnswer) this.#fail(stream, heard);
    });
    if (bytes.length > 0) stream.end(bytes);
  }

  #begin(): void {
    this.#open += 1;
    this.#session.ref();
    this.#session.setTimeout(this.#patience.silenceMs);
  }

  /** Nobody has to wait for what is idle. */
  #rest(): void {
    if (this.#session.destroyed) return;
    this.#session.setTimeout(this.#patience.idleMs);
    this.#session.unref();
  }

  #quiet(): void {
    if (this.#open === 0) {
      this.#session.close();
      return;
    }
    const giveUp = (): void => {
      this.#isLost = true;
      this.#session.destroy();
    };
    const timer = setTimeout(giveUp, this.#patience.pingMs);
    const answered = (): void => clearTimeout(timer);
    this.#session.once('close', answered);
    this.#session.ping(() => {
      this.#session.off('close', answered);
      answered();
    });
  }

  #fail(stream: ClientHttp2Stream, heard: HeardOverHttp2): void {
    const { rstCode = 0, id = 0 } = stream;
    const problem = this.#problemOf(stream);
    if (id === 0 || (this.#goAway && id > this.#goAway.lastStreamId))
      heard.refused({ why: 'unasked', problem });
    else if (rstCode === REFUSED_STREAM) heard.refused({ why: 'refused', problem });
    else if (rstCode === PROTOCOL_ERROR && !this.#session.destroyed) {
      this.#isLeft = true;
      this.#session.close();
      heard.refused({ why: 'protocol', problem });
    } else heard.failed(problem);
  }

  /** Ends only when it is whole: Node's own stream also ends where the connection does. */
  #bodyOf(stream: ClientHttp2Stream): Readable {
    const body = new PassThrough();
    stream.pipe(body, { end: false });
    stream.on('close', () => {
      if (stream.rstCode === 0) body.end();
      else body.destroy(this.#problemOf(stream));
    });
    return body;
  }

  #problemOf({ id = 0, rstCode = 0 }: ClientHttp2Stream): Http2Problem {
    if (!this.#session.destroyed)
      return new Http2Problem(`stream error: stream ID ${id}; ${codeText(rstCode)}; received from peer`);
    if (this.#isLost) return new Http2Problem('http2: client connection lost');
    return new Http2Problem(this.#goAway ? goneAwayText(this.#goAway) : 'unexpected EOF');
  }
}

interface GoAway {
  readonly lastStreamId: number;
  readonly code: number;
  readonly debug: string;
}

const goneAwayText = ({ lastStreamId, code, debug }: GoAway): string =>
  `http2: server sent GOAWAY and closed the connection; LastStreamID=${lastStreamId}, ErrCode=${codeText(code)}, debug=${goQuote(debug)}`;
