/**
 * Two processes never write to one directory. A lock is a link, made in one step together with its text (the identity
 * of its owner), which takes no room on a full disk and is never half there. Its name counts up: whoever takes over
 * from an owner that is gone makes the next one, which only one can do, and steps back if there is a later one still.
 */
import { lstatSync, readdirSync, readlinkSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DataDirectoryError } from './file-layer.ts';
import { isRunning, ownIdentity, type ProcessIdentity } from './process-identity.ts';

const LOCK = /^lock-(\d+)$/;
/** Directories that this very process has locked. */
const heldHere = new Set<string>();

/** @returns how to give it back. @throws DataDirectoryError */
export function takeLock(directory: string): () => void {
  const real = realpathSync(directory);
  for (;;) {
    const last = lastLock(real);
    if (last > 0) refuseWhileOwned(real, last, directory);
    if (!claim(join(real, `lock-${last + 1}`))) continue;
    if (lastLock(real) > last + 1) {
      rmSync(join(real, `lock-${last + 1}`), { force: true });
      continue;
    }
    for (const number of lockNumbers(real))
      if (number <= last) rmSync(join(real, `lock-${number}`), { force: true });
    heldHere.add(real);
    // The link stays: it counts for nothing once this process is gone or has said that it is done.
    return () => void heldHere.delete(real);
  }
}

const lockNumbers = (directory: string): readonly number[] =>
  readdirSync(directory)
    .map((name) => Number(LOCK.exec(name)?.[1] ?? 0))
    .filter((number) => number > 0);

const lastLock = (directory: string): number => Math.max(0, ...lockNumbers(directory));

function claim(path: string): boolean {
  const { pid, startedAt, bootId } = ownIdentity();
  try {
    symlinkSync(`${pid} ${bootId} ${startedAt}`, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function refuseWhileOwned(real: string, last: number, directory: string): void {
  const owner = ownerOf(join(real, `lock-${last}`));
  if (!owner) return;
  const isOwn = owner.pid === process.pid && owner.startedAt === ownIdentity().startedAt;
  if (isOwn ? heldHere.has(real) : isRunning(owner)) {
    throw new DataDirectoryError(`${directory} is used by process ${owner.pid}`);
  }
}

/** Undefined: it has just gone. */
function ownerOf(path: string): ProcessIdentity | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return undefined;
  if (!stat.isSymbolicLink()) throw new DataDirectoryError(`${path} is not a lock of kubesim`);
  const [pid, bootId = '', ...startedAt] = readlinkSync(path).split(' ');
  return { pid: Number(pid), bootId, startedAt: startedAt.join(' ') };
}
