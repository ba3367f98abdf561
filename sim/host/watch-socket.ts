/** A watch over WebSocket: each event is one message, text for JSON and binary for protobuf. Specification: "Watch". */
import type { WebSocket } from 'ws';
import type { ResponseStream, StreamPiece } from '../apiserver/request/request.ts';
import type { RequestHandler } from './request-handler.ts';
import { PacedSocket } from './paced-socket.ts';

const FRAME_HEADER_BYTES = 4;

export function sendWatch(
  socket: WebSocket,
  stream: ResponseStream,
  { handler, isBinary }: { readonly handler: RequestHandler; readonly isBinary: boolean },
): void {
  const send = (piece: StreamPiece): void => {
    if (!(piece instanceof Uint8Array)) socket.send(`${JSON.stringify(piece)}\n`);
    // A message has a length of its own, so the frame's is left out.
    else socket.send(isBinary ? piece.subarray(FRAME_HEADER_BYTES) : piece, { binary: isBinary });
  };
  new PacedSocket(socket, stream, { send, handler }).begin();
}
