/** What a guest is: a program, and what it is given. */
import type { HttpAnswer, HttpCall, HttpHeaders } from '../../api/http-call.ts';
import { shown } from '../../engine/shown.ts';
import type { GuestTools } from './guest-tools.ts';
import type { PromiseClient } from './promise-client.ts';

/**
 * An answer that is given bit by bit, such as a watch: each piece is a turn of the guest, and an object a line of JSON. When
 * the caller has gone, the iterator is returned.
 */
export interface GuestPieces {
  readonly status: number;
  readonly headers?: HttpHeaders;
  readonly pieces: AsyncIterable<Uint8Array | string | object>;
}

type GuestAnswer = HttpAnswer | GuestPieces;

/** Each call is a turn of the guest. `peer` is the actor that calls. */
export type GuestHandler = (call: HttpCall, peer: string) => GuestAnswer | Promise<GuestAnswer>;

/** What a guest's function is given. */
export interface GuestEnvironment extends GuestTools {
  readonly name: string;
  readonly client: PromiseClient;
  /**
   * Answers HTTP calls to this port of the guest's actor from now on: as a webhook, or for other guests. A handler that
   * throws answers 500 with its message.
   */
  serve(port: number, handler: GuestHandler): void;
  /**
   * A kubeconfig, for clients of the guest's own choice: they talk HTTP, and are answered over the simulated network.
   * Those that look for the cluster they run in find it too.
   */
  readonly kubeconfig: string;
}

export type GuestFunction = (guest: GuestEnvironment) => Promise<void>;

/**
 * What a guest runs: a function, or its module (`() => import('./operator.js')`, or `{ load }` where that is not the whole
 * function). A module is loaded anew for each life; its `main`, `run` or default export is called, if there is one.
 */
export type GuestProgram = GuestFunction | (() => Promise<object>) | Loader;

/** Tests are often run without their types. @throws RangeError */
export function checkProgram(name: unknown, program: unknown): void {
  if (typeof name !== 'string' || name === '') throw new RangeError(`a guest has a name, not ${shown(name)}`);
  const isLoader = typeof program === 'object' && program !== null && 'load' in program;
  if (typeof program !== 'function' && !(isLoader && typeof program.load === 'function'))
    throw new RangeError(`guest ${shown(name)} is a function or { load }, not ${shown(program)}`);
}

/** Says by itself that it is a module that is to be loaded for each life. */
export interface Loader {
  readonly load: () => Promise<object>;
}
