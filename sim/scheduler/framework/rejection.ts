/** Why a pod cannot go somewhere, as a value. */

/** `Unschedulable`: fewer pods there might help. `UnschedulableAndUnresolvable`: they would not. */
export type RejectionCode = 'Unschedulable' | 'UnschedulableAndUnresolvable';

export interface Rejection {
  readonly code: RejectionCode;
  readonly reasons: readonly string[];
  /** Name of the plugin that says so. */
  readonly plugin: string;
}

/** Something that should not be went wrong: the pod is tried again. */
export class SchedulerError extends Error {
  override readonly name = 'SchedulerError';
}

export const unschedulable = (plugin: string, ...reasons: readonly string[]): Rejection => ({
  code: 'Unschedulable',
  reasons,
  plugin,
});

export const unresolvable = (plugin: string, ...reasons: readonly string[]): Rejection => ({
  code: 'UnschedulableAndUnresolvable',
  reasons,
  plugin,
});
