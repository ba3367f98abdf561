/** A directory of the real disk, locked, and forced to disk as often as was asked for. */
import { DataDirectory, type DataDirectoryOptions } from './data-directory.ts';
import { DataDirectoryError, type FileLayer } from './file-layer.ts';
import { takeLock } from './lock.ts';
import { RealFiles } from './real-files.ts';

const SYNC_INTERVAL_MS = 1_000;

export interface OpenOptions extends Omit<DataDirectoryOptions, 'nowMs' | 'later'> {
  /** A worse disk over the real one. */
  readonly filesOver?: (real: FileLayer) => FileLayer;
}

export interface OpenDataDirectory extends Pick<DataDirectory, 'storage' | 'gate'> {
  close(): void;
}

/** @throws DataDirectoryError */
export function openDataDirectory(path: string, options: OpenOptions): OpenDataDirectory {
  const unlock = inWords(path, () => {
    new RealFiles(path).names();
    return takeLock(path);
  });
  try {
    const directory = inWords(
      path,
      () =>
        new DataDirectory(options.filesOver?.(new RealFiles(path)) ?? new RealFiles(path), {
          ...options,
          nowMs: () => performance.now(),
          later: (work) => void setImmediate(work),
        }),
    );
    const { storage, gate } = directory;
    const timer =
      options.fsync === 'interval'
        ? setInterval(() => directory.syncSoon(), SYNC_INTERVAL_MS).unref()
        : undefined;
    const close = (): void => {
      clearInterval(timer);
      directory.close();
      unlock();
    };
    return { storage, gate, close };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** What the system has to say becomes one message with the name of the directory. */
function inWords<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new DataDirectoryError(message.includes(path) ? message : `${path}: ${message}`);
  }
}
