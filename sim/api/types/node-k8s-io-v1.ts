/** Generated from the catalog by sim/cli/generate-types.ts: types of node-k8s-io-v1. */
import type { ObjectMeta } from '../object.ts';
import type { Toleration } from './core-v1.ts';

export interface Overhead {
  readonly podFixed?: Readonly<Record<string, string>>;
}

/** Container runtime that pods can choose. */
export type RuntimeClass = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  /** Required. */
  readonly handler: string;
  readonly overhead?: Overhead;
  readonly scheduling?: Scheduling;
};

export interface Scheduling {
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Toleration[];
}
