/** `GET /containerLogs/<namespace>/<pod>/<container>` of a node agent. */
import { CHANNEL } from '../../api/stream-frame.ts';
import type { Process } from '../../engine/process.ts';
import type { AgentAnswer, AgentQuery } from './agent-port.ts';
import type { AgentOutcome, StreamEnds } from './agent-stream.ts';
import type { AgentView } from './agent-view.ts';
import { newOutput, writtenUntil } from './container-following.ts';
import { logSelectionOf, logSourceOf, LogText } from './container-logs.ts';
import { type OutputLine, outputOf, textOfLine } from '../runtime/container-output.ts';

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
    text.take(lines.map((line) => ({ atMs: view.wallMsOf(line.atMs), text: textOfLine(line) })));
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
