/**
 * A plugin from outside of the house. It may change an object wherever it likes, and what it throws by mistake is the
 * outcome of one request, as a real server survives a panic of its handlers: 500 InternalError.
 */
import { ApiError, internalError } from '../../api/status.ts';
import { InvariantViolation } from '../../engine/invariant.ts';
import type { Process } from '../../engine/process.ts';
import { thawed } from '../registry/storage-form.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts';

export function outsidePlugin(plugin: AdmissionPlugin): AdmissionPlugin {
  const { name } = plugin;
  return {
    name,
    handles: (...question) => plugin.handles(...question),
    ...(plugin.admit && {
      admit: (attributes: AdmissionAttributes) => {
        // Parts that were taken over from the stored object are frozen.
        thawed(attributes.object);
        return guarded(name, () => plugin.admit?.(attributes));
      },
    }),
    ...(plugin.validate && {
      validate: (attributes: AdmissionAttributes) => guarded(name, () => plugin.validate?.(attributes)),
    }),
  };
}

function guarded(name: string, begin: () => Process<void> | void): Process<void> | void {
  try {
    const waiting = begin();
    return waiting && guardedWait(name, waiting);
  } catch (error) {
    throw outcomeOf(name, error);
  }
}

function* guardedWait(name: string, waiting: Process<void>): Process<void> {
  try {
    yield* waiting;
  } catch (error) {
    throw outcomeOf(name, error);
  }
}

/** Defects of the simulator stay what they are. */
function outcomeOf(name: string, error: unknown): unknown {
  if (error instanceof ApiError || error instanceof InvariantViolation) return error;
  const why = error instanceof Error ? error.message : String(error);
  return internalError(`admission plugin ${JSON.stringify(name)} failed: ${why}`);
}
