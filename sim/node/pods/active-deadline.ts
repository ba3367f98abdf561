/** Waits for a pod's `activeDeadlineSeconds`, which may be set and brought forward while it runs. */
import type { Process } from '../../engine/process.ts';
import { milliseconds } from '../../engine/time.ts';
import type { PodScope } from './pod-scope.ts';

/** Until it is over; for ever when it never is. `startTime` is RFC 3339. */
export function* untilDeadline(scope: PodScope, startTime: string): Process<void> {
  const { context, changes } = scope;
  for (;;) {
    const { activeDeadlineSeconds: limit } = scope.pod.spec ?? {};
    if (limit === undefined) {
      yield* changes.wait();
      continue;
    }
    const leftMs = Date.parse(startTime) + limit * 1_000 - context.wallMs();
    if (leftMs <= 0) return;
    yield* context.race([changes.wait(), context.sleep(milliseconds(leftMs))]);
  }
}
