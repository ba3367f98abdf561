/** A log over a WebSocket: what is written, as it is; nothing that a client sends counts. */
import type { WebSocket } from 'ws';
import type { ResponseStream, StreamPiece } from '../apiserver/request/request.ts';
import { PacedSocket, type PacedSource } from './paced-socket.ts';
import type { RequestHandler } from './request-handler.ts';

const PROTOCOLS: ReadonlySet<string> = new Set(['binary.k8s.io', 'base64.binary.k8s.io']);

export const isLogProtocol = (name: string): boolean => PROTOCOLS.has(name);

/** `source`: a log that is over, or one that goes on. */
export function sendLog(socket: WebSocket, source: ResponseStream | string, handler: RequestHandler): void {
  const sendBytes = (bytes: Uint8Array): void => {
    if (socket.protocol === 'base64.binary.k8s.io') socket.send(Buffer.from(bytes).toString('base64'));
    else socket.send(bytes, { binary: true });
  };
  // Says that the connection stands.
  sendBytes(new Uint8Array());
  const stream = typeof source === 'string' ? wholeText(source) : source;
  const send = (piece: StreamPiece): void => {
    if (piece instanceof Uint8Array) sendBytes(piece);
  };
  new PacedSocket(socket, stream, { send, handler }).begin();
}

function wholeText(text: string): PacedSource<StreamPiece> {
  let rest: Uint8Array | undefined = text === '' ? undefined : Buffer.from(text);
  return {
    subscribe: (onReady) => onReady(),
    read: () => {
      const piece = rest;
      rest = undefined;
      return piece;
    },
    get ended() {
      return rest === undefined;
    },
    close: () => (rest = undefined),
  };
}
