/**
 * One life of an actor, from start to crash: what its processes, timers, listeners and connections belong to.
 * Internal to the engine; processes see it as their `Context`.
 */

import type { Label } from './digest.ts';
import type { Owner, QueuedEvent, Standing } from './queued-event.ts';
import type { Kernel } from './kernel.ts';
import type { TaskHome } from './task.ts';

/** What a life asks of the actor that lives it. */
export interface Living extends Owner {
  handleFailure(error: unknown, process: string): boolean;
}

/** What a life does to its connections. */
export interface Attached {
  /** Name of the actor at the other end. */
  readonly remote: string;
  breakOff(): void;
  die(isSilent: boolean): void;
}

export class Life implements TaskHome {
  readonly actor: Living;
  readonly label: Label;
  readonly kernel: Kernel;
  /** From 1; a restart adds one. */
  readonly incarnation: number;
  standing: Standing = 'running';
  readonly tasks = new Set<{ end(): void }>();
  readonly connections = new Set<Attached>();
  /** Handlers by port name; their message types are the port's, which only the network knows. */
  readonly listeners = new Map<string, unknown>();

  constructor(actor: Living, kernel: Kernel, incarnation: number) {
    this.actor = actor;
    this.label = actor.label;
    this.kernel = kernel;
    this.incarnation = incarnation;
  }

  defer(event: QueuedEvent): void {
    this.actor.defer(event);
  }

  handleFailure(error: unknown, process: string): boolean {
    return this.actor.handleFailure(error, process);
  }

  /** Nothing of it happens any more. Peers hear of it unless the end is silent. */
  end(isSilent: boolean): void {
    this.standing = 'ended';
    for (const task of this.tasks) task.end();
    for (const connection of this.connections) connection.die(isSilent);
    this.connections.clear();
    this.listeners.clear();
  }
}
