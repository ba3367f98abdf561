/** `fetch` as guests have it: the platform's requests and responses, over a socket of the simulation. */
import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';

/** As the platform's: a status that says no is an answer, a network that says nothing an error. */
export async function guestFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const body = request.body ? Buffer.from(await request.arrayBuffer()) : undefined;
  request.signal.throwIfAborted();
  return new Promise<Response>((resolve, reject) => {
    const url = new URL(request.url);
    const { request: dial } = url.protocol === 'http:' ? http : https;
    const headers = { 'user-agent': 'node', ...Object.fromEntries(request.headers) };
    const asked = dial(url, { method: request.method, headers, agent: false });
    let answering: http.IncomingMessage | undefined;
    const abort = (): void => {
      const { reason } = request.signal as { readonly reason: unknown };
      const error = reason instanceof Error ? reason : new DOMException(String(reason), 'AbortError');
      // Whoever reads the body hears of it too.
      answering?.destroy(error);
      asked.destroy();
      reject(error);
    };
    request.signal.addEventListener('abort', abort, { once: true });
    asked.on('error', (error) => reject(new TypeError('fetch failed', { cause: error })));
    asked.on('response', (answer) => {
      answering = answer;
      const given = new Headers();
      for (const [name, value] of Object.entries(answer.headers))
        for (const each of Array.isArray(value) ? value : [value ?? '']) given.append(name, each);
      const status = answer.statusCode ?? 200;
      const hasBody = ![101, 204, 205, 304].includes(status) && request.method !== 'HEAD';
      if (!hasBody) answer.resume();
      resolve(
        new Response(hasBody ? (Readable.toWeb(answer) as ReadableStream) : null, {
          status,
          statusText: answer.statusMessage ?? '',
          headers: given,
        }),
      );
    });
    asked.end(body);
  });
}
