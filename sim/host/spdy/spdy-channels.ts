/**
 * Exec and attach over SPDY/3.1, as client-go speaks it up to 1.30 and falls back to: one stream for each channel, which
 * says in its `streamtype` which one it is. From `v4` on the outcome is a Status, before it is a text.
 */
import type { Duplex } from 'node:stream';
import { CHANNEL, type StreamFrame } from '../../api/stream-frame.ts';
import type { ChannelStream } from '../../apiserver/request/request.ts';
import { olderFrame } from '../channel-socket.ts';
import type { RequestHandler } from '../request-handler.ts';
import { SpdyConnection } from './spdy-connection.ts';

/** Best first. */
export const EXEC_PROTOCOLS = ['v4.channel.k8s.io', 'v3.channel.k8s.io', 'v2.channel.k8s.io'] as const;

const CHANNEL_OF: ReadonlyMap<string, number> = new Map(Object.entries(CHANNEL));
/** A client that has so much unread is not given more for now. */
const MAX_UNSENT_BYTES = 1024 * 1024;
const RETRY_MS = 20;
/** Streams that a command needs and that are not there by then will not come. */
const STREAMS_MS = 30_000;

export interface SpdyChannelOptions {
  readonly protocol: string;
  /** The channels for which the client has said that it opens streams. */
  readonly expected: readonly number[];
  readonly handler: RequestHandler;
}

export class SpdyChannels {
  readonly #connection: SpdyConnection;
  readonly #channels: ChannelStream;
  readonly #options: SpdyChannelOptions;
  readonly #streamOf = new Map<number, number>();
  readonly #channelOf = new Map<number, number>();
  #timer: NodeJS.Timeout | undefined;
  #isPlanned = false;

  constructor(socket: Duplex, channels: ChannelStream, options: SpdyChannelOptions) {
    this.#channels = channels;
    this.#options = options;
    this.#connection = new SpdyConnection(socket, {
      onStream: ({ id, headers }) => this.#takeStream(id, headers.get('streamtype') ?? ''),
      onData: (id, bytes) => this.#takeData(id, bytes),
      onClose: () => {
        clearTimeout(this.#timer);
        options.handler.act(() => channels.close());
      },
    });
  }

  begin(): void {
    this.#timer = setTimeout(() => this.#connection.destroy(), STREAMS_MS);
  }

  #takeStream(id: number, type: string): void {
    const channel = CHANNEL_OF.get(type);
    if (channel === undefined) return;
    this.#streamOf.set(channel, id);
    this.#channelOf.set(id, channel);
    if (!this.#isComplete()) return;
    clearTimeout(this.#timer);
    this.#channels.subscribe(() => this.#plan());
    this.#plan();
  }

  /** What the command writes waits until the client can take all of it. */
  #isComplete(): boolean {
    return this.#options.expected.every((channel) => this.#streamOf.has(channel));
  }

  #takeData(id: number, bytes: Buffer | undefined): void {
    const channel = this.#channelOf.get(id);
    if (channel !== CHANNEL.stdin) return;
    this.#options.handler.defects.guard(
      () =>
        this.#options.handler.act(() =>
          this.#channels.take({ channel, bytes: bytes && new Uint8Array(bytes) }),
        ),
      () => this.#connection.destroy(),
    );
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() =>
      this.#options.handler.defects.guard(
        () => this.#flush(),
        () => this.#connection.destroy(),
      ),
    );
  }

  #flush(): void {
    this.#isPlanned = false;
    if (!this.#isComplete()) return;
    while (this.#connection.unsentBytes < MAX_UNSENT_BYTES) {
      const frame = this.#channels.read();
      if (!frame) {
        if (this.#channels.ended) this.#connection.close();
        return;
      }
      this.#send(this.#options.protocol === EXEC_PROTOCOLS[0] ? frame : olderFrame(frame));
    }
    setTimeout(() => this.#plan(), RETRY_MS);
  }

  #send(frame: StreamFrame | undefined): void {
    const id = frame && this.#streamOf.get(frame.channel);
    if (id !== undefined && frame?.bytes) this.#connection.send(id, frame.bytes);
  }
}
