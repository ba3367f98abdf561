import { StorageWriteError } from '../../storage/storage.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';

const RETRY_MS = 1_000;

/** Does something that the server itself has to write, now or, where the storage takes no writes, once it does. */
export function untilWritten(surroundings: Pick<ApiServerSurroundings, 'after'>, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof StorageWriteError)) throw error;
    surroundings.after(RETRY_MS, () => untilWritten(surroundings, work));
  }
}
