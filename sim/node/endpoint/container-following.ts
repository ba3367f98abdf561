/** Staying with a container: until it ends, or line by line as it writes. Stops move its end, which wakes who waits. */
import type { Process } from '../../engine/process.ts';
import { hours, milliseconds, type Micros } from '../../engine/time.ts';
import type { AgentView } from './agent-view.ts';
import { nextOutputMs, type OutputLine, outputOf } from '../runtime/container-output.ts';
import type { RuntimeContainer } from '../runtime/container-runtime.ts';

/** Nothing waits longer without a look. */
const LONGEST_WAIT = hours(24);
const DUE_WAIT_MS = 1;

/** Until when, by the runtime's clock, it has written something so far. */
export const writtenUntil = ({ runtime, runtimeMs }: AgentView, { id }: RuntimeContainer): number =>
  Math.min(runtime.endsAtMs(id), runtimeMs);

export function* untilEnded(view: AgentView, id: string): Process<void> {
  while (isRunning(view, id)) yield* untilMoved(view, id, view.runtime.endsAtMs(id));
}

/** Tells what a container writes from now on, until it ends or `tell` wants no more. */
export function* newOutput(
  view: AgentView,
  container: RuntimeContainer,
  tell: (lines: readonly OutputLine[]) => boolean,
): Process<void> {
  const { id } = container;
  for (let toldMs = view.runtimeMs; ;) {
    const isOver = !isRunning(view, id);
    const lines = outputOf(container, { afterMs: toldMs, untilMs: writtenUntil(view, container) });
    if ((lines.length > 0 && !tell(lines)) || isOver) return;
    toldMs = view.runtimeMs;
    yield* untilMoved(view, id, Math.min(nextOutputMs(container, toldMs), view.runtime.endsAtMs(id)));
  }
}

const isRunning = ({ runtime, runtimeMs }: AgentView, id: string): boolean =>
  runtime.fateOf(id, runtimeMs).kind === 'running';

/** Until an instant of the runtime's clock, or until the container's end is moved. */
function* untilMoved({ context, runtime, runtimeMs }: AgentView, id: string, atMs: number): Process<void> {
  const aheadMs = atMs - runtimeMs;
  // Who is due and still runs, as far as rounded times can tell, is looked at a moment later, not without end.
  const waitMs = aheadMs > 0 ? Math.ceil(aheadMs * 1_000) / 1_000 : DUE_WAIT_MS;
  const span = Math.min(waitMs === Infinity ? LONGEST_WAIT : milliseconds(waitMs), LONGEST_WAIT) as Micros;
  yield* context.race([context.sleep(span), runtime.moved(id).wait()]);
}
