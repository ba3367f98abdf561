/** Protobuf messages of the leaf types: times, quantities, int-or-string, opaque JSON. */
import type { OpaqueName, ScalarName } from '../schema.ts';
import {
  formatDuration,
  formatMicroTime,
  formatTime,
  isZeroTime,
  parseDuration,
  parseMicroTime,
  parseTime,
  type ParsedTime,
} from '../time-format.ts';
import { rawTextOf, rememberRawText } from './raw-text.ts';
import { parseJson } from './strict-json.ts';
import { readInteger, writeInteger, type Reader, type Writer } from './protobuf-wire.ts';

/** Scalars that are messages of their own. */
export type LeafName = 'timestamp' | 'microtime' | 'duration' | 'quantity' | 'intOrString' | OpaqueName;

const LEAVES: ReadonlySet<string> = new Set<LeafName>([
  'timestamp',
  'microtime',
  'duration',
  'quantity',
  'intOrString',
  'rawExtension',
  'fieldsV1',
  'json',
  'any',
]);

export const isLeaf = (name: ScalarName | OpaqueName): name is LeafName => LEAVES.has(name);

const FIRST_VARINT = 0x08;
const SECOND_VARINT = 0x10;
const FIRST_BYTES = 0x0a;
const THIRD_BYTES = 0x1a;

const writeTime = (writer: Writer, time: ParsedTime, hasMicros: boolean): void => {
  writer.uint32(FIRST_VARINT);
  writeInteger(writer, time.epochSeconds);
  writer.uint32(SECOND_VARINT);
  writeInteger(writer, hasMicros ? time.micros * 1000 : 0);
};

/** Writes what stands between the message's length and its end. */
export const writeLeaf = (writer: Writer, leaf: LeafName, value: unknown): void => {
  switch (leaf) {
    case 'timestamp':
      return typeof value === 'string' ? writeTime(writer, parseTime(value), false) : undefined;
    case 'microtime':
      return typeof value === 'string' ? writeTime(writer, parseMicroTime(value), true) : undefined;
    case 'duration':
      writer.uint32(FIRST_VARINT);
      return writeInteger(writer, typeof value === 'string' ? parseDuration(value) : 0);
    case 'quantity':
      writer.uint32(FIRST_BYTES).string(typeof value === 'string' ? value : '0');
      return;
    case 'intOrString':
      return writeIntOrString(writer, value);
    default:
      if (value !== null && value !== undefined) writer.uint32(FIRST_BYTES).string(rawTextOf(value));
  }
};

const writeIntOrString = (writer: Writer, value: unknown): void => {
  const isText = typeof value === 'string';
  writer
    .uint32(FIRST_VARINT)
    .uint32(isText ? 1 : 0)
    .uint32(SECOND_VARINT);
  writeInteger(writer, typeof value === 'number' ? value : 0);
  writer.uint32(THIRD_BYTES).string(isText ? value : '');
};

/** The members of a leaf message, as far as they were there. */
interface LeafParts {
  readonly numbers: readonly (number | bigint | undefined)[];
  readonly texts: readonly (string | undefined)[];
}

const readParts = (reader: Reader, end: number): LeafParts => {
  const numbers: (number | bigint)[] = [];
  const texts: string[] = [];
  while (reader.pos < end) {
    const tag = reader.uint32();
    const field = tag >>> 3;
    if ((tag & 7) === 0) numbers[field] = readInteger(reader);
    else if ((tag & 7) === 2) texts[field] = reader.string();
    else reader.skipType(tag & 7);
  }
  return { numbers, texts };
};

const timeOf = ({ numbers }: LeafParts): ParsedTime | undefined => {
  if (numbers[1] === undefined && numbers[2] === undefined) return undefined;
  const time = { epochSeconds: Number(numbers[1] ?? 0), micros: Math.trunc(Number(numbers[2] ?? 0) / 1000) };
  return isZeroTime(time) ? undefined : time;
};

/** The JSON value of a leaf message that ends at `end`. */
export const readLeaf = (reader: Reader, leaf: LeafName, end: number): unknown => {
  const parts = readParts(reader, end);
  const time = leaf === 'timestamp' || leaf === 'microtime' ? timeOf(parts) : undefined;
  switch (leaf) {
    case 'timestamp':
      return time ? formatTime(time.epochSeconds * 1000) : null;
    case 'microtime':
      return time ? formatMicroTime(time) : null;
    case 'duration':
      return formatDuration(BigInt(parts.numbers[1] ?? 0));
    case 'quantity':
      return parts.texts[1] ?? '0';
    case 'intOrString':
      return Number(parts.numbers[1] ?? 0) === 1 ? (parts.texts[3] ?? '') : Number(parts.numbers[2] ?? 0);
    default:
      return opaqueOf(parts.texts[1]);
  }
};

const opaqueOf = (text: string | undefined): unknown => {
  if (text === undefined || text === '') return null;
  const { value } = parseJson(text);
  rememberRawText(value, text);
  return value;
};
