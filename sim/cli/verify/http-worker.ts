/**
 * The thread that talks to a real cluster, so that whoever replays cases can wait for answers without promises: calls
 * come in, pieces of answers go out, and after each a shared counter wakes the one who waits.
 */
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { workerData } from 'node:worker_threads';
import type { HttpCall, HttpPiece, WorkerSettings } from './http-messages.ts';

const { signal, tls, port } = workerData as WorkerSettings;
const counter = new Int32Array(signal);
const running = new Map<number, { destroy(): void }>();

function tell(piece: HttpPiece): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
  port.postMessage(piece);
  Atomics.add(counter, 0, 1);
  Atomics.notify(counter, 0);
}

function perform({ id, server, path, method, headers, body, timeoutMs }: HttpCall): void {
  const { protocol, hostname, port: serverPort, pathname } = new URL(server);
  const isSecure = protocol === 'https:';
  const send = isSecure ? secureRequest : plainRequest;
  // As it is written: a URL would lose the dots of a path.
  const target = {
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: serverPort,
    path: pathname.replace(/\/$/, '') + path,
  };
  // A DELETE would leave out how long its body is, and the server would take that for the next request.
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const sent = send(
    { ...target, method, headers: { ...headers, ...length }, ...(isSecure && tls), timeout: timeoutMs },
    (response) => {
      const pairs: [string, string][] = [];
      for (let at = 0; at + 1 < response.rawHeaders.length; at += 2)
        pairs.push([(response.rawHeaders[at] ?? '').toLowerCase(), response.rawHeaders[at + 1] ?? '']);
      tell({ id, kind: 'head', status: response.statusCode ?? 0, headers: pairs });
      response.on('data', (bytes: Buffer) => tell({ id, kind: 'data', bytes: new Uint8Array(bytes) }));
      response.on('close', () => {
        running.delete(id);
        tell({ id, kind: 'end' });
      });
    },
  );
  running.set(id, sent);
  sent.on('timeout', () => sent.destroy(new Error(`no answer within ${timeoutMs} ms`)));
  sent.on('error', (error) => tell({ id, kind: 'error', message: error.message }));
  sent.end(body);
}

port.on('message', (call: HttpCall | { readonly stop: number }) => {
  if ('stop' in call) running.get(call.stop)?.destroy();
  else perform(call);
});
