/**
 * The few things that are done with the files of one directory, so that a disk that lies, fills up and loses power
 * can stand in for the real one. Names are names within the directory, never paths.
 */

export interface OpenFile {
  /** @returns how many bytes were written, perhaps fewer than there are. @throws errors of the system */
  write(bytes: Uint8Array, position: number): number;
  truncate(length: number): void;
  /** Returns once everything written so far survives a loss of power. */
  sync(): void;
  /** As `sync`, without waiting: calls back once, not before it has returned. */
  syncLater(done: (error: Error | undefined) => void): void;
  close(): void;
}

export interface FileLayer {
  /** Changes whenever the machine starts: a loss of power lies between two of them. */
  readonly bootId: string;
  names(): readonly string[];
  /** Undefined: there is no such file. */
  read(name: string): Uint8Array | undefined;
  /** An empty file for its owner alone; what was there under this name is gone. */
  create(name: string): OpenFile;
  /** An existing file, to be changed. */
  open(name: string): OpenFile;
  rename(from: string, to: string): void;
  remove(name: string): void;
  /** Returns once names (creations, renames, removals) survive a loss of power. */
  syncDirectory(): void;
}

/** The files are damaged, incomplete, or belong to another process. */
export class DataDirectoryError extends Error {
  override readonly name = 'DataDirectoryError';
}

/** Writes everything, however short the single writes are. @throws errors of the system; some bytes may be written */
export function writeWhole(file: OpenFile, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length;) {
    const written = file.write(done === 0 ? bytes : bytes.subarray(done), position + done);
    if (written <= 0) throw new Error('the file takes no more bytes');
    done += written;
  }
}
