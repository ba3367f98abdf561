/**
 * Checkpoints of containers: asked of the runtime, written as one archive that is there whole or not
 * at all. Specification: "Node-agent checkpoint endpoint".
 */
import { formatTime } from '../../api/time-format.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import { milliseconds, seconds } from '../../engine/time.ts';
import { type Disk, DiskFullError, OF_ROOT } from '../machine/disk.ts';
import { packCheckpoint } from './checkpoint-archive.ts';
import type { ContainerRuntime, RuntimeContainer } from './container-runtime.ts';

export const CHECKPOINT_DIRECTORY = 'checkpoints';
/** Readable by root only: the archive holds the memory of the processes. */
const PRIVATE = 0o600;
const UNFINISHED = '.unfinished';
/** How long an agent waits for its runtime. */
const DEFAULT_TIMEOUT_SECONDS = 120;
/** Freezing takes so long at least, and writing so long for each GiB of memory, piece by piece. */
const FREEZE_MS = { min: 20, nominal: 100, max: 600 };
const MS_PER_GIB = 4_000;
const GIB = 1024 ** 3;
const PIECE_BYTES = GIB / 4;

export type CheckpointResult =
  { readonly kind: 'written'; readonly path: string } | { readonly kind: 'failed'; readonly message: string };

export interface CheckpointOptions {
  readonly context: Context;
  readonly runtime: ContainerRuntime;
  readonly disk: Disk;
  /** Room on the disk now, beside what pods and images take. */
  readonly availableBytes: () => number;
  readonly rootDirectory: string;
  readonly container: RuntimeContainer;
  /** 0: the runtime's own. */
  readonly timeoutSeconds: number;
  /** Containers of which a checkpoint is being made. */
  readonly inProgress: Set<string>;
}

export function* checkpoint(options: CheckpointOptions): Process<CheckpointResult> {
  const { context, runtime, container, inProgress, timeoutSeconds } = options;
  if (timeoutSeconds < 0) return failed('CheckpointContainer requires the timeout value to be > 0');
  if (!runtime.implementsCheckpoint)
    return failed('rpc error: code = Unimplemented desc = method CheckpointContainer not implemented');
  if (inProgress.has(container.id))
    return failed(`checkpoint of container ${container.id} is already in progress`);
  inProgress.add(container.id);
  try {
    const limit = seconds(timeoutSeconds === 0 ? DEFAULT_TIMEOUT_SECONDS : timeoutSeconds);
    const outcome = yield* context.within(limit, freezeAndWrite(options));
    return outcome.isLate
      ? failed('rpc error: code = DeadlineExceeded desc = context deadline exceeded')
      : outcome.value;
  } finally {
    inProgress.delete(container.id);
  }
}

const failed = (message: string): CheckpointResult => ({ kind: 'failed', message });

function* freezeAndWrite(options: CheckpointOptions): Process<CheckpointResult> {
  const { context, runtime, disk, rootDirectory, container } = options;
  yield* runtime.answer(context);
  if (runtime.fateOf(container.id, context.now() / 1_000).kind === 'ended')
    return failed(`rpc error: code = Unknown desc = container ${container.id} is not running`);
  const { min, nominal, max } = FREEZE_MS;
  const memoryBytes = runtime.memoryOf(container, context.now() / 1_000);
  const process = runtime.processOf(container, context.now() / 1_000);
  yield* context.sleep(milliseconds(context.site('checkpoint freeze').around(min, nominal, max)));
  if (runtime.checkpointFailure !== '')
    return failed(`rpc error: code = Unknown desc = ${runtime.checkpointFailure}`);
  const nowMs = context.wallMs();
  const name = `checkpoint-${container.podName}_${container.podNamespace}-${container.name}-${formatTime(nowMs)}.tar`;
  const path = `${rootDirectory}/${CHECKPOINT_DIRECTORY}/${name}`;
  const bytes = packCheckpoint(
    {
      ...container,
      createdAt: formatTime(nowMs - (context.now() / 1_000 - container.createdAtMs)),
      checkpointedAt: formatTime(nowMs),
      restoredFrom: container.restored?.containerId,
      memoryBytes,
      process,
    },
    Math.floor(nowMs / 1_000),
  );
  const unfinished = path + UNFINISHED;
  let isDone = false;
  try {
    yield* writePieces(options, unfinished, bytes, memoryBytes);
    if (runtime.fateOf(container.id, context.now() / 1_000).kind === 'ended')
      return failed(`rpc error: code = Unknown desc = container ${container.id} ended while it was dumped`);
    isDone = disk.rename(unfinished, path);
    return isDone
      ? { kind: 'written', path }
      : failed(`rpc error: code = Unknown desc = ${unfinished} is gone`);
  } catch (error) {
    if (error instanceof DiskFullError) return failed(`rpc error: code = Unknown desc = ${error.message}`);
    throw error;
  } finally {
    if (!isDone) disk.remove(unfinished);
  }
}

/**
 * Not every page is kept here, but the archive takes the room of all of them, as it grows.
 * @throws DiskFullError
 */
function* writePieces(
  { context, disk, availableBytes }: CheckpointOptions,
  path: string,
  bytes: Uint8Array,
  memoryBytes: number,
): Process<void> {
  const total = Math.max(bytes.length, memoryBytes);
  disk.write(path, { bytes, sizeBytes: 0, mode: PRIVATE, owner: OF_ROOT });
  for (let done = 0; done < total;) {
    const piece = Math.min(PIECE_BYTES, total - done);
    yield* context.sleep(milliseconds(Math.ceil((piece / GIB) * MS_PER_GIB)));
    if (piece > availableBytes()) throw new DiskFullError(path);
    done += piece;
    disk.write(path, { bytes, sizeBytes: done, mode: PRIVATE, owner: OF_ROOT });
  }
}

/** What a crash in the middle has left behind is nobody's. */
export function removeUnfinished(disk: Disk, rootDirectory: string): void {
  for (const path of disk.list(`${rootDirectory}/${CHECKPOINT_DIRECTORY}`))
    if (path.endsWith(UNFINISHED)) disk.remove(path);
}
