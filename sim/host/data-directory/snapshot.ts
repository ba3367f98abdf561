/** The whole storage in one file, with an end that says that it is whole. It has its name only once it is on disk. */
import type { StoredObject } from '../../apiserver/stores/stored-object.ts';
import { encodeRecord, type JournalRecord, type JsonRecord } from '../../storage/journal.ts';
import { DataDirectoryError, type FileLayer, writeWhole } from './file-layer.ts';
import { lineOf, linesOf } from './records.ts';

const END = 'end';
const PIECE_CHARACTERS = 1024 * 1024;

/** @throws errors of the system */
export function writeSnapshot(
  files: FileLayer,
  name: string,
  records: Iterable<JournalRecord<StoredObject>>,
): void {
  const part = `${name}.part`;
  const file = files.create(part);
  try {
    let position = 0;
    let piece = '';
    const flush = (): void => {
      const bytes = Buffer.from(piece);
      writeWhole(file, bytes, position);
      position += bytes.length;
      piece = '';
    };
    for (const record of records) {
      piece += lineOf(encodeRecord(record, (value) => value));
      if (piece.length >= PIECE_CHARACTERS) flush();
    }
    piece += lineOf([END]);
    flush();
    file.sync();
  } finally {
    file.close();
  }
  files.rename(part, name);
}

/** @throws DataDirectoryError */
export function readSnapshot(files: FileLayer, name: string): readonly JsonRecord[] {
  const bytes = files.read(name);
  if (!bytes) throw new DataDirectoryError(`${name} is missing`);
  const records: JsonRecord[] = [];
  for (const { start, record } of linesOf(bytes)) {
    if (!record) throw new DataDirectoryError(`${name} is damaged at byte ${start}`);
    records.push(record);
  }
  if (records.pop()?.[0] !== END) throw new DataDirectoryError(`${name} is not whole`);
  return records;
}
