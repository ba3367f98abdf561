/** The one place that knows the protobuf library: writers and readers of the wire format. */
import protobuf from 'protobufjs/minimal.js';
import { DecodeError } from './decode-error.ts';

export type Writer = protobuf.Writer;
export type Reader = protobuf.Reader;

export const VARINT = 0;
export const FIXED64 = 1;
export const LENGTH_DELIMITED = 2;

/** What stands before a value: field number and wire type. */
export const tagOf = (field: number, wireType: number): number => ((field << 3) | wireType) >>> 0;

export const createWriter = (): Writer => protobuf.Writer.create();

export const createReader = (bytes: Uint8Array): Reader => protobuf.Reader.create(bytes);

/** A signed varint of up to 64 bits; negative ones take ten bytes. */
export const writeInteger = (writer: Writer, value: number | bigint): void => {
  if (typeof value === 'number') {
    if (value >= 0 && value <= 0xffffffff) writer.uint32(value);
    else writer.int64(value);
    return;
  }
  const high = Number(BigInt.asIntN(32, value >> 32n));
  const low = Number(BigInt.asIntN(32, value));
  writer.int64(new protobuf.util.LongBits(low >>> 0, high >>> 0).toLong(false));
};

/** A signed varint; a bigint if it is beyond 2^53. */
export const readInteger = (reader: Reader): number | bigint => {
  const { low, high } = protobuf.util.LongBits.from(reader.int64()).toLong(false);
  const exact = (BigInt(high | 0) << 32n) | BigInt(low >>> 0);
  const value = Number(exact);
  return Number.isSafeInteger(value) ? value : exact;
};

/** Runs a reader; what is wrong with the bytes is an error of the body. @throws DecodeError */
export const reading = <T>(read: () => T): T => {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) throw new DecodeError('unexpected EOF');
    if (error instanceof Error && /^(?:invalid|illegal|max depth)/.test(error.message))
      throw new DecodeError(`proto: ${error.message}`);
    throw error;
  }
};
