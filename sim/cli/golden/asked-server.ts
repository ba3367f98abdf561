/** For tests: asks an API server on a virtual clock, with all that it admits by default. */
import { VirtualServer, type VirtualServerOptions } from './virtual-server.ts';

export interface Reply {
  readonly status: number;
  readonly body: { readonly message?: string; readonly [member: string]: unknown };
  /** Texts of the `Warning` headers. */
  readonly warnings: readonly string[];
}

export interface Ask {
  (method: string, path: string, body?: unknown): Reply;
  /** Lets virtual time pass. */
  sleep(ms: number): void;
}

/** A merge patch is a PATCH with a body. */
export function askedServer(options?: VirtualServerOptions): Ask {
  const server = new VirtualServer(options);
  const ask = (method: string, path: string, body?: unknown): Reply => {
    const { status, headers, bytes } = server.request({
      method,
      path,
      headers: {
        authorization: 'Bearer admin-token',
        accept: 'application/json',
        'user-agent': 'test/1',
        'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      },
      ...(body !== undefined && { body: new TextEncoder().encode(JSON.stringify(body)) }),
    });
    return {
      status,
      body: JSON.parse(new TextDecoder().decode(bytes)) as Reply['body'],
      warnings: headers.filter(([name]) => name === 'warning').map(([, text]) => textOf(text)),
    };
  };
  return Object.assign(ask, { sleep: (ms: number) => server.sleep(ms) });
}

const textOf = (header: string): string => JSON.parse(header.replace(/^299 - /, '')) as string;
