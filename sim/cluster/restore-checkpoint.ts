/**
 * A checkpoint that is carried from one machine to another, for a container that is yet to start there. Carrying and
 * unpacking an archive is the work of people and tools outside the cluster, so no network is between them.
 * Specification: "Node-agent checkpoint endpoint".
 */
import type { Cluster } from './cluster.ts';

export interface CheckpointRestore {
  /** Path of the archive on the disk of the node that made it, as the checkpoint endpoint tells it. */
  readonly archive: string;
  /** Names of nodes. */
  readonly from: string;
  readonly onto: string;
  /** Default `default`. */
  readonly namespace?: string;
  readonly pod: string;
  readonly container: string;
}

/** `missing`: there is no such archive, or no such node. `damaged`: the file is no checkpoint. */
export type RestoreOutcome =
  | { readonly kind: 'ready'; readonly container: string }
  | { readonly kind: 'missing' | 'damaged'; readonly message: string };

/** The next container of this name in this pod goes on from the checkpoint, when it starts on that node. */
export function restoreCheckpoint(cluster: Cluster, wanted: CheckpointRestore): RestoreOutcome {
  const { archive, namespace = 'default', pod, container } = wanted;
  const [from, onto] = [nodeOf(wanted.from), nodeOf(wanted.onto)];
  const strangers = [from, onto].filter((name) => !cluster.nodeNames.includes(name));
  if (strangers.length > 0) return { kind: 'missing', message: `there is no node ${strangers.join(', ')}` };
  const file = cluster.machine(from).disk.read(archive);
  if (!file) return { kind: 'missing', message: `there is no ${archive} on the disk of ${from}` };
  try {
    cluster.machine(onto).restoreFrom({ namespace, pod, container }, file.bytes);
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'damaged', message: `${archive}: ${error.message}` };
    throw error;
  }
  return { kind: 'ready', container: `${namespace}/${pod}/${container}` };
}

/** Nodes may be called as actors are: `node/worker-1`. */
const nodeOf = (name: string): string => name.replace(/^node\//, '');
