/** What the containers of a node reach over the network, as they see it. */
import type { Process } from '../../engine/process.ts';
import type { Micros } from '../../engine/time.ts';
import type { PodAnswer } from '../endpoint/pod-port.ts';

export interface NetworkRequest {
  readonly host: string;
  readonly port: number;
  /** Default: TCP, and on it HTTP. */
  readonly protocol?: 'TCP' | 'UDP';
  readonly method: string;
  /** Decoded; of UDP what is sent. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Of the pod that asks. */
  readonly namespace: string;
  /** Its address: Services may keep to one backend for it. Absent: nobody knows. */
  readonly from?: string | undefined;
  readonly timeout: Micros;
}

export type NetworkOutcome =
  | Extract<PodAnswer, { kind: 'answer' }>
  | { readonly kind: 'refused' }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'unknown host' };

/** Of what follows the host in an address: what of it is sent. */
export function targetOf(text: string): Pick<NetworkRequest, 'path' | 'query'> {
  const mark = text.indexOf('?');
  const [path, search] = mark < 0 ? [text, ''] : [text.slice(0, mark), text.slice(mark + 1)];
  return {
    path: path === '' ? '/' : decoded(path),
    ...(search !== '' && { query: Object.fromEntries(new URLSearchParams(search)) }),
  };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** What a name stands for. */
export interface ResolvedName {
  /** In full. */
  readonly name: string;
  readonly addresses: readonly string[];
}

/** One line of an answer of DNS: of whom, and what. */
export interface NameRecord {
  /** Without a dot at its end. */
  readonly owner: string;
  readonly type: string;
  readonly data: string;
}

/** `fetch`: for containers. */
export interface ContainerNetwork {
  /** Undefined: nobody has that name. `namespace`: of the pod that asks. */
  resolve(name: string, namespace: string): Process<ResolvedName | undefined>;
  /** The records of a type: `A`, `SRV`, `PTR`, …; empty: there is none. */
  look(name: string, type: string, namespace: string): Process<readonly NameRecord[]>;
  fetch(request: NetworkRequest): Process<NetworkOutcome>;
}
