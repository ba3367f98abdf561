/**
 * A real cluster behind the interface that replays need: a call returns when it has been answered. Requests that could
 * touch what this run did not make are refused before they are sent.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type {
  Answer,
  ByteStream,
  Call,
  ServerUnderTest,
} from '../../../model/golden/replay/server-under-test.ts';
import type { Connection } from './connection.ts';
import { refusalOf } from './guard.ts';
import type { HttpPiece, WorkerSettings } from './http-messages.ts';

/** From the sources the built one is used. */
const BUILT_PROGRAM = new URL('../../../dist/http-worker.js', import.meta.url);
const TIMEOUT_MS = 60_000;
/** A case that speaks as the administrator speaks as whoever the connection is. */
const ADMINISTRATOR = 'Bearer admin-token';

interface Incoming {
  head?: Extract<HttpPiece, { kind: 'head' }>;
  readonly pieces: Uint8Array[];
  isEnded: boolean;
  error?: string;
}

export class RemoteServer implements ServerUnderTest {
  readonly baseUrl: string;
  readonly #connection: Connection;
  readonly #worker: Worker;
  readonly #counter: Int32Array;
  readonly #port: MessagePort;
  readonly #incoming = new Map<number, Incoming>();
  #lastId = 0;

  /** `program`: of the thread, built. */
  constructor(connection: Connection, program: URL) {
    this.baseUrl = connection.server;
    this.#connection = connection;
    const signal = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    this.#counter = new Int32Array(signal);
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const workerData: WorkerSettings = { signal, tls: connection.tls, port: port2 };
    const settings = { workerData, transferList: [port2] };
    const isBeside = existsSync(fileURLToPath(program));
    this.#worker = new Worker(isBeside ? program : BUILT_PROGRAM, settings);
    this.#worker.unref();
  }

  nowMs(): number {
    return Date.now();
  }

  sleep(ms: number): void {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, ms);
  }

  async close(): Promise<void> {
    this.#port.close();
    await this.#worker.terminate();
  }

  request(call: Call): Answer {
    const id = this.#send(call);
    const incoming = this.#until(id, ({ isEnded }) => isEnded);
    this.#incoming.delete(id);
    return answerOf(incoming);
  }

  stream(call: Call): { readonly answer: Answer; readonly stream?: ByteStream } {
    const id = this.#send(call);
    const { head } = this.#until(id, (each) => each.head !== undefined || each.isEnded);
    if (head?.status === 200) {
      return { answer: { ...head, bytes: new Uint8Array() }, stream: this.#streamOf(id) };
    }
    const whole = this.#until(id, ({ isEnded }) => isEnded);
    this.#incoming.delete(id);
    return { answer: answerOf(whole) };
  }

  #send({ method, path, headers, body }: Call): number {
    const refusal = refusalOf(method, path, body);
    if (refusal) throw new Error(refusal);
    const { server, authorization } = this.#connection;
    const { authorization: given, ...rest } = headers;
    const credentials = given === ADMINISTRATOR ? authorization : given;
    const id = (this.#lastId += 1);
    this.#incoming.set(id, { pieces: [], isEnded: false });
    const order = {
      id,
      server,
      path,
      method,
      headers: { ...rest, ...(credentials && { authorization: credentials }) },
      ...(body && { body }),
      timeoutMs: TIMEOUT_MS,
    };
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
    this.#port.postMessage(order);
    return id;
  }

  #until(id: number, isReady: (incoming: Incoming) => boolean): Incoming {
    const deadline = Date.now() + TIMEOUT_MS;
    for (;;) {
      const seen = Atomics.load(this.#counter, 0);
      this.#take();
      const incoming = this.#incoming.get(id);
      if (!incoming || incoming.error !== undefined) {
        this.#incoming.delete(id);
        throw new Error(`${this.baseUrl}: ${incoming?.error ?? 'the call is gone'}`);
      }
      if (isReady(incoming)) return incoming;
      if (Date.now() >= deadline) throw new Error(`${this.baseUrl}: no answer within ${TIMEOUT_MS} ms`);
      Atomics.wait(this.#counter, 0, seen, deadline - Date.now());
    }
  }

  /** Everything that has arrived. */
  #take(): void {
    for (let got = receiveOf(this.#port); got; got = receiveOf(this.#port)) {
      const incoming = this.#incoming.get(got.id);
      if (!incoming) continue;
      if (got.kind === 'head') incoming.head = got;
      else if (got.kind === 'data') incoming.pieces.push(got.bytes);
      else if (got.kind === 'error') incoming.error = got.message;
      else incoming.isEnded = true;
    }
  }

  #streamOf(id: number): ByteStream {
    const take = (): Incoming | undefined => {
      this.#take();
      return this.#incoming.get(id);
    };
    return {
      read: () => take()?.pieces.shift(),
      get isEnded() {
        const incoming = take();
        return incoming === undefined || (incoming.isEnded && incoming.pieces.length === 0);
      },
      close: () => {
        this.#incoming.delete(id);
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
        this.#port.postMessage({ stop: id });
      },
    };
  }
}

const receiveOf = (port: MessagePort): HttpPiece | undefined =>
  receiveMessageOnPort(port)?.message as HttpPiece | undefined;

function answerOf({ head, pieces }: Incoming): Answer {
  return { status: head?.status ?? 0, headers: head?.headers ?? [], bytes: Buffer.concat(pieces) };
}
