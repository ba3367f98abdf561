/**
 * `fetch` as Go's HTTP client uses it, with plain objects in place of the platform's streams, and requests that go into the
 * simulated network as they are: no socket, no reader of HTTP. A status that says no is an answer, a network that says nothing
 * an error. Whoever asks a promise of it hears of that after what it is doing.
 */
import type { AskedRequest, Heard } from '../guest/exchange.ts';

export interface AskedAddress {
  readonly host: string;
  readonly port: number;
  readonly isEncrypted: boolean;
}

/** The result gives the request up. @throws where there is nobody to ask */
export type Ask = (address: AskedAddress, request: AskedRequest, heard: Heard) => () => void;

type Callback = (value: unknown) => void;

/** As much of a promise as Go asks for. */
class GoPromise {
  #outcome: { readonly isKept: boolean; readonly value: unknown } | undefined;
  #waiting: ((isKept: boolean, value: unknown) => void)[] = [];

  // oxlint-disable-next-line unicorn/no-thenable -- Go calls it by this name, and nobody awaits it
  then(kept: Callback, broken?: Callback): void {
    const tell = (isKept: boolean, value: unknown): void =>
      queueMicrotask(() => (isKept ? kept : broken)?.(value));
    if (this.#outcome) tell(this.#outcome.isKept, this.#outcome.value);
    else this.#waiting.push(tell);
  }

  settle(isKept: boolean, value: unknown): void {
    if (this.#outcome) return;
    this.#outcome = { isKept, value };
    for (const tell of this.#waiting) tell(isKept, value);
    this.#waiting = [];
  }
}

/** By lower-case name; what is said twice follows after a comma. */
export class GoHeaders {
  readonly #values = new Map<string, string>();

  append(name: string, value: string): void {
    const key = name.toLowerCase();
    const before = this.#values.get(key);
    this.#values.set(key, before === undefined ? value : `${before}, ${value}`);
  }

  entries(): IterableIterator<[string, string]> {
    return [...this.#values].sort(([a], [b]) => (a < b ? -1 : 1)).values();
  }

  toRecord(): Record<string, string> {
    return Object.fromEntries(this.#values);
  }
}

class GoSignal {
  isAborted = false;
  whenAborted = (): void => undefined;
}

export class GoAbortController {
  readonly signal = new GoSignal();

  abort(): void {
    if (this.signal.isAborted) return;
    this.signal.isAborted = true;
    this.signal.whenAborted();
  }
}

/** What is heard of a body, which is both stream and reader. */
class GoBody {
  readonly #pieces: Uint8Array[] = [];
  readonly #giveUp: () => void;
  #reading: GoPromise | undefined;
  #isOver = false;
  #error: Error | undefined;

  constructor(giveUp: () => void) {
    this.#giveUp = giveUp;
  }

  getReader(): this {
    return this;
  }

  read(): GoPromise {
    const promise = new GoPromise();
    this.#reading = promise;
    this.#tell();
    return promise;
  }

  cancel(): void {
    this.#giveUp();
    this.end();
  }

  push(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#tell();
  }

  end(error?: Error): void {
    this.#isOver = true;
    this.#error = error;
    this.#tell();
  }

  #tell(): void {
    const reading = this.#reading;
    const isKnown = this.#pieces.length > 0 || this.#isOver;
    if (!reading || !isKnown) return;
    this.#reading = undefined;
    const value = this.#pieces.shift();
    if (value) reading.settle(true, { done: false, value });
    else if (this.#error) reading.settle(false, this.#error);
    else reading.settle(true, { done: true, value: undefined });
  }
}

interface FetchOptions {
  readonly method?: string;
  readonly headers?: GoHeaders;
  readonly body?: Uint8Array;
  readonly signal?: GoSignal;
}

/** These have no body. */
const BODYLESS: ReadonlySet<number> = new Set([101, 204, 205, 304]);

export const goFetch =
  (ask: Ask) =>
  (address: string, { method = 'GET', headers, body, signal }: FetchOptions = {}): GoPromise => {
    const promise = new GoPromise();
    const url = new URL(address);
    let giveUp = (): void => undefined;
    const answer = new GoBody(() => giveUp());
    const heard: Heard = {
      answered: (status, given) => {
        const isBodyless = BODYLESS.has(status) || method === 'HEAD';
        promise.settle(true, responseOf(status, given, isBodyless ? null : answer));
      },
      piece: (bytes) => answer.push(bytes),
      ended: () => answer.end(),
      failed: (error) => {
        promise.settle(false, failed(error));
        answer.end(new TypeError('terminated', { cause: error }));
      },
    };
    const abort = (): void => {
      giveUp();
      const error = new DOMException('This operation was aborted', 'AbortError');
      promise.settle(false, error);
      answer.end(error);
    };
    if (signal) signal.whenAborted = abort;
    try {
      giveUp = ask(whereOf(url), { ...requestTo(url, headers, body), method }, heard);
    } catch (error) {
      promise.settle(false, failed(error));
    }
    return promise;
  };

const failed = (cause: unknown): Error => new TypeError('fetch failed', { cause });

function whereOf({ protocol, hostname, port }: URL): AskedAddress {
  const isEncrypted = protocol !== 'http:';
  const usual = isEncrypted ? 443 : 80;
  return { host: hostname, port: port === '' ? usual : Number(port), isEncrypted };
}

/** With what an HTTP client of the platform adds. */
function requestTo(
  { host, pathname, search }: URL,
  headers: GoHeaders | undefined,
  body: Uint8Array | undefined,
): Omit<AskedRequest, 'method'> {
  return {
    path: pathname,
    query: search.slice(1),
    headers: {
      'user-agent': 'node',
      ...headers?.toRecord(),
      host,
      connection: 'close',
      ...(body && { 'content-length': String(body.length) }),
    },
    ...(body && { body: body.slice() }),
  };
}

function responseOf(
  status: number,
  given: readonly (readonly [string, string])[],
  body: GoBody | null,
): object {
  const headers = new GoHeaders();
  for (const [name, value] of given) headers.append(name, value);
  return { status, headers, body, redirected: false };
}
