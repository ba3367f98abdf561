/** What the thread of a remote server is told, and what it tells. */
import type { MessagePort } from 'node:worker_threads';

/** How the other side is known, and how it knows us; as Node's TLS takes it. */
export interface TlsSettings {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly rejectUnauthorized?: boolean;
}

export interface WorkerSettings {
  /** Four bytes that count the pieces. */
  readonly signal: SharedArrayBuffer;
  readonly tls: TlsSettings;
  /** Where calls come from, and pieces go to. */
  readonly port: MessagePort;
}

export interface HttpCall {
  readonly id: number;
  /** Where the cluster is. */
  readonly server: string;
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly timeoutMs: number;
}

export type HttpPiece =
  | {
      readonly id: number;
      readonly kind: 'head';
      readonly status: number;
      readonly headers: readonly (readonly [string, string])[];
    }
  | { readonly id: number; readonly kind: 'data'; readonly bytes: Uint8Array }
  | { readonly id: number; readonly kind: 'end' }
  | { readonly id: number; readonly kind: 'error'; readonly message: string };
