/**
 * A server that says how much memory it holds: started with a channel to its parent, to which it tells where it serves.
 * A message asks for the figures: `now`, or `compacted`: after all that time does to a history.
 */
import { seconds } from '../../engine/time.ts';
import { serve } from '../../host/serve.ts';

export interface Memory {
  readonly heapBytes: number;
  readonly externalBytes: number;
  readonly residentBytes: number;
}

export type Question = 'now' | 'compacted';

/** Three looks of the compactor, five minutes apart. */
const COMPACTING_SECONDS = 3 * 300 + 1;

/** There with `--expose-gc`. */
function collectGarbage(): void {
  if (globalThis.gc) globalThis.gc();
}

const { urls, world } = await serve({
  bindAddress: '127.0.0.1',
  httpPort: 0,
  seed: 1,
  speed: 1,
  onDefect: (error) => {
    process.stderr.write(`defect ${error instanceof Error ? error.stack : String(error)}\n`);
  },
});

process.on('message', (question: Question) => {
  if (question === 'compacted') world.driver.advance(seconds(COMPACTING_SECONDS));
  // What finalizers let go is free after the second collection.
  collectGarbage();
  setTimeout(() => {
    collectGarbage();
    const { heapUsed, external, rss } = process.memoryUsage();
    const memory: Memory = { heapBytes: heapUsed, externalBytes: external, residentBytes: rss };
    process.send?.(memory);
  }, 100);
});
process.on('disconnect', () => process.exit());
process.send?.(urls[0]);
