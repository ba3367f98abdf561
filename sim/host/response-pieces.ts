import type { ApiResponse } from '../apiserver/request/request.ts';

/** What of a response's body follows one another on the wire; of a stream, or of channels and tunnels: nothing. */
export function responsePieces(body: ApiResponse['body']): readonly Uint8Array[] {
  switch (body.kind) {
    case 'none':
    case 'stream':
    case 'channels':
    case 'ports':
    case 'tunnel':
      return [];
    case 'bytes':
      return body.head ? [body.head, body.bytes] : [body.bytes];
    case 'text':
      return [Buffer.from(body.text)];
    case 'object':
      return [Buffer.from(JSON.stringify(body.object))];
  }
}
