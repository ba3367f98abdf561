/**
 * The server's side of a SPDY/3.1 connection, as far as Kubernetes uses it: the client opens streams, says in their
 * headers what they are for, and both sides write to them. No flow control, as clients of Kubernetes have none.
 */
import type { Duplex } from 'node:stream';
import { emptyHeaders, HeaderReader } from './header-reader.ts';

export interface SpdyStream {
  readonly id: number;
  readonly headers: ReadonlyMap<string, string>;
}

export interface SpdyListener {
  onStream(stream: SpdyStream): void;
  /** `bytes` undefined: the client has ended its side. */
  onData(id: number, bytes: Buffer | undefined): void;
  onClose(): void;
}

const TYPE = { synStream: 1, synReply: 2, rstStream: 3, ping: 6, goAway: 7 } as const;
const CONTROL = 0x80;
const VERSION = 3;
const FIN = 1;
const HEAD_BYTES = 8;
/** Both sides send far smaller ones. */
const MAX_FRAME_BYTES = 1024 * 1024;
const MAX_STREAMS = 1_000;
const STREAM_ID = 0x7f_ff_ff_ff;

export class SpdyConnection {
  readonly #socket: Duplex;
  readonly #listener: SpdyListener;
  readonly #headers = new HeaderReader();
  readonly #open = new Set<number>();
  #unread: Buffer = Buffer.alloc(0);
  #isReading = false;
  #isOver = false;
  #hasReplied = false;

  constructor(socket: Duplex, listener: SpdyListener) {
    this.#socket = socket;
    this.#listener = listener;
    socket.on('data', (bytes: Buffer) => {
      this.#unread = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes]);
      void this.#readFrames();
    });
    socket.on('error', () => socket.destroy());
    socket.on('end', () => this.close());
    socket.on('close', () => this.#end());
  }

  /** Bytes that were written and have not left yet. */
  get unsentBytes(): number {
    return this.#socket.writableLength;
  }

  send(id: number, bytes: Uint8Array): void {
    if (this.#open.has(id)) this.#write(dataFrame(id, 0, bytes));
  }

  /** Nothing more comes on this stream. */
  finish(id: number): void {
    if (this.#open.delete(id)) this.#write(dataFrame(id, FIN, new Uint8Array()));
  }

  /** Says good-bye on every stream, once everything before has left. */
  close(): void {
    if (this.#isOver) return;
    for (const id of [...this.#open]) this.finish(id);
    this.#write(controlFrame(TYPE.goAway, numbers(0, 0)));
    this.#socket.end();
    this.#end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** One frame after the other: headers wait for those before. */
  async #readFrames(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (!this.#isOver && this.#unread.length >= HEAD_BYTES) {
        const length = this.#unread.readUInt32BE(4) & 0xff_ff_ff;
        if (length > MAX_FRAME_BYTES) throw new Error('a frame is too large');
        const size = HEAD_BYTES + length;
        if (this.#unread.length < size) break;
        const frame = this.#unread.subarray(0, size);
        this.#unread = this.#unread.subarray(size);
        if (((frame[0] ?? 0) & CONTROL) === 0) this.#takeData(frame);
        else await this.#takeControl(frame);
      }
    } catch {
      // Whoever speaks something else is not spoken to.
      this.destroy();
    } finally {
      this.#isReading = false;
    }
  }

  #takeData(frame: Buffer): void {
    const id = frame.readUInt32BE(0) & STREAM_ID;
    const bytes = frame.subarray(HEAD_BYTES);
    if (bytes.length > 0) this.#listener.onData(id, bytes);
    if (((frame[4] ?? 0) & FIN) !== 0) this.#listener.onData(id, undefined);
  }

  async #takeControl(frame: Buffer): Promise<void> {
    const body = frame.subarray(HEAD_BYTES);
    const type = frame.readUInt16BE(2);
    if ((frame.readUInt16BE(0) & 0x7f_ff) !== VERSION) throw new Error('another version of SPDY');
    if (type === TYPE.synStream) await this.#takeStream(body, ((frame[4] ?? 0) & FIN) !== 0);
    // Answered as it came: the numbers of clients are odd.
    else if (type === TYPE.ping) this.#write(frame);
    else if (type === TYPE.rstStream) this.#takeReset(body.readUInt32BE(0) & STREAM_ID);
  }

  async #takeStream(body: Buffer, isFinished: boolean): Promise<void> {
    const id = body.readUInt32BE(0) & STREAM_ID;
    const headers = await this.#headers.read(body.subarray(10));
    if (this.#isOver) return;
    if (this.#open.size >= MAX_STREAMS) throw new Error('too many streams');
    this.#open.add(id);
    const reply = Buffer.concat([numbers(id), emptyHeaders(!this.#hasReplied)]);
    this.#hasReplied = true;
    this.#write(controlFrame(TYPE.synReply, reply));
    this.#listener.onStream({ id, headers });
    if (isFinished) this.#listener.onData(id, undefined);
  }

  #takeReset(id: number): void {
    this.#open.delete(id);
    this.#listener.onData(id, undefined);
  }

  #write(bytes: Buffer): void {
    if (!this.#isOver && this.#socket.writable) this.#socket.write(bytes);
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#headers.close();
    this.#listener.onClose();
  }
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}

function controlFrame(type: number, body: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt16BE(0x80_00 | VERSION, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt32BE(body.length, 4);
  return Buffer.concat([head, body]);
}

function dataFrame(id: number, flags: number, bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(id, 0);
  head.writeUInt32BE(bytes.length, 4);
  head.writeUInt8(flags, 4);
  return Buffer.concat([head, bytes]);
}
