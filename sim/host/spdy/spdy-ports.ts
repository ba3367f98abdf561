/**
 * Port-forward over SPDY/3.1: for each connection that the client wants it opens a stream for errors and one for data,
 * which name their port and belong together by their number of the request.
 */
import type { Duplex } from 'node:stream';
import type { PodPorts } from '../../apiserver/request/request.ts';
import { PortConversation } from '../port-conversation.ts';
import type { RequestHandler } from '../request-handler.ts';
import { SpdyConnection } from './spdy-connection.ts';

export const PORT_PROTOCOL = 'portforward.k8s.io';

export function forwardPorts(socket: Duplex, ports: PodPorts, handler: Pick<RequestHandler, 'act'>): void {
  /** Streams for errors, by the number of the request. */
  const errors = new Map<string, number>();
  /** By the stream for data. */
  const conversations = new Map<number, PortConversation>();
  const begin = (id: number, port: string, errorId: number): void => {
    const conversation = new PortConversation({
      port,
      ports,
      handler,
      ends: {
        send: (bytes) => connection.send(id, bytes),
        fail: (message) => connection.send(errorId, Buffer.from(message)),
        finish: () => {
          connection.finish(errorId);
          connection.finish(id);
          conversations.delete(id);
        },
      },
    });
    conversations.set(id, conversation);
    conversation.begin();
  };
  const connection: SpdyConnection = new SpdyConnection(socket, {
    onStream: ({ id, headers }) => {
      const request = headers.get('requestid') ?? '';
      if (headers.get('streamtype') === 'error') errors.set(request, id);
      else {
        begin(id, headers.get('port') ?? '', errors.get(request) ?? id);
        errors.delete(request);
      }
    },
    onData: (id, bytes) => conversations.get(id)?.take(bytes),
    onClose: () => {
      for (const conversation of conversations.values()) conversation.close();
      handler.act(() => ports.close());
    },
  });
}
