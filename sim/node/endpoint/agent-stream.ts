/** Answers of an agent that go on until one side ends them: exec, attach, logs that are followed. */
import type { StreamFrame } from '../../api/stream-frame.ts';
import { CHANNEL } from '../../api/stream-frame.ts';
import type { Connection } from '../../engine/connection.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import type { AgentAnswer, AgentStreamReply, AgentStreamRequest } from './agent-port.ts';

/** The agent's side of a stream. */
export interface StreamEnds {
  send(channel: number, bytes: Uint8Array): void;
  /** What the caller sends next; undefined: nothing comes any more. */
  receive(): Process<StreamFrame | undefined>;
}

export interface AgentStream {
  readonly kind: 'stream';
  run(ends: StreamEnds): Process<void>;
}

export type AgentOutcome = AgentAnswer | AgentStream;

export const isStream = (outcome: AgentOutcome): outcome is AgentStream => 'kind' in outcome;

const FROM_TEXT = new TextDecoder();

/** Runs a stream to its end, for a caller who wants all of it at once. */
export function* gathered(stream: AgentStream): Process<AgentAnswer> {
  const pieces: Uint8Array[] = [];
  yield* stream.run({
    send: (channel, bytes) => {
      if (channel === CHANNEL.stdout || channel === CHANNEL.stderr) pieces.push(bytes);
    },
    *receive() {
      return undefined;
    },
  });
  return { status: 200, body: pieces.map((bytes) => FROM_TEXT.decode(bytes)).join('') };
}

/** Answers one connection of the stream port; when it ends, so does what goes on. */
export function* serveStream(
  context: Context,
  connection: Connection<AgentStreamRequest, AgentStreamReply>,
  answer: (call: Extract<AgentStreamRequest, { kind: 'open' }>['call']) => Process<AgentOutcome>,
): Process<void> {
  const first = yield* connection.receive();
  if (first?.kind !== 'open') return;
  const outcome = yield* answer(first.call);
  if (!isStream(outcome)) {
    connection.send({ kind: 'answer', answer: outcome });
    return;
  }
  connection.send({ kind: 'opened' });
  const inbox = context.channel<StreamFrame>();
  yield* context.race([
    outcome.run({
      send: (channel, bytes) => void connection.send({ kind: 'frame', channel, bytes }),
      receive: () => inbox.receive(),
    }),
    untilClosed(connection, (frame) => void inbox.offer(frame)),
  ]);
}

function* untilClosed(
  connection: Connection<AgentStreamRequest, AgentStreamReply>,
  take: (frame: StreamFrame) => void,
): Process<void> {
  for (;;) {
    const message = yield* connection.receive();
    if (!message) return;
    if (message.kind === 'frame') take(message);
  }
}
