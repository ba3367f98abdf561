/**
 * Reports the status of a node: at once when something has changed, otherwise every five minutes. It looks whether the
 * Node still says what it should, so that what others wrote over it is put right. An agent asks for it every ten seconds;
 * as long as it follows the Node looks that could find nothing are left out here, and what they would have found is looked
 * at when it happens.
 * Specification: "Node", "Limits".
 */
import type { Node, NodeStatus } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isCallFailure } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { ChoiceSite } from '../../engine/choices.ts';
import type { Process } from '../../engine/process.ts';
import type { Signal } from '../../engine/signal.ts';
import { minutes, seconds, type Micros } from '../../engine/time.ts';
import { conditionsOf, sayTheSame } from './conditions.ts';
import type { Machine } from '../machine/machine.ts';
import type { NodeEvents } from './node-events.ts';
import { type Alike, nodeStatusPatch } from './node-status-patch.ts';

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
  /** Whether it would see changes by now. */
  readonly follows: () => boolean;
  /** Fires when it has ceased to follow the Node. */
  readonly lost: Signal;
  /** Fires when the machine has changed. */
  readonly changed: Signal;
  /** Fires when somebody else has changed the Node. */
  readonly nodeChanged: Signal;
  readonly events: NodeEvents;
  /** Hears of the Node as a report has left it, if it says what it should. */
  readonly reported: (node: Node) => void;
}

interface ReportOptions extends StatusLoopOptions {
  readonly alike: Alike;
}

/** Reports without end. */
export function* statusLoop(givenOptions: StatusLoopOptions): Process<void> {
  const options = { ...givenOptions, alike: new WeakMap<object, unknown>() };
  const { client, changed, follows, lost } = options;
  const { context } = client;
  const jitter = context.site('status interval');
  const agrees = comparison(options);
  let reportedAt = -Infinity;
  for (;;) {
    const left = reportedAt + REPORT_EVERY - context.now();
    const sees = follows();
    const hasNews = left <= 0 || !agrees(yield* present(options));
    if (hasNews && (yield* report(options))) reportedAt = context.now();
    // While it reported or asked it was deaf to changes, as it is where it cannot follow: then it looks again soon.
    const pause =
      hasNews || !sees
        ? LOOK_EVERY + jitter.int(0, LOOK_EVERY * LOOK_JITTER)
        : left + jitter.int(0, LOOK_EVERY);
    yield* context.race([
      changed.wait(),
      overwritten(options, jitter, context.now()),
      lost.wait(),
      context.sleep(pause as Micros),
    ]);
  }
}

/** Its looks come every ten seconds, never sooner after one that was made; one that finds nothing is not worth an event. */
function* overwritten(
  { client: { context }, nodeChanged }: StatusLoopOptions,
  jitter: ChoiceSite,
  lookedAt: number,
): Process<void> {
  yield* nodeChanged.wait();
  const untilNext = lookedAt + LOOK_EVERY - context.now();
  yield* context.sleep(Math.max(jitter.int(0, LOOK_EVERY), untilNext) as Micros);
}

/** The Node as it is, as far as can be told; undefined: that is not known. */
function* present({ client, name, seen, follows }: StatusLoopOptions): Process<Node | undefined> {
  if (follows()) return seen();
  try {
    return yield* client.get(nodes, name);
  } catch (error) {
    if (!isCallFailure(error)) throw error;
    return undefined;
  }
}

/** Whether the Node says what it should; looks closely only when one of the two has changed. */
function comparison(options: ReportOptions): (node: Node | undefined) => boolean {
  const { client, machine } = options;
  let agreed: { readonly node: Node; readonly changes: number } | undefined;
  return (node) => {
    const present = node?.status?.conditions;
    if (!node || !present) return true;
    const { changes } = machine;
    if (agreed?.node === node && agreed.changes === changes) return true;
    const isSame =
      sayTheSame(conditionsOf(machine, present, client.context.wallMs()), present) &&
      describesMachine(node, options) &&
      tellsVolumes(node, machine);
    agreed = isSame ? { node, changes } : undefined;
    return isSame;
  };
}

/** What others say that the machine has beside what its agent counts, such as devices, stays, and all of it may be asked for. */
function withOthersResources(machineStatus: NodeStatus, { capacity = {} }: NodeStatus): NodeStatus {
  const own = machineStatus.capacity ?? {};
  const others = Object.entries(capacity).filter(([name]) => !(name in own));
  if (others.length === 0) return machineStatus;
  const added = Object.fromEntries(others);
  return {
    ...machineStatus,
    capacity: { ...own, ...added },
    allocatable: { ...machineStatus.allocatable, ...added },
  };
}

/** Whatever else the status says of the machine is so. */
const describesMachine = ({ status = {} }: Node, { machineStatus, alike }: ReportOptions): boolean => {
  const wanted = { ...withOthersResources(machineStatus, status), conditions: status.conditions ?? [] };
  return Object.keys(nodeStatusPatch(status, wanted, alike)).length === 0;
};

const namesInUse = ({ volumes }: Machine): readonly string[] | null =>
  volumes.names.length === 0 ? null : volumes.names;

/** The Node names the volumes that are used. */
function tellsVolumes({ status }: Node, { volumes }: Machine): boolean {
  const { names } = volumes;
  const told = status?.volumesInUse ?? [];
  return told.length === names.length && names.every((name, index) => told[index] === name);
}

/** Whether it was told; after five failures the next look tries again. */
function* report(options: ReportOptions): Process<boolean> {
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      yield* tell(options, tries === 0 && options.follows());
      return true;
    } catch (error) {
      if (!isCallFailure(error)) throw error;
    }
  }
  return false;
}

/** The first try may go by what the agent saw, later ones ask. */
function* tell(options: ReportOptions, trustsSeen: boolean): Process<void> {
  const { client, name, machine, machineStatus, seen, events, reported, alike } = options;
  const node = (trustsSeen ? seen() : undefined) ?? (yield* client.get(nodes, name));
  const conditions = conditionsOf(machine, node.status?.conditions ?? [], client.context.wallMs());
  for (let base: Node | undefined = node; base;) {
    const wanted = { ...withOthersResources(machineStatus, base.status ?? {}), conditions };
    const status = nodeStatusPatch(base.status ?? {}, wanted, alike);
    if (!tellsVolumes(base, machine)) status['volumesInUse'] = namesInUse(machine);
    const body = { status };
    const told: Node = yield* client.patch(
      nodes,
      name,
      { type: 'strategic', body },
      { subresource: 'status' },
    );
    const isSaid = sayTheSame(conditions, told.status?.conditions ?? []) && describesMachine(told, options);
    if (isSaid) reported(told);
    // What others wrote over it and the agent has not seen is still there. Its next look would find that.
    base = isSaid || base !== node ? undefined : told;
  }
  events.told(node.status, { ...machineStatus, conditions });
}
