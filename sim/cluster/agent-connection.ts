/** A connection to an agent's endpoint for something that goes on: exec, attach, logs that are followed. */
import type { StreamFrame } from '../api/stream-frame.ts';
import { type Connection, ConnectionError } from '../engine/connection.ts';
import type { Context } from '../engine/context.ts';
import type { Process } from '../engine/process.ts';
import type { Micros } from '../engine/time.ts';
import {
  AGENT_STREAM_PORT,
  type AgentAnswer,
  type AgentCall,
  type AgentStreamReply,
  type AgentStreamRequest,
} from '../node/endpoint/agent-port.ts';

export interface AgentConnection {
  readonly kind: 'stream';
  /** Undefined: the agent has ended it, or the connection broke. */
  receive(): Process<StreamFrame | undefined>;
  send(frame: StreamFrame): void;
  close(): void;
}

export type AgentOpening =
  | AgentConnection
  | { readonly kind: 'answer'; readonly answer: AgentAnswer }
  | { readonly kind: 'refused' | 'reset' | 'timeout' };

/** How long to wait, by the caller's clock; absent: for ever. */
export interface AgentTimeouts {
  readonly dial?: Micros;
  /** For what the agent first says, once there is a connection. */
  readonly answer?: Micros;
}

/** Calls the agent that runs as `actor`. */
export function* openAgentStream(
  context: Context,
  actor: string,
  call: AgentCall,
  { dial, answer }: AgentTimeouts = {},
): Process<AgentOpening> {
  try {
    const dialled = yield* within(context, dial, context.dial({ actor, port: AGENT_STREAM_PORT }));
    return dialled ? yield* opened(context, dialled, call, answer) : { kind: 'timeout' };
  } catch (error) {
    if (error instanceof ConnectionError) return { kind: error.kind };
    throw error;
  }
}

type FrameConnection = Connection<AgentStreamReply, AgentStreamRequest>;

function* opened(
  context: Context,
  connection: FrameConnection,
  call: AgentCall,
  limit: Micros | undefined,
): Process<AgentOpening> {
  let isKept = false;
  try {
    connection.send({ kind: 'open', call });
    const first = yield* within(context, limit, received(connection));
    if (!first) return { kind: 'timeout' };
    if (first.reply?.kind === 'answer') return first.reply;
    if (first.reply?.kind !== 'opened') return { kind: 'reset' };
    isKept = true;
    return framesOf(connection);
  } finally {
    // Who asked may have gone meanwhile.
    if (!isKept) connection.close();
  }
}

function* received(connection: FrameConnection): Process<{ readonly reply: AgentStreamReply | undefined }> {
  return { reply: yield* connection.receive() };
}

/** Undefined: not in time. */
function* within<T>(
  context: Context,
  limit: Micros | undefined,
  process: Process<T>,
): Process<T | undefined> {
  if (limit === undefined) return yield* process;
  const outcome = yield* context.within(limit, process);
  return outcome.isLate ? undefined : outcome.value;
}

function framesOf(connection: FrameConnection): AgentConnection {
  return {
    kind: 'stream',
    *receive(): Process<StreamFrame | undefined> {
      try {
        const message = yield* connection.receive();
        return message?.kind === 'frame' ? message : undefined;
      } catch (error) {
        if (error instanceof ConnectionError) return undefined;
        throw error;
      }
    },
    send: ({ channel, bytes }) => void connection.send({ kind: 'frame', channel, bytes }),
    close: () => connection.close(),
  };
}
