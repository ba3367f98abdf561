/**
 * Reports the status of a node: at once when something has changed, otherwise every five minutes. Every ten seconds it
 * looks whether the Node still says what it should, so that what others wrote over it is put right.
 * Specification: "Node", "Limits".
 */
import type { Node, NodeStatus } from '../api/types/core-v1.ts';
import type { ApiClient } from '../client/api-client.ts';
import { isCallFailure } from '../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../client/builtin-handles.ts';
import type { Process } from '../engine/process.ts';
import type { Signal } from '../engine/signal.ts';
import { minutes, seconds, type Micros } from '../engine/time.ts';
import { conditionsOf, sayTheSame } from './conditions.ts';
import type { Machine } from './machine.ts';

const { nodes } = BUILTIN_HANDLES;
const LOOK_EVERY = seconds(10);
const LOOK_JITTER = 0.04;
const REPORT_EVERY = minutes(5);
const TRIES = 5;

export interface StatusLoopOptions {
  readonly client: ApiClient;
  readonly name: string;
  readonly machine: Machine;
  /** The status without conditions. */
  readonly machineStatus: NodeStatus;
  /** The Node as the agent last saw it; undefined: there is none. */
  readonly seen: () => Node | undefined;
  /** Fires when the machine has changed. */
  readonly changed: Signal;
}

/** Reports without end. */
export function* statusLoop(options: StatusLoopOptions): Process<void> {
  const { client, changed } = options;
  const { context } = client;
  const jitter = context.site('status interval');
  let reportedAt = -Infinity;
  for (;;) {
    const isDue = context.now() - reportedAt >= REPORT_EVERY;
    if (isDue || mustReport(options)) {
      if (yield* report(options)) reportedAt = context.now();
    }
    const pause = (LOOK_EVERY + jitter.int(0, Math.floor(LOOK_EVERY * LOOK_JITTER))) as Micros;
    yield* context.race([changed.wait(), context.sleep(pause)]);
  }
}

/** The Node that the agent saw does not say what it should. */
function mustReport({ client, machine, seen }: StatusLoopOptions): boolean {
  const present = seen()?.status?.conditions;
  if (!present) return false;
  return !sayTheSame(conditionsOf(machine, present, client.context.wallMs()), present);
}

/** Whether it was told; after five failures the next look tries again. */
function* report(options: StatusLoopOptions): Process<boolean> {
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      yield* tell(options, tries === 0);
      return true;
    } catch (error) {
      if (!isCallFailure(error)) throw error;
    }
  }
  return false;
}

/** The first try may go by what the agent saw, later ones ask. */
function* tell(
  { client, name, machine, machineStatus, seen }: StatusLoopOptions,
  trustsSeen: boolean,
): Process<void> {
  const node = (trustsSeen ? seen() : undefined) ?? (yield* client.get(nodes, name));
  const conditions = conditionsOf(machine, node.status?.conditions ?? [], client.context.wallMs());
  const body = { status: { ...differing(machineStatus, node.status ?? {}), conditions } };
  yield* client.patch(nodes, name, { type: 'strategic', body }, { subresource: 'status' });
}

/** Members that are not as wanted. */
function differing(wanted: NodeStatus, present: NodeStatus): Partial<NodeStatus> {
  const entries = Object.entries(wanted).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(present, name)),
  );
  return Object.fromEntries(entries);
}
