/**
 * The manifest says which files must be there. It is replaced in one step, after what it names is whole and
 * on disk; what it does not name may go.
 */
import { DataDirectoryError, type FileLayer, writeWhole } from './file-layer.ts';
import { lineOf, linesOf } from './records.ts';

const NAME = 'manifest';
const FORMAT = 1;

export interface Manifest {
  /** The files are `snapshot-N` and `log-N`. */
  readonly generation: number;
  /** Of the storage when the snapshot was made: the log goes on from there. */
  readonly revision: number;
}

export const snapshotName = ({ generation }: Pick<Manifest, 'generation'>): string =>
  `snapshot-${generation}`;
export const logName = ({ generation }: Pick<Manifest, 'generation'>): string => `log-${generation}`;

/** Generation of a file of ours; undefined: it is not ours to remove. */
const generationOf = (name: string): number | undefined => {
  const digits = /^(?:snapshot|log)-(\d+)(?:\.part)?$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
};

/** @returns undefined for a directory that was never used. @throws DataDirectoryError */
export function readManifest(files: FileLayer): Manifest | undefined {
  const bytes = files.read(NAME);
  if (bytes) return parse(bytes);
  const orphan = files.names().find((name) => /^(?:snapshot|log)-\d+$/.test(name));
  // The first generation has files before the first manifest names them: a start that was cut short.
  if (orphan !== undefined && generationOf(orphan) !== 1)
    throw new DataDirectoryError(`the manifest is missing, but there is ${orphan}`);
  if (orphan !== undefined && hasRecords(files))
    throw new DataDirectoryError('the manifest is missing, but log-1 has records');
  return undefined;
}

/** Nothing is written to the first log before a manifest names it, but for the record that begins it. */
const hasRecords = (files: FileLayer): boolean => {
  const lines = [...linesOf(files.read(logName({ generation: 1 })) ?? new Uint8Array())];
  return lines.length > 1;
};

function parse(bytes: Uint8Array): Manifest {
  const [format, generation, revision] = [...linesOf(bytes)][0]?.record ?? [];
  if (typeof generation !== 'number' || typeof revision !== 'number')
    throw new DataDirectoryError('the manifest is damaged');
  if (format !== FORMAT)
    throw new DataDirectoryError(`the manifest has the unknown format ${String(format)}`);
  return { generation, revision };
}

/** The step that makes a new generation count. @returns once that is certain; see `isDone` for what a failure means */
export function writeManifest(
  files: FileLayer,
  { generation, revision }: Manifest,
  isDone: () => void,
): void {
  const part = `${NAME}.part`;
  const file = files.create(part);
  try {
    writeWhole(file, Buffer.from(lineOf([FORMAT, generation, revision])), 0);
    file.sync();
  } finally {
    file.close();
  }
  files.rename(part, NAME);
  // From here on either generation may be the one that a loss of power leaves.
  isDone();
  files.syncDirectory();
}

/** Files of other generations. A file that cannot be removed does no harm. */
export function removeOthers(files: FileLayer, { generation }: Pick<Manifest, 'generation'>): void {
  for (const name of files.names()) {
    const of = generationOf(name);
    if (of === undefined || (of === generation && !name.endsWith('.part'))) continue;
    try {
      files.remove(name);
    } catch {
      continue;
    }
  }
}
