/** The API server's surroundings, out of the context of the actor that it runs as. */
import type { Context } from '../engine/context.ts';
import { milliseconds } from '../engine/time.ts';
import type { Process } from '../engine/process.ts';
import type { ApiServerSurroundings } from '../apiserver/surroundings.ts';

export function engineSurroundings(context: Context): ApiServerSurroundings {
  const values = context.site('values');
  return {
    wallMs: () => context.wallMs(),
    uuid: () => values.uuid(),
    uint32: () => values.uint32(),
    *sleepMs(ms: number): Process<void> {
      yield* context.sleep(milliseconds(ms));
    },
    *waitFor(subscribe: (wake: () => void) => () => void, timeoutMs: number): Process<boolean> {
      const woken = context.deferred();
      const unsubscribe = subscribe(() => woken.resolve(undefined));
      try {
        const answer = yield* context.within(milliseconds(timeoutMs), woken.wait());
        return !answer.isLate;
      } finally {
        unsubscribe();
      }
    },
    after(ms: number, run: () => void): () => void {
      const task = context.spawn('timer', timer(context, ms, run));
      return () => task.cancel();
    },
  };
}

function* timer(context: Context, ms: number, run: () => void): Process<void> {
  yield* context.sleep(milliseconds(ms));
  run();
}
