/** A client of SPDY/3.1, as far as tests need one: it opens streams, writes, and collects what comes back. */
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { constants, createDeflate } from 'node:zlib';
import { HEADER_DICTIONARY } from './header-dictionary.ts';

export interface SpdySession {
  readonly protocol: string | undefined;
  /** Text of each stream that the server has ended, by the number of the stream; filled when the connection is over. */
  readonly texts: Promise<ReadonlyMap<number, string>>;
  open(id: number, headers: Readonly<Record<string, string>>): Promise<void>;
  write(id: number, text: string, isLast: boolean): void;
  ping(id: number): Promise<number>;
  /** What came on all streams, once the server has ended these; then the client goes. */
  end(ids: readonly number[]): Promise<ReadonlyMap<number, string>>;
}

/** @throws Error with the status of a response that changes no protocol, and its text */
export function openSpdy(url: string, protocols: readonly string[]): Promise<SpdySession> {
  return new Promise((resolve, reject) => {
    const headers = {
      connection: 'Upgrade',
      upgrade: 'SPDY/3.1',
      ...(protocols.length > 0 && { 'x-stream-protocol-version': protocols.join(', ') }),
    };
    const sent = request(url, { method: 'POST', headers, agent: false });
    sent.on('error', reject);
    sent.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => (text += piece));
      response.on('end', () => reject(new Error(`${response.statusCode ?? 0} ${text}`)));
    });
    sent.on('upgrade', (response, socket: Socket) =>
      resolve(sessionOf(socket, String(response.headers['x-stream-protocol-version']))),
    );
    sent.end();
  });
}

function sessionOf(socket: Socket, protocol: string): SpdySession {
  const deflate = createDeflate({ dictionary: HEADER_DICTIONARY });
  const texts = new Map<number, string>();
  const pings: ((id: number) => void)[] = [];
  let unread = Buffer.alloc(0);
  const finished = new Set<number>();
  let heardOf = (): void => undefined;
  const finish = (id: number): void => {
    finished.add(id);
    heardOf();
  };
  socket.on('data', (bytes: Buffer) => {
    unread = Buffer.concat([unread, bytes]);
    while (unread.length >= 8 && unread.length >= 8 + (unread.readUInt32BE(4) & 0xffffff)) {
      const size = 8 + (unread.readUInt32BE(4) & 0xffffff);
      const frame = unread.subarray(0, size);
      unread = unread.subarray(size);
      const first = frame.readUInt32BE(0);
      if (first < 0x80_00_00_00) {
        texts.set(first, (texts.get(first) ?? '') + frame.subarray(8).toString());
        if (((frame[4] ?? 0) & 1) !== 0) finish(first);
      }
      if (first >= 0x80_00_00_00 && frame.readUInt16BE(2) === 6) pings.shift()?.(frame.readUInt32BE(8));
    }
  });
  const done = new Promise<ReadonlyMap<number, string>>((resolve) =>
    socket.on('close', () => resolve(texts)),
  );
  socket.on('error', () => socket.destroy());
  return {
    protocol,
    texts: done,
    async open(id, headers) {
      const block = [number(Object.keys(headers).length)];
      for (const [name, value] of Object.entries(headers))
        block.push(number(name.length), Buffer.from(name), number(value.length), Buffer.from(value));
      const packed = await new Promise<Buffer>((resolve) => {
        deflate.write(Buffer.concat(block));
        deflate.flush(constants.Z_SYNC_FLUSH, () => resolve(deflate.read() as Buffer));
      });
      socket.write(control(1, Buffer.concat([number(id), number(0), Buffer.of(0, 0), packed])));
    },
    write(id, text, isLast) {
      const head = Buffer.concat([number(id), number(text.length)]);
      head.writeUInt8(isLast ? 1 : 0, 4);
      socket.write(Buffer.concat([head, Buffer.from(text)]));
    },
    async end(ids) {
      const isDone = (): boolean => ids.every((id) => finished.has(id));
      if (!isDone()) await new Promise<void>((resolve) => (heardOf = () => void (isDone() && resolve())));
      socket.destroy();
      return texts;
    },
    ping(id) {
      const heard = new Promise<number>((resolve) => pings.push(resolve));
      socket.write(control(6, number(id)));
      return heard;
    },
  };
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const control = (type: number, body: Buffer): Buffer =>
  Buffer.concat([Buffer.of(0x80, 3, 0, type), number(body.length), body]);
