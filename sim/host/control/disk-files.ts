/** Looking into the simulated disks of nodes: which files there are, and what is in one. */
import { type Disk, OF_ROOT } from '../../node/machine/disk.ts';
import type { World } from '../world.ts';

/** Files below a directory (default: all), in bytewise order. @throws RangeError when there is no such node */
export function filesOf(world: World, query: URLSearchParams): object {
  const disk = diskOf(world, query);
  const items = disk.list(query.get('below') ?? '/').flatMap((path) => {
    const file = disk.read(path);
    if (!file) return [];
    const { mode, owner, bytes, sizeBytes = bytes.length } = file;
    return [{ path, mode: mode.toString(8).padStart(4, '0'), owner: nameOf(owner.uid), sizeBytes }];
  });
  return { items };
}

/** @throws RangeError when there is no such node or file */
export function fileOf(world: World, query: URLSearchParams): Uint8Array {
  const path = query.get('path') ?? '';
  const file = diskOf(world, query).read(path);
  if (!file) throw new RangeError(`path: there is no file ${path}`);
  return file.bytes;
}

function diskOf({ cluster }: World, query: URLSearchParams): Disk {
  const node = query.get('node') ?? '';
  if (!cluster.nodeNames.includes(node)) throw new RangeError(`node: there is no node ${node}`);
  return cluster.machine(node).disk;
}

/** Of other users a machine has no names. */
const nameOf = (uid: number): string => (uid === OF_ROOT.uid ? 'root' : String(uid));
