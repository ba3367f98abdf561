/** The two that are compared, as one sees them who asks. */
import { Agent, request } from 'node:https';
import type { Ask } from '../golden/asked-server.ts';

export interface Cause {
  readonly field?: string;
  readonly message?: string;
}

export interface Answer {
  readonly status: number;
  readonly body: { readonly message?: string; readonly details?: { readonly causes?: readonly Cause[] } };
}

/** There is something that the server dies of: it is never told what is wrong with it. */
export class HungUp extends Error {
  override readonly name = 'HungUp';
}

const isReset = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNRESET';

export interface Server {
  ask(method: string, path: string, body?: object): Promise<Answer>;
  sleep(ms: number): Promise<void>;
}

export function realServer(url: string, token: string): Server {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const send: Server['ask'] = (method, path, body) =>
    new Promise((resolve, reject) => {
      const call = request(new URL(path, url), { method, headers, agent }, (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, body: bodyOf(Buffer.concat(pieces).toString()) });
        });
      });
      call.on('error', reject);
      call.end(body && JSON.stringify(body));
    });
  return {
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    ask: async (method, path, body) => {
      try {
        return await send(method, path, body);
      } catch (error) {
        // The server may close an idle connection just as it is used again.
        if (!isReset(error)) throw error;
      }
      try {
        return await send(method, path, body);
      } catch (error) {
        throw isReset(error) ? new HungUp() : error;
      }
    },
  };
}

const bodyOf = (text: string): Answer['body'] =>
  text.startsWith('{') ? (JSON.parse(text) as Answer['body']) : { message: text };

export const ownServer = (ask: Ask): Server => ({
  sleep: (ms) => Promise.resolve(ask.sleep(ms)),
  ask: (method, path, body) => {
    const { status, body: answer } = ask(method, path, body);
    return Promise.resolve({ status, body: answer });
  },
});
