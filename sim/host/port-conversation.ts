/**
 * One connection of a client through a port-forward: HTTP/1.1 out of its bytes, one request after the other, to what a
 * container answers on that port. Where nobody listens it says so at once, and what is no HTTP is answered as servers do.
 * A container that hangs up leaves the client a moment to hang up first, as container runtimes do: clients count on it.
 */
import { STATUS_CODES } from 'node:http';
import type { PodPorts, PortOutcome } from '../apiserver/request/request.ts';
import type { RequestHandler } from './request-handler.ts';

export interface PortEnds {
  send(bytes: Buffer): void;
  /** On the channel for errors. */
  fail(message: string): void;
  /** Nothing more comes. */
  finish(): void;
}

export interface PortConversationOptions {
  readonly port: string;
  readonly ports: PodPorts;
  readonly ends: PortEnds;
  readonly handler: Pick<RequestHandler, 'act'>;
}

const HEAD_END = '\r\n\r\n';
const REQUEST_LINE = /^([A-Z]+) (\S+) HTTP\/1\.([01])$/;
/** Containers here read no more. */
const MAX_UNREAD_BYTES = 1024 * 1024;
/** Between the last word of one side and the end of the connection, if the other goes on. */
const FAREWELL_MS = 1_000;

export class PortConversation {
  readonly #options: PortConversationOptions;
  #unread: Buffer = Buffer.alloc(0);
  #isBusy = true;
  #isHalfClosed = false;
  #isOver = false;
  #farewell: NodeJS.Timeout | undefined;

  constructor(options: PortConversationOptions) {
    this.#options = options;
  }

  /** Connects. */
  begin(): void {
    this.#ask('CONNECT', '/', () => this.#goOn());
  }

  /** Undefined: the client has nothing more to say. */
  take(bytes: Buffer | undefined): void {
    if (this.#isOver) return;
    if (bytes === undefined) this.#isHalfClosed = true;
    if (this.#farewell) return bytes === undefined ? this.#end() : undefined;
    if (bytes) this.#unread = Buffer.concat([this.#unread, bytes]);
    if (this.#unread.length > MAX_UNREAD_BYTES) this.#refuse();
    else if (!this.#isBusy) this.#goOn();
  }

  #goOn(): void {
    this.#isBusy = false;
    const length = this.#unread.indexOf(HEAD_END);
    if (length < 0) {
      if (this.#isHalfClosed) this.#end();
      return;
    }
    const head = this.#unread.subarray(0, length).toString('latin1');
    const [first = '', ...lines] = head.split('\r\n');
    const line = REQUEST_LINE.exec(first);
    const headers = new Map(lines.map(headerOf));
    const bodyBytes = this.#bodyBytes(headers, length + HEAD_END.length);
    if (!line || bodyBytes === 'unreadable') return this.#refuse();
    if (bodyBytes === 'incomplete') return this.#isHalfClosed ? this.#end() : undefined;
    this.#unread = this.#unread.subarray(length + HEAD_END.length + bodyBytes);
    const [, method = '', target = '', minor] = line;
    const wantsMore = minor === '1' && headers.get('connection')?.toLowerCase() !== 'close';
    this.#ask(method, pathOf(target), (outcome) => this.#tell(outcome, method, wantsMore));
  }

  #bodyBytes(headers: ReadonlyMap<string, string>, from: number): number | 'incomplete' | 'unreadable' {
    if (headers.has('transfer-encoding')) {
      const end = this.#unread.indexOf(`0${HEAD_END}`, from);
      return end < 0 ? 'incomplete' : end + 1 + HEAD_END.length - from;
    }
    const length = Number(headers.get('content-length') ?? '0');
    if (!Number.isSafeInteger(length) || length < 0) return 'unreadable';
    return this.#unread.length < from + length ? 'incomplete' : length;
  }

  #ask(method: string, path: string, then: (answer: Extract<PortOutcome, { kind: 'answer' }>) => void): void {
    const { port, ports, handler } = this.#options;
    this.#isBusy = true;
    handler.act(() =>
      ports.ask({ port, method, path }, (outcome) => {
        if (this.#isOver) return;
        if (outcome.kind === 'answer') then(outcome);
        else {
          this.#options.ends.fail(outcome.message);
          this.#end();
        }
      }),
    );
  }

  #tell(
    { status, text, contentType }: Extract<PortOutcome, { kind: 'answer' }>,
    method: string,
    wantsMore: boolean,
  ): void {
    const body = Buffer.from(text);
    const lines = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      `Content-Type: ${contentType}`,
      `Content-Length: ${body.length}`,
      ...(wantsMore ? [] : ['Connection: close']),
    ];
    const head = Buffer.from(`${lines.join('\r\n')}${HEAD_END}`);
    this.#options.ends.send(method === 'HEAD' ? head : Buffer.concat([head, body]));
    if (wantsMore) this.#goOn();
    else this.#hangUp();
  }

  /** As Go's server does. */
  #refuse(): void {
    const lines = [
      'HTTP/1.1 400 Bad Request',
      'Content-Type: text/plain; charset=utf-8',
      'Connection: close',
    ];
    this.#options.ends.send(Buffer.from(`${lines.join('\r\n')}${HEAD_END}400 Bad Request`));
    this.#hangUp();
  }

  #hangUp(): void {
    if (this.#isHalfClosed) this.#end();
    else this.#farewell = setTimeout(() => this.#end(), FAREWELL_MS);
  }

  /** Whoever listened is gone. */
  close(): void {
    clearTimeout(this.#farewell);
    this.#isOver = true;
  }

  #end(): void {
    if (this.#isOver) return;
    this.close();
    this.#unread = Buffer.alloc(0);
    this.#options.ends.finish();
  }
}

function headerOf(line: string): readonly [string, string] {
  const at = line.indexOf(':');
  return [line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()];
}

/** Decoded, without the query; also of a whole URL. */
function pathOf(target: string): string {
  const [path = ''] = target.replace(/^https?:\/\/[^/]*/, '').split(/[?#]/);
  try {
    return decodeURIComponent(path) || '/';
  } catch {
    return path;
  }
}
