/** Answers of an agent that go on until one side ends them: exec, attach, logs that are followed. */
import { CHANNEL, streamFailure } from '../../api/stream-frame.ts';
import { Channel } from '../../engine/channel.ts';
import { type Connection, ConnectionError } from '../../engine/connection.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import { TOO_MUCH_UNREAD, TypedBytes } from '../runtime/typed-bytes.ts';
import type { AgentAnswer, AgentStreamReply, AgentStreamRequest } from './agent-port.ts';

/** The agent's side of a stream. */
export interface StreamEnds {
  send(channel: number, bytes: Uint8Array): void;
  /** What the caller types next; undefined: nothing comes any more. */
  read(): Process<Uint8Array | undefined>;
}

export interface AgentStream {
  readonly kind: 'stream';
  /**
   * It goes on to its end when the caller is gone, and finds the end of what he typed, as commands in containers do:
   * clients whose protocol cannot end the input alone count on it.
   */
  readonly outlivesCaller?: true;
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
    *read() {
      return undefined;
    },
  });
  return { status: 200, body: pieces.map((bytes) => FROM_TEXT.decode(bytes)).join('') };
}

/** Answers one connection of the stream port; when it ends, so does what goes on, unless it outlives its caller. */
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
  const typed = new TypedBytes();
  const send = (channel: number, bytes: Uint8Array): void =>
    void connection.send({ kind: 'frame', channel, bytes });
  const ended = yield* context.race([
    outcome.run({ send, read: () => typed.read() }),
    outcome.outlivesCaller ? untilTooMuch(connection, typed) : untilClosed(connection, typed),
  ]);
  if (ended.value === 'too much') send(CHANNEL.error, statusBytes(streamFailure(TOO_MUCH_UNREAD)));
}

export const statusBytes = (status: object): Uint8Array => new TextEncoder().encode(JSON.stringify(status));

type Caller = Connection<AgentStreamRequest, AgentStreamReply>;

function* untilTooMuch(caller: Caller, typed: TypedBytes): Process<'too much'> {
  try {
    if ((yield* untilClosed(caller, typed)) === 'too much') return 'too much';
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
  }
  typed.close();
  for (;;) yield* new Channel().receive();
}

function* untilClosed(connection: Caller, typed: TypedBytes): Process<'closed' | 'too much'> {
  for (;;) {
    const message = yield* connection.receive();
    if (!message) return 'closed';
    if (message.kind !== 'frame' || message.channel !== CHANNEL.stdin) continue;
    if (!message.bytes) typed.close();
    else if (!typed.offer(message.bytes)) return 'too much';
  }
}
