/** What the containers of a node reach over the network, as they see it. */
import type { Process } from '../../engine/process.ts';
import type { Micros } from '../../engine/time.ts';
import type { PodAnswer } from '../endpoint/pod-port.ts';

export interface NetworkRequest {
  readonly host: string;
  readonly port: number;
  readonly method: string;
  readonly path: string;
  /** Of the pod that asks. */
  readonly namespace: string;
  readonly timeout: Micros;
}

export type NetworkOutcome =
  | Extract<PodAnswer, { kind: 'answer' }>
  | { readonly kind: 'refused' }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'unknown host' };

/** What a name stands for. */
export interface ResolvedName {
  /** In full. */
  readonly name: string;
  readonly addresses: readonly string[];
}

/** `fetch`: for containers. */
export interface ContainerNetwork {
  /** Undefined: nobody has that name. `namespace`: of the pod that asks. */
  resolve(name: string, namespace: string): Process<ResolvedName | undefined>;
  fetch(request: NetworkRequest): Process<NetworkOutcome>;
}
