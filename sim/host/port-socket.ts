/**
 * Port-forward over a plain WebSocket, to where nobody listens. Channel 2n carries the data of the n-th port, 2n + 1 its
 * errors; the first message on each names the port, in two bytes.
 */
import type { WebSocket } from 'ws';

const LOW = 0xff;

export function refusePortsOver(
  socket: WebSocket,
  ports: readonly string[],
  problemOf: (port: string) => string,
): void {
  const send = (channel: number, bytes: Buffer): void => {
    if (socket.protocol.startsWith('base64')) socket.send(`${channel}${bytes.toString('base64')}`);
    else socket.send(Buffer.concat([Buffer.of(channel), bytes]), { binary: true });
  };
  for (const [index, port] of ports.entries()) {
    const number = Number(port) & 0xffff;
    const named = Buffer.of(number & LOW, number >> 8);
    send(index * 2, named);
    send(index * 2 + 1, named);
    send(index * 2 + 1, Buffer.from(problemOf(port)));
  }
  socket.close();
}
