/** Generated from the catalog by sim/cli/generate-types.ts: types of events-k8s-io-v1. */
import type { ObjectMeta } from '../object.ts';
import type { EventSource, ObjectReference } from './core-v1.ts';

/** Report of something that happened to an object. Events are kept for a limited time. */
export type Event = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  /** RFC 3339, with microseconds. Required. */
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
  /** RFC 3339, whole seconds. */
  readonly deprecatedFirstTimestamp?: string;
  /** RFC 3339, whole seconds. */
  readonly deprecatedLastTimestamp?: string;
  readonly deprecatedCount?: number;
};

export interface EventSeries {
  /** Required. */
  readonly count: number;
  /** RFC 3339, with microseconds. Required. */
  readonly lastObservedTime: string;
}
