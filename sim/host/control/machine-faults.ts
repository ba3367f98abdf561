/**
 * Faults of machines, as a list of what is wrong with each: the control path says how things are to be, this finds the
 * verbs that make them so.
 */
import type { Machine } from '../../node/machine/machine.ts';

/** What is left out is whole. */
export interface MachineFaults {
  readonly diskFull?: boolean;
  readonly runtimeHangs?: boolean;
  /** What the runtime says of every checkpoint that it is asked for. */
  readonly checkpointFails?: string;
  /** The runtime knows no checkpoints. */
  readonly checkpointUnimplemented?: boolean;
}

type Turn = (machine: Machine, faults: MachineFaults) => void;

const TURNS: Readonly<Record<keyof MachineFaults, Turn>> = {
  diskFull: (machine, { diskFull = false }) => (diskFull ? machine.fillDisk() : machine.freeDisk()),
  runtimeHangs: (machine, { runtimeHangs = false }) =>
    runtimeHangs ? machine.stopRuntime() : machine.startRuntime(),
  checkpointFails: ({ runtime }, { checkpointFails = '' }) =>
    void (runtime.checkpointFailure = checkpointFails),
  checkpointUnimplemented: ({ runtime }, { checkpointUnimplemented = false }) =>
    void (runtime.implementsCheckpoint = !checkpointUnimplemented),
};
const NAMES = Object.keys(TURNS) as readonly (keyof MachineFaults)[];

/** The machines that can go wrong, and what is wrong with each now. */
interface MachineRoom {
  readonly cluster: { readonly nodeNames: readonly string[]; machine(node: string): Machine };
  machineFaults: ReadonlyMap<string, MachineFaults>;
}

/** By the name of the node. @throws RangeError for nodes and faults that there are not */
export function machineFaultsFrom(
  value: unknown,
  { cluster }: Pick<MachineRoom, 'cluster'>,
): ReadonlyMap<string, MachineFaults> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RangeError('machines: expected a mapping of nodes');
  const known = new Set(cluster.nodeNames);
  return new Map(
    Object.entries(value).map(([node, faults]) => {
      if (!known.has(node)) throw new RangeError(`machines: there is no node ${node}`);
      return [node, checked(faults, `machines.${node}`)];
    }),
  );
}

function checked(value: unknown, path: string): MachineFaults {
  if (typeof value !== 'object' || value === null) throw new RangeError(`${path}: expected a mapping`);
  for (const [name, member] of Object.entries(value)) {
    if (!Object.hasOwn(TURNS, name))
      throw new RangeError(`${path}: there is no ${name}; there are ${NAMES.join(', ')}`);
    const type = name === 'checkpointFails' ? 'string' : 'boolean';
    if (typeof member !== type) throw new RangeError(`${path}.${name}: expected a ${type}`);
  }
  return value;
}

/** Who is left out is whole. Only what changes is touched. */
export function setMachineFaults(room: MachineRoom, wanted: ReadonlyMap<string, MachineFaults>): void {
  for (const node of room.cluster.nodeNames) {
    const [before, after] = [room.machineFaults.get(node) ?? {}, wanted.get(node) ?? {}];
    for (const name of NAMES)
      if ((before[name] || undefined) !== (after[name] || undefined))
        TURNS[name](room.cluster.machine(node), after);
  }
  room.machineFaults = wanted;
}
