/** What is to be known of a cluster at rest beside what is stored. */
import type { ApiObject } from '../../sim/api/object.ts';
import type { MadeByItself } from './lost-untold.ts';

/** A container that lives on a machine which is up. */
export interface RunningContainer {
  readonly node: string;
  readonly podUid: string;
  readonly namespace: string;
  readonly podName: string;
  readonly name: string;
  readonly id: string;
}

/** What an informer has of a collection. */
export interface KeptCopy {
  readonly by: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** Versions by `namespace/name`. */
  readonly versions: ReadonlyMap<string, string>;
  /** It has not all objects, but those that were asked for. */
  readonly isPart: boolean;
}

/** What nothing mends, here as in a real cluster. */
export interface PastFacts {
  /**
   * It has not been written since a pod of its was gone of which nobody had told its controller that it was its: who
   * lists again finds no orphan any more, and an orphan's end concerns nobody.
   */
  lostUnseen(owner: ApiObject): boolean;
  /** A root certificate was changed before anybody was told of it, and not since: its maker looks at changes alone. */
  changedUnseen(object: ApiObject): boolean;
  /** Slices of a service, by its namespace and name, are waited for that are gone: until then its maker writes none. */
  slicesAreStuck(service: string): boolean;
  /** What the cluster makes by itself, of that kind, namespace and name, went before its maker was told of it. */
  isLost(kind: MadeByItself, name: string): boolean;
  /**
   * A Service or a Node was changed by a request that its controller had sent before others that were heard earlier, or its controller
   * let go of a Service when it was wanted again.
   */
  isOvertaken(object: ApiObject): boolean;
  /** Made just after the deletion of its definition began, of which one of several servers may not have heard. */
  wasMadeLate(object: ApiObject): boolean;
  /**
   * It was to orphan what it owns, was not any more, and is to again, and nobody was told of the time between: who collects
   * sees no change.
   */
  isToOrphanUnseen(object: ApiObject): boolean;
  /** A quota's sum was raised at about the instant at which something went that it counts, and not written since. */
  isMiscounted(object: ApiObject): boolean;
  /** A pod waits although a place became free that had been promised to another one: it is tried within six minutes. */
  isPassedOver(pod: ApiObject): boolean;
}

export const NOTHING_PAST: PastFacts = {
  lostUnseen: () => false,
  changedUnseen: () => false,
  slicesAreStuck: () => false,
  isLost: () => false,
  isOvertaken: () => false,
  wasMadeLate: () => false,
  isToOrphanUnseen: () => false,
  isMiscounted: () => false,
  isPassedOver: () => false,
};
