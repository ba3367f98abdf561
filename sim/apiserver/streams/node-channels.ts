/** The channels between a client and a node's agent, passed on in both directions by the API server. */
import { CHANNEL, type StreamFrame, streamFailure } from '../../api/stream-frame.ts';
import type { Process } from '../../engine/process.ts';
import type { ChannelStream } from '../request/request.ts';
import type { ApiServerSurroundings, NodeStream } from '../surroundings.ts';

/** Said when the agent's end is gone before it has told how it ended. */
const BROKEN = {
  metadata: {},
  status: 'Failure',
  message: 'Internal error occurred: error reading from error stream: the connection to the node broke',
  reason: 'InternalError',
  code: 500,
};

export class NodeChannels implements ChannelStream {
  readonly #source: NodeStream;
  readonly #frames: StreamFrame[] = [];
  readonly #stop: () => void;
  #onReady: () => void = () => undefined;
  #isOver = false;

  constructor({ start }: Pick<ApiServerSurroundings, 'start'>, source: NodeStream) {
    this.#source = source;
    this.#stop = start(this.#passOn());
  }

  subscribe(onReady: () => void): void {
    this.#onReady = onReady;
  }

  read(): StreamFrame | undefined {
    return this.#frames.shift();
  }

  get ended(): boolean {
    return this.#isOver && this.#frames.length === 0;
  }

  take(frame: StreamFrame): void {
    this.#source.send(frame);
  }

  close(): void {
    this.#isOver = true;
    this.#frames.length = 0;
    this.#stop();
    this.#source.close();
  }

  *#passOn(): Process<void> {
    let hasStatus = false;
    for (let frame = yield* this.#source.receive(); frame; frame = yield* this.#source.receive()) {
      hasStatus ||= frame.channel === CHANNEL.error;
      this.#put(frame);
    }
    this.#isOver = true;
    if (hasStatus) this.#onReady();
    else this.#put(statusFrame(BROKEN));
  }

  #put(frame: StreamFrame): void {
    this.#frames.push(frame);
    this.#onReady();
  }
}

const statusFrame = (status: object): StreamFrame => ({
  channel: CHANNEL.error,
  bytes: new TextEncoder().encode(JSON.stringify(status)),
});

/** Channels that tell nothing but why there are none. */
export class RefusedChannels implements ChannelStream {
  #frame: StreamFrame | undefined;

  constructor(message: string) {
    this.#frame = statusFrame(streamFailure(message));
  }

  subscribe(onReady: () => void): void {
    onReady();
  }

  read(): StreamFrame | undefined {
    const frame = this.#frame;
    this.#frame = undefined;
    return frame;
  }

  get ended(): boolean {
    return this.#frame === undefined;
  }

  take(): void {
    // Nobody is there to take it.
  }

  close(): void {
    this.#frame = undefined;
  }
}
