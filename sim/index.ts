/**
 * The public door of kubesim: everything that tests, scenarios and tools may use of the simulation.
 * `createCluster` makes a cluster; what it can do is on `Cluster` and `GuestVerbs`.
 */
import { type Cluster, type ClusterOptions, createCluster as assemble } from './core.ts';
import { type GuestVerbs, withGuests } from './guests.ts';

/**
 * A whole cluster at virtual time 0: its nodes are Ready and its bootstrap is done, unless `settled` is false. Nothing
 * more happens in it until it is driven. Equal options and calls, equal digests.
 */
export const createCluster = (options?: ClusterOptions): Cluster & GuestVerbs =>
  withGuests(assemble(options));

export * from './core.ts';
export * from './guests.ts';
