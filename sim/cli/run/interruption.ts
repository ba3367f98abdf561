/** Ctrl-C and SIGTERM: the first asks for an end with a report of what there is, the second ends at once. */

export const INTERRUPTED = 130;

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

export interface Interruption {
  readonly signal: AbortSignal;
  /** Signals mean again what they always do. */
  end(): void;
}

export function listenForInterruption(): Interruption {
  const controller = new AbortController();
  const interrupt = (): void => {
    if (controller.signal.aborted) process.exit(INTERRUPTED);
    controller.abort();
  };
  for (const name of SIGNALS) process.on(name, interrupt);
  return {
    signal: controller.signal,
    end: () => {
      for (const name of SIGNALS) process.off(name, interrupt);
    },
  };
}
