/**
 * Exec and attach over WebSocket, in the subprotocols of Kubernetes: each message begins with the number of its
 * channel, as a byte, or as a digit before Base64. `v5` can end a channel; from `v4` on the outcome is a Status.
 */
import type { RawData, WebSocket } from 'ws';
import { CHANNEL, type StreamFrame } from '../api/stream-frame.ts';
import type { ChannelStream } from '../apiserver/request/request.ts';
import type { RequestHandler } from './request-handler.ts';
import { PacedSocket } from './paced-socket.ts';

interface Protocol {
  readonly isBase64: boolean;
  /** The outcome is JSON; before it was a text, and nothing when all went well. */
  readonly hasStatus: boolean;
  readonly canEndChannels: boolean;
}

const V4 = { isBase64: false, hasStatus: true, canEndChannels: false };

const PROTOCOLS: Readonly<Record<string, Protocol>> = {
  'v5.channel.k8s.io': { ...V4, canEndChannels: true },
  'v4.channel.k8s.io': V4,
  'v4.base64.channel.k8s.io': { ...V4, isBase64: true },
  'channel.k8s.io': { ...V4, hasStatus: false },
  'base64.channel.k8s.io': { ...V4, isBase64: true, hasStatus: false },
};
/** Of a client that offers none. */
const PLAIN: Protocol = { ...V4, hasStatus: false };

export const isChannelProtocol = (name: string): boolean => Object.hasOwn(PROTOCOLS, name);

/** Of a message that ends the channel that its next byte names. */
const END_OF_CHANNEL = 255;
const DIGIT_ZERO = 48;

export class ChannelSocket {
  readonly #socket: WebSocket;
  readonly #channels: ChannelStream;
  readonly #handler: RequestHandler;
  readonly #protocol: Protocol;

  constructor(socket: WebSocket, channels: ChannelStream, handler: RequestHandler) {
    this.#socket = socket;
    this.#channels = channels;
    this.#handler = handler;
    this.#protocol = PROTOCOLS[socket.protocol] ?? PLAIN;
  }

  begin(): void {
    this.#socket.on('message', (data) =>
      this.#handler.defects.guard(
        () => this.#take(data),
        () => this.#socket.terminate(),
      ),
    );
    // Says that the connection stands.
    this.#send({ channel: CHANNEL.stdout, bytes: new Uint8Array() });
    const send = (frame: StreamFrame): void =>
      this.#send(this.#protocol.hasStatus ? frame : olderFrame(frame));
    new PacedSocket(this.#socket, this.#channels, { send, handler: this.#handler }).begin();
  }

  #take(data: RawData): void {
    const frame = this.#frameOf(bytesOf(data));
    if (frame) this.#handler.act(() => this.#channels.take(frame));
  }

  /** Undefined: it means nothing to a command, such as the size of a terminal. */
  #frameOf(message: Buffer): StreamFrame | undefined {
    const [first, second] = message;
    if (first === undefined) return undefined;
    const { isBase64, canEndChannels } = this.#protocol;
    if (canEndChannels && first === END_OF_CHANNEL)
      return second === CHANNEL.stdin ? { channel: second, bytes: undefined } : undefined;
    const channel = isBase64 ? first - DIGIT_ZERO : first;
    if (channel !== CHANNEL.stdin) return undefined;
    const rest = message.subarray(1);
    const bytes = isBase64 ? Buffer.from(rest.toString('latin1'), 'base64') : rest;
    return { channel, bytes: new Uint8Array(bytes) };
  }

  #send(frame: StreamFrame | undefined): void {
    if (!frame?.bytes) return;
    const { channel, bytes } = frame;
    if (this.#protocol.isBase64) this.#socket.send(`${channel}${Buffer.from(bytes).toString('base64')}`);
    else this.#socket.send(Buffer.concat([Buffer.of(channel), bytes]), { binary: true });
  }
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? Buffer.from(data) : data;
}

/** The message of a Status, as it was before there were Statuses. */
export function olderFrame(frame: StreamFrame): StreamFrame | undefined {
  if (frame.channel !== CHANNEL.error || !frame.bytes) return frame;
  const { status, message = '' } = JSON.parse(Buffer.from(frame.bytes).toString()) as {
    readonly status: string;
    readonly message?: string;
  };
  return status === 'Success' ? undefined : { channel: CHANNEL.error, bytes: Buffer.from(message) };
}
