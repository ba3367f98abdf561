/** For tests: asks an API server on a virtual clock, with all that it admits by default. */
import { VirtualServer, type VirtualServerOptions } from './virtual-server.ts';

export interface Reply {
  readonly status: number;
  readonly body: { readonly message?: string; readonly [member: string]: unknown };
  /** Texts of the `Warning` headers. */
  readonly warnings: readonly string[];
}

export interface Ask {
  /** A text is sent as it is. A patch is a merge patch unless `contentType` says another. */
  (method: string, path: string, body?: unknown, contentType?: string): Reply;
  /** Lets virtual time pass. */
  sleep(ms: number): void;
}

export function askedServer(options?: VirtualServerOptions): Ask {
  const server = new VirtualServer(options);
  const ask = (
    method: string,
    path: string,
    body?: unknown,
    contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
  ): Reply => {
    const { status, headers, bytes } = server.request({
      method,
      path,
      headers: {
        authorization: 'Bearer admin-token',
        accept: 'application/json',
        'user-agent': 'test/1',
        'content-type': contentType,
      },
      ...(body !== undefined && { body: new TextEncoder().encode(textOf(body)) }),
    });
    return {
      status,
      body: JSON.parse(new TextDecoder().decode(bytes)) as Reply['body'],
      warnings: headers.filter(([name]) => name === 'warning').map(([, text]) => warningOf(text)),
    };
  };
  return Object.assign(ask, { sleep: (ms: number) => server.sleep(ms) });
}

const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));

const warningOf = (header: string): string => JSON.parse(header.replace(/^299 - /, '')) as string;
