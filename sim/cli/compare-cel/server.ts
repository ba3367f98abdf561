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

/** What was asked is never answered: the server breaks off at it, again and again, or says nothing, or does not come to it. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
}

const BREAKS: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ECONNREFUSED', 'ETIMEDOUT']);
const PATIENCE_MS = 60_000;
/** A server that has died is begun anew by whoever runs it, or not. */
const REST_MS = 1_000;

const isBreak = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && BREAKS.has(error.code);

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
        response.on('error', reject);
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, body: bodyOf(Buffer.concat(pieces).toString()) });
        });
      });
      call.on('error', reject);
      call.setTimeout(PATIENCE_MS, () => call.destroy(new Unanswered(`${method} ${path}: no answer`)));
      call.end(body && JSON.stringify(body));
    });
  return {
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    ask: async (method, path, body) => {
      try {
        return await send(method, path, body);
      } catch (error) {
        // The server may close an idle connection just as it is used again.
        if (!isBreak(error)) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, REST_MS));
      try {
        return await send(method, path, body);
      } catch (error) {
        throw isBreak(error) ? new Unanswered(`${method} ${path}: ${String(error)}`) : error;
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
