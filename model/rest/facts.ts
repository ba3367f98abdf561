/** What is to be known of a cluster at rest beside what is stored. */

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
