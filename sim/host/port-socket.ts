/**
 * Port-forward over a plain WebSocket: one connection for each port. Channel 2n carries the data of the n-th port, 2n + 1 its
 * errors; the first message on each names the port, in two bytes.
 */
import type { WebSocket } from 'ws';
import type { PodPorts } from '../apiserver/request/request.ts';
import { PortConversation } from './port-conversation.ts';
import type { RequestHandler } from './request-handler.ts';

const LOW = 0xff;

export function forwardPortsOver(
  socket: WebSocket,
  asked: readonly string[],
  { ports, handler }: { readonly ports: PodPorts; readonly handler: Pick<RequestHandler, 'act'> },
): void {
  const isText = socket.protocol.startsWith('base64');
  const send = (channel: number, bytes: Buffer): void => {
    if (isText) socket.send(`${channel}${bytes.toString('base64')}`);
    else socket.send(Buffer.concat([Buffer.of(channel), bytes]), { binary: true });
  };
  let open = asked.length;
  const conversations = asked.map((port, index) => {
    const number = Number(port) & 0xffff;
    const named = Buffer.of(number & LOW, number >> 8);
    send(index * 2, named);
    send(index * 2 + 1, named);
    return new PortConversation({
      port,
      ports,
      handler,
      ends: {
        send: (bytes) => send(index * 2, bytes),
        fail: (message) => send(index * 2 + 1, Buffer.from(message)),
        finish: () => {
          open -= 1;
          if (open === 0) socket.close();
        },
      },
    });
  });
  socket.on('message', (message: Buffer) => {
    const [channel, bytes] = isText
      ? [Number(message.toString().charAt(0)), Buffer.from(message.toString().slice(1), 'base64')]
      : [message[0] ?? 0, message.subarray(1)];
    if (channel % 2 === 0) conversations[channel / 2]?.take(bytes);
  });
  socket.on('error', () => socket.terminate());
  socket.on('close', () => {
    for (const conversation of conversations) conversation.close();
    handler.act(() => ports.close());
  });
  for (const conversation of conversations) conversation.begin();
}
