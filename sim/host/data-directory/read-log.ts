/**
 * What a log holds, and what of it is to be believed. Beside the records of the storage it has marks of its own:
 * `begin` (a process begins to write: in which run of the machine, and below which revision it stays), `ceiling`
 * (a higher one), `synced` (everything before this byte is on disk for certain), `closed` (all of it is).
 *
 * A killed process can only tear the last record. A loss of power may lose, tear and mix whatever was written after
 * the last sync. Both are dropped, and said. Anything else is damage.
 */
import type { JsonRecord } from '../../storage/journal.ts';
import { DataDirectoryError } from './file-layer.ts';
import { linesOf, type Line } from './records.ts';

export const beginMark = (bootId: string, ceiling: number): JsonRecord => ['begin', bootId, ceiling];
export const ceilingMark = (ceiling: number): JsonRecord => ['ceiling', ceiling];
export const syncedMark = (bytes: number): JsonRecord => ['synced', bytes];
export const closedMark = (): JsonRecord => ['closed'];

export interface LogContents {
  /** Of the storage, without marks. */
  readonly records: readonly JsonRecord[];
  /** Length of what is believed. */
  readonly wholeBytes: number;
  readonly droppedBytes: number;
  /** So many are on disk for certain. */
  readonly syncedBytes: number;
  /** Revisions up to here may have been seen by clients, though their writes are lost; 0: none. */
  readonly ceiling: number;
}

/** @throws DataDirectoryError */
export function readLog(name: string, bytes: Uint8Array, bootId: string): LogContents {
  const lines = [...linesOf(bytes)];
  const damaged = lines.findIndex(({ record }) => !record);
  const whole = damaged < 0 ? lines : lines.slice(0, damaged);
  const wroteIn = whole.findLast(({ record }) => record?.[0] === 'begin')?.record?.[1];
  const lostPower = wroteIn !== undefined && wroteIn !== bootId;
  const wholeBytes = lines[damaged]?.start ?? bytes.length;
  const isTorn = damaged === lines.length - 1 || lostPower;
  const syncedBytes = syncedBytesOf(lines);
  if (damaged >= 0 && (!isTorn || wholeBytes < syncedBytes))
    throw new DataDirectoryError(`${name} is damaged at byte ${wholeBytes}`);
  if (whole.length === 0) throw new DataDirectoryError(`${name} has no beginning`);
  return {
    records: whole.flatMap(({ record }) => (record && !isMark(record) ? [record] : [])),
    wholeBytes,
    droppedBytes: bytes.length - wholeBytes,
    syncedBytes,
    ceiling: lostPower ? ceilingOf(whole) : 0,
  };
}

const MARKS: ReadonlySet<unknown> = new Set(['begin', 'ceiling', 'synced', 'closed']);
const isMark = ([kind]: JsonRecord): boolean => MARKS.has(kind);

/** Also by marks behind the damage. */
const syncedBytesOf = (lines: readonly Line[]): number =>
  lines.reduce(
    (most, { record }) => (record?.[0] === 'synced' ? Math.max(most, Number(record[1])) : most),
    0,
  );

/** Of the process that wrote last, unless it closed the log. */
function ceilingOf(lines: readonly Line[]): number {
  let ceiling = 0;
  for (const { record } of lines) {
    if (record?.[0] === 'begin') ceiling = Number(record[2]);
    if (record?.[0] === 'ceiling') ceiling = Number(record[1]);
    if (record?.[0] === 'closed') ceiling = 0;
  }
  return ceiling;
}
