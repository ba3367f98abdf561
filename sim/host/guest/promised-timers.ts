/** `node:timers/promises` and `AbortSignal.timeout`, made of the global timers, which are a guest's own. */

interface WaitOptions {
  readonly signal?: AbortSignal;
}

export interface PromisedTimers {
  setTimeout<T>(ms?: number, value?: T, options?: WaitOptions): Promise<T>;
  setImmediate<T>(value?: T, options?: WaitOptions): Promise<T>;
  setInterval<T>(ms?: number, value?: T, options?: WaitOptions): AsyncGenerator<T>;
  abortAfter(ms: number): AbortSignal;
}

type Arm = (ring: () => void) => () => void;

export const promisedTimers = (): PromisedTimers => ({
  setTimeout: (ms = 1, value, options) =>
    ring(
      (done) => {
        const timer = setTimeout(done, ms);
        return () => clearTimeout(timer);
      },
      value,
      options,
    ),
  setImmediate: (value, options) =>
    ring(
      (done) => {
        const timer = setImmediate(done);
        return () => clearImmediate(timer);
      },
      value,
      options,
    ),
  setInterval: intervals,
  abortAfter(ms) {
    const controller = new AbortController();
    const why = (): DOMException =>
      new DOMException('The operation was aborted due to timeout', 'TimeoutError');
    setTimeout(() => controller.abort(why()), ms);
    return controller.signal;
  },
});

function ring<T>(arm: Arm, value: T | undefined, { signal }: WaitOptions = {}): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    if (signal?.aborted === true) return reject(abortError(signal));
    const disarm = arm(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve(value as T);
    });
    const onAbort = (): void => {
      disarm();
      if (signal) reject(abortError(signal));
    };
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

async function* intervals<T>(ms = 1, value?: T, { signal }: WaitOptions = {}): AsyncGenerator<T> {
  for (;;) {
    await ring(
      (done) => {
        const timer = setTimeout(done, ms);
        return () => clearTimeout(timer);
      },
      value,
      signal ? { signal } : {},
    );
    yield value as T;
  }
}

const abortError = (signal: AbortSignal): Error =>
  Object.assign(new Error('The operation was aborted', { cause: signal.reason }), {
    name: 'AbortError',
    code: 'ABORT_ERR',
  });
