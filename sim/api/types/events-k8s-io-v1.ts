/** Generated from the catalog by sim/cli/generate-types.ts: types of events-k8s-io-v1. */
import type { ApiObject, ObjectMeta } from '../object.ts';
import type { EventSource, ObjectReference } from './core-v1.ts';

export interface Event extends ApiObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
  readonly eventTime: string;
  readonly series?: EventSeries;
  readonly reportingController?: string;
  readonly reportingInstance?: string;
  readonly action?: string;
  readonly reason?: string;
  readonly regarding?: ObjectReference;
  readonly related?: ObjectReference;
  readonly note?: string;
  readonly type?: string;
  readonly deprecatedSource?: EventSource;
  readonly deprecatedFirstTimestamp?: string;
  readonly deprecatedLastTimestamp?: string;
  readonly deprecatedCount?: number;
}

export interface EventSeries {
  readonly count: number;
  readonly lastObservedTime: string;
}
