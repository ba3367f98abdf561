/** Generated from the catalog by sim/cli/generate-types.ts: types of node-k8s-io-v1. */
import type { ApiObject, ObjectMeta } from '../object.ts';
import type { Toleration } from './core-v1.ts';

export interface Overhead {
  readonly podFixed?: Readonly<Record<string, string>>;
}

export interface RuntimeClass extends ApiObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
  readonly handler: string;
  readonly overhead?: Overhead;
  readonly scheduling?: Scheduling;
}

export interface Scheduling {
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Toleration[];
}
