/**
 * Ctrl-C and SIGTERM: the first asks for an end with a report of what there is, the second ends at once. Whoever has
 * started the program, as npx, may hand on the signal that the terminal gave to both: that is the first one still.
 */

export const INTERRUPTED = 130;

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

const ECHO_MS = 500;

export interface Interruption {
  readonly signal: AbortSignal;
  /** Signals mean again what they always do. */
  end(): void;
}

export function listenForInterruption(): Interruption {
  const controller = new AbortController();
  let firstMs = 0;
  const interrupt = (): void => {
    const nowMs = performance.now();
    if (controller.signal.aborted && nowMs - firstMs > ECHO_MS) process.exit(INTERRUPTED);
    if (controller.signal.aborted) return;
    firstMs = nowMs;
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
