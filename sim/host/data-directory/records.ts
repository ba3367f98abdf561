/** Records as lines of a file: eight hexadecimal digits of a checksum, a space, JSON. */
import { crc32 } from 'node:zlib';
import type { JsonRecord } from '../../storage/journal.ts';

const CHECKSUM_DIGITS = 8;
const LINE_FEED = 0x0a;

const checksumOf = (json: string): string => crc32(json).toString(16).padStart(CHECKSUM_DIGITS, '0');

export function lineOf(record: JsonRecord): string {
  const json = JSON.stringify(record);
  return `${checksumOf(json)} ${json}\n`;
}

export interface Line {
  /** Of its first byte. */
  readonly start: number;
  /** Undefined: damaged, or without an end. */
  readonly record: JsonRecord | undefined;
}

export function* linesOf(bytes: Uint8Array): Generator<Line> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let start = 0; start < buffer.length;) {
    const end = buffer.indexOf(LINE_FEED, start);
    yield { start, record: end < 0 ? undefined : recordOf(buffer.toString('utf8', start, end)) };
    start = end < 0 ? buffer.length : end + 1;
  }
}

function recordOf(line: string): JsonRecord | undefined {
  const json = line.slice(CHECKSUM_DIGITS + 1);
  if (line[CHECKSUM_DIGITS] !== ' ' || checksumOf(json) !== line.slice(0, CHECKSUM_DIGITS)) return undefined;
  const record: unknown = JSON.parse(json);
  return Array.isArray(record) ? record : undefined;
}
