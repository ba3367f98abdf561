/**
 * Who moves a scenario's cluster on: the cluster itself, or, where programs live in it, whoever gives them their turns.
 * Both do the same things in the same order; only the latter takes promises.
 */
import type { Cluster, GuestVerbs, Micros, Process } from '../../sim/index.ts';
import { ScenarioError } from '../language/variables.ts';

export interface Drive {
  advance(span: Micros): Promise<void> | void;
  finish<T>(process: Process<T>): Promise<T> | T;
  /** Nothing happens in the cluster any more. */
  close(): void;
}

/** A cluster that guests can live in. */
export type Housing = Cluster & Partial<GuestVerbs>;

export const driveOf = (cluster: Cluster): Drive => ({
  advance: (span) => cluster.advance(span),
  finish: (process) => cluster.finish(process),
  close: () => undefined,
});

/** @throws ScenarioError where programs cannot live in the cluster */
export function guestDriveOf(cluster: Housing): Drive & { readonly guest: GuestVerbs['guest'] } {
  const { guests, guest } = cluster;
  if (!guests || !guest) throw new ScenarioError('no programs can live in this cluster');
  return {
    advance: (span) => guests.advance(span),
    finish: (process) => guests.finish(process),
    close: () => guests.close(),
    guest,
  };
}
