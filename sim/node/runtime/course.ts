/** What becomes of a container, and what of it was known when it started. */
import type { LogEntry } from './workload-behaviour.ts';

/** What is there when the container starts. */
export interface CourseFiles {
  /** Undefined: there is none. */
  at(path: string): Uint8Array | undefined;
  /** Whether it is known what is there: of the files of an image nobody knows all. */
  knows(path: string): boolean;
  isDirectory(path: string): boolean;
  isReadOnly(path: string): boolean;
  /** Of a file that is there. */
  mayRead(path: string): boolean;
}

export interface CommandCourse {
  /** It hangs on others what becomes of it: nobody knows before it has run. */
  readonly isOpen?: true;
  /** Files that it writes at once, by their paths; undefined: that it takes away. */
  readonly writes?: ReadonlyMap<string, Uint8Array | undefined>;
  readonly logs: readonly LogEntry[];
  /** Absent: it never ends. */
  readonly runsForSeconds?: number;
  readonly exitCode?: number;
}
