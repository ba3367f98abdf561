/** What pods are asked on their own addresses: requests to ports of the network of their node, one answer each. */
import { defineCallPort } from '../../engine/request-reply.ts';

/** The method of who comes, and asks for nothing: it leaves no mark. */
export const CONNECT = 'CONNECT';

export interface PodCall {
  readonly ip: string;
  readonly port: number;
  /** Default: TCP, and on it HTTP. */
  readonly protocol?: 'TCP' | 'UDP';
  readonly method: string;
  /** Decoded, without the query; of UDP what is sent. */
  readonly path: string;
  /** Of each name the first value. */
  readonly query?: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: unknown;
}

/** `refused`: nothing listens there. */
export type PodAnswer =
  | { readonly kind: 'answer'; readonly status: number; readonly body: string; readonly contentType: string }
  | { readonly kind: 'refused' };

export const POD_PORT = defineCallPort<PodCall, PodAnswer>('pods', ({ ip, path }) => `pod ${ip}${path}`);
