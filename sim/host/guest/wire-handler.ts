/**
 * Stands behind one socket of a guest, on the guest's own machine: sends each request that Node's HTTP server has read from
 * the socket over the simulated network, and makes a response of what comes back.
 */
import type { StreamFrame } from '../../api/stream-frame.ts';
import type { ApiRequest, ApiResponse } from '../../apiserver/request/request.ts';
import type { Identity } from '../../client/protocol.ts';
import type { WireMessage, WireReply } from '../../client/wire-port.ts';
import { Defects } from '../defects.ts';
import type { RequestHandler } from '../request-handler.ts';
import { WebGate } from '../web-gate.ts';

export interface WireCaller {
  /** Whose token stands for whom. */
  readonly user: Identity;
  readonly token: string;
  send(message: WireMessage): void;
}

/** What Node's HTTP server on a guest's machine asks. */
export const handlerOf = (handle: RequestHandler['handle']): RequestHandler => ({
  handle,
  act: (work) => work(),
  stir: () => undefined,
  compressesResponses: false,
  gate: new WebGate({ bindAddress: '0.0.0.0', allowedHosts: [] }),
  defects: new Defects((error) => {
    throw error;
  }),
});

export class WireHandler {
  readonly #caller: WireCaller;
  #respond: ((response: ApiResponse) => void) | undefined;
  #pieces: Remote<Uint8Array> | undefined;
  #frames: Remote<StreamFrame> | undefined;

  constructor(caller: WireCaller) {
    this.#caller = caller;
  }

  handle(request: ApiRequest, respond: (response: ApiResponse) => void): void {
    const { method, path, query, headers, body } = request;
    this.#respond = respond;
    const authorization = headers['authorization'];
    const isOwn = authorization === undefined || authorization === `Bearer ${this.#caller.token}`;
    this.#caller.send({
      kind: 'request',
      call: {
        method,
        path,
        query: query.toString(),
        headers: withoutChance(headers),
        ...(body?.kind === 'bytes' && { body: body.bytes }),
        ...(isOwn && { user: this.#caller.user }),
      },
    });
  }

  /** Something has come over the network. */
  deliver(reply: WireReply): void {
    switch (reply.kind) {
      case 'answer':
        this.#answer({ ...reply.head, body: { kind: 'bytes', bytes: reply.body } });
        return;
      case 'stream':
        this.#pieces = new Remote(() => undefined);
        this.#answer({ ...reply.head, body: { kind: 'stream', stream: this.#pieces } });
        return;
      case 'channels':
        this.#frames = new Remote<StreamFrame>((frame) => this.#caller.send({ kind: 'frame', frame }));
        this.#answer({ ...reply.head, body: { kind: 'channels', channels: this.#frames } });
        return;
      case 'piece':
        this.#pieces?.push(reply.bytes);
        return;
      case 'frame':
        this.#frames?.push(reply.frame);
        return;
      case 'end':
        this.#pieces?.finish();
        this.#frames?.finish();
    }
  }

  #answer(response: ApiResponse): void {
    const respond = this.#respond;
    this.#respond = undefined;
    respond?.(response);
  }
}

/** What a WebSocket library draws for its own purposes says nothing to anybody. */
function withoutChance(headers: ApiRequest['headers']): ApiRequest['headers'] {
  const { 'sec-websocket-key': _key, ...rest } = headers;
  return rest;
}

/** What streams in from elsewhere, and may be answered. */
class Remote<Piece> {
  readonly take: (piece: Piece) => void;
  readonly #waiting: Piece[] = [];
  #isOver = false;
  #onReady = (): void => undefined;

  constructor(take: (piece: Piece) => void) {
    this.take = take;
  }

  subscribe(onReady: () => void): void {
    this.#onReady = onReady;
  }

  push(piece: Piece): void {
    this.#waiting.push(piece);
    this.#onReady();
  }

  finish(): void {
    this.#isOver = true;
    this.#onReady();
  }

  read(): Piece | undefined {
    return this.#waiting.shift();
  }

  get ended(): boolean {
    return this.#isOver && this.#waiting.length === 0;
  }

  /** The end of the socket is the end of everything. */
  close(): void {}
}
