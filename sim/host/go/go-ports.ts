/**
 * Ports that a Go program listens on, as far as it was built for them: calls from elsewhere in the simulation are handed to
 * the program, which makes them over a network of its own (`go-overlay-sources.ts`), so that its servers find them as any
 * other. What it answers comes back bit by bit.
 */
import { bodyBytes, type HttpCall } from '../../api/http-call.ts';
import type { GuestHandler, GuestPieces } from '../guest/guest-program.ts';
import { PieceQueue } from './piece-queue.ts';

export type Serve = (port: number, handler: GuestHandler) => void;

type GoFunction = (...args: unknown[]) => unknown;

export class GoPorts {
  readonly #serve: Serve;
  readonly #escapes: (what: string) => void;
  /** Where the program finds each of its ports. */
  readonly #addresses = new Map<number, string>();
  readonly #served = new Set<number>();
  #answer: GoFunction | undefined;

  /** `escapes` hears of what leads out of the simulation. */
  constructor(serve: Serve, escapes: (what: string) => void) {
    this.#serve = serve;
    this.#escapes = escapes;
  }

  /** As the program sees it. */
  readonly object: object = {
    answerBy: (answer: GoFunction) => this.answerBy(answer),
    listen: (port: number, address: string) => this.#listen(port, address),
    unlisten: (port: number) => void this.#addresses.delete(port),
    dial: (network: string, address: string) => {
      if (!isWithin(network, address)) this.#escapes(`opened a socket to ${address}`);
    },
    startProcess: (path: string) => this.#escapes(`started a process (${path})`),
  };

  get answerer(): unknown {
    return this.#answer;
  }

  get areUsed(): boolean {
    return this.#served.size > 0;
  }

  answerBy(answer: GoFunction): void {
    this.#answer = answer;
  }

  #listen(port: number, address: string): void {
    this.#addresses.set(port, address);
    if (this.#served.has(port)) return;
    this.#served.add(port);
    this.#serve(port, (call) => this.#called(port, call));
  }

  #called(port: number, call: HttpCall): Promise<GuestPieces> {
    const address = this.#addresses.get(port);
    const answer = this.#answer;
    if (address === undefined || !answer) throw new Error(`nobody listens on port ${port} any more`);
    return new Promise((resolve, reject) => {
      answer(new GoCall(call, address, { answered: resolve, failed: (why) => reject(new Error(why)) }));
    });
  }
}

interface Outcome {
  readonly answered: (answer: GuestPieces) => void;
  readonly failed: (why: string) => void;
}

/** A call that the program is given, and by which it answers. */
class GoCall {
  readonly address: string;
  readonly method: string;
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
  readonly #outcome: Outcome;
  readonly #pieces = new PieceQueue();
  #answered: Record<string, string> | undefined;

  constructor({ method, path, headers = {}, body }: HttpCall, address: string, outcome: Outcome) {
    this.address = address;
    this.method = method;
    this.path = path;
    this.headers = Object.entries(headers).flat();
    this.body = bodyBytes(body);
    this.#outcome = outcome;
  }

  /** `act`: what is to happen when the caller has gone. */
  whenGone(act: (() => void) | undefined): void {
    this.#pieces.whenGone(act);
  }

  begin(status: number, ...headers: readonly string[]): void {
    const answered: Record<string, string> = {};
    for (let index = 0; index < headers.length; index += 2)
      answered[headers[index] ?? ''] = headers[index + 1] ?? '';
    this.#answered = answered;
    this.#outcome.answered({ status, headers: answered, pieces: this.#pieces });
  }

  piece(bytes: Uint8Array): void {
    this.#pieces.push(bytes);
  }

  end(): void {
    this.#pieces.finish();
  }

  /** It came to nothing, or broke off. */
  broken(why: string): void {
    if (this.#answered) this.#pieces.finish();
    else this.#outcome.failed(why);
  }
}

/** Addresses of the program itself, which has a network of its own. */
const OWN_ADDRESS = /^(localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\]|)(:\w+)?$/;

const isWithin = (network: string, address: string): boolean =>
  network.startsWith('unix') || OWN_ADDRESS.test(address);
