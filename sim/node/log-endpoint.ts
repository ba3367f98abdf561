/** `GET /containerLogs/<namespace>/<pod>/<container>` of a node agent. */
import { CHANNEL } from '../api/stream-frame.ts';
import { milliseconds } from '../engine/time.ts';
import type { Process } from '../engine/process.ts';
import type { AgentAnswer, AgentQuery } from './agent-port.ts';
import type { AgentOutcome, StreamEnds } from './agent-stream.ts';
import type { AgentView } from './agent-view.ts';
import { logSelectionOf, logSourceOf, LogText } from './container-logs.ts';
import { nextOutputMs, type OutputLine, outputOf } from './runtime/container-output.ts';
import type { RuntimeContainer } from './runtime/container-runtime.ts';

/** How often a container that somebody listens to is looked at: a stop may move its end. */
const LOOK_AGAIN_AFTER_MS = 1_000;
const UNDECODABLE: AgentAnswer = { status: 400, body: '{"message": "Unable to decode query."}' };
const INVALID: AgentAnswer = { status: 422, body: '{"message": "Invalid request."}' };
const EMPTY: AgentAnswer = { status: 200, body: '', contentType: 'text/plain' };

export function logsOf(
  view: AgentView,
  [namespace = '', pod = '', container = '']: readonly string[],
  query: AgentQuery,
): AgentOutcome {
  const selection = logSelectionOf(query, view.context.wallMs());
  if (selection === 'undecodable') return UNDECODABLE;
  if (selection === 'invalid') return INVALID;
  const worker = view.find(namespace, pod);
  if (!worker) return { status: 404, body: `pod ${JSON.stringify(pod)} does not exist\n` };
  if (!worker.hasContainer(container)) {
    const body = `container ${JSON.stringify(container)} not found in pod ${JSON.stringify(pod)}\n`;
    return { status: 404, body };
  }
  const { isPrevious, isFollowing } = selection;
  const source = logSourceOf(worker.recordOf(container), { pod, container, isPrevious });
  if (source.kind === 'none') return { status: 400, body: source.message };
  const written = view.runtime.get(source.id);
  if (!written) return EMPTY;
  const text = new LogText(selection);
  const take = (lines: readonly OutputLine[]): Uint8Array =>
    text.take(lines.map((line) => ({ atMs: view.wallMsOf(line.atMs), text: line.text })));
  if (!isFollowing) {
    const body = new TextDecoder().decode(take(outputOf(written, { untilMs: writtenUntil(view, written) })));
    return { ...EMPTY, body };
  }
  return {
    kind: 'stream',
    *run({ send }: StreamEnds): Process<void> {
      const tell = (lines: readonly OutputLine[]): boolean => {
        const bytes = take(lines);
        if (bytes.length > 0) send(CHANNEL.stdout, bytes);
        return !text.isFull;
      };
      if (tell(outputOf(written, { untilMs: writtenUntil(view, written) })))
        yield* newOutput(view, written, tell);
    },
  };
}

const writtenUntil = ({ runtime, runtimeMs }: AgentView, { id }: RuntimeContainer): number =>
  Math.min(runtime.endsAtMs(id), runtimeMs);

/** Tells what a container writes from now on, until it ends or `tell` wants no more. */
export function* newOutput(
  view: AgentView,
  container: RuntimeContainer,
  tell: (lines: readonly OutputLine[]) => boolean,
): Process<void> {
  const { context, runtime } = view;
  let toldMs = view.runtimeMs;
  for (;;) {
    const isRunning = runtime.fateOf(container.id, view.runtimeMs).kind === 'running';
    const untilMs = writtenUntil(view, container);
    const lines = outputOf(container, { afterMs: toldMs, untilMs });
    if (lines.length > 0 && !tell(lines)) return;
    if (!isRunning) return;
    toldMs = view.runtimeMs;
    const waitMs = Math.min(nextOutputMs(container, toldMs) - toldMs, LOOK_AGAIN_AFTER_MS);
    yield* context.sleep(milliseconds(Math.max(waitMs, 1)));
  }
}
