/** What an agent knows of one pod: out of it comes the status that it reports. */
import type { ContainerRecord } from './container-state.ts';

/** Why the pod is disrupted though nothing of it is broken. */
export interface Disruption {
  readonly reason: string;
  readonly message: string;
}

export interface PodRecord {
  readonly init: ReadonlyMap<string, ContainerRecord>;
  readonly main: ReadonlyMap<string, ContainerRecord>;
  readonly ephemeral: ReadonlyMap<string, ContainerRecord>;
  /** The sandbox is there, with its network. */
  readonly hasSandbox: boolean;
  readonly startTime: string;
  readonly podIPs: readonly string[];
  readonly hostIP: string;
  /** Its containers have ended for good. */
  readonly isOver: boolean;
  /** It was never let in. */
  readonly isRejected: boolean;
  /** The agent has given the pod up: evicted, rejected, past its deadline. Told when it is over. */
  readonly failure?: {
    readonly reason: string;
    readonly message: string;
    readonly disruption?: Disruption;
  };
}
