/**
 * Port-forward to where nobody listens, over SPDY/3.1: for each connection that the client wants it opens a stream for
 * errors and one for data, hears at once on the former why there is none, and that nothing comes on the latter.
 */
import type { Duplex } from 'node:stream';
import { SpdyConnection } from './spdy-connection.ts';

export const PORT_PROTOCOL = 'portforward.k8s.io';

/** `problemOf`: what to say of a port. */
export function refusePorts(socket: Duplex, problemOf: (port: string) => string): void {
  const connection: SpdyConnection = new SpdyConnection(socket, {
    onStream: ({ id, headers }) => {
      if (headers.get('streamtype') === 'error')
        connection.send(id, Buffer.from(problemOf(headers.get('port') ?? '')));
      connection.finish(id);
    },
    onData: () => undefined,
    onClose: () => undefined,
  });
}
