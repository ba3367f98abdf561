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

/** `fetch`: for containers. */
export interface ContainerNetwork {
  fetch(request: NetworkRequest): Process<NetworkOutcome>;
}
