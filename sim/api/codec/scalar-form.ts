/** Canonical values of the scalar types. A value that does not fit throws `MISMATCH`. */
import type { ScalarName } from '../schema.ts';
import { canonicalQuantity, QuantityError } from '../quantity.ts';
import {
  formatDuration,
  formatMicroTime,
  formatTime,
  isZeroTime,
  parseDuration,
  parseMicroTime,
  parseTime,
  TimeFormatError,
} from '../time-format.ts';
import { canonicalBase64, encodeBase64 } from './base64.ts';
import { DecodeError } from './decode-error.ts';
import { MISMATCH } from './mismatch.ts';

/** Texts of quantities repeat; their canonical forms are kept while they are few. */
const canonicalQuantities = new Map<string, string>();
const MOST_KEPT_QUANTITIES = 4096;

/** Whether an error says that a text is not of its type (and is no defect of ours). */
const isRefusal = (error: unknown): boolean =>
  error instanceof QuantityError || error instanceof TimeFormatError || error instanceof DecodeError;

const refused = (error: unknown): never => {
  if (isRefusal(error)) throw MISMATCH;
  throw error;
};

const quantityForm = (value: unknown): string => {
  if (value === null) return '0';
  const text = typeof value === 'string' ? value : undefined;
  if (text !== undefined) {
    const known = canonicalQuantities.get(text);
    if (known !== undefined) return known;
  } else if (typeof value !== 'number' && typeof value !== 'bigint') throw MISMATCH;
  const canonical = canonicalQuantity((text ?? (value as number | bigint).toString()).trim());
  if (text !== undefined && text.length < 32) {
    if (canonicalQuantities.size >= MOST_KEPT_QUANTITIES) canonicalQuantities.clear();
    canonicalQuantities.set(text, canonical);
  }
  return canonical;
};

const USUAL_TIME =
  /^[12][0-9]{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])T(?:[01][0-9]|2[0-3])(?::[0-5][0-9]){2}Z$/;
const USUAL_MICRO_TIME =
  /^[12][0-9]{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])T(?:[01][0-9]|2[0-3])(?::[0-5][0-9]){2}\.[0-9]{6}Z$/;

const timeForm = (value: unknown): string | null => {
  if (value === null) return null;
  if (typeof value !== 'string') throw MISMATCH;
  if (USUAL_TIME.test(value)) return value;
  const time = parseTime(value);
  return isZeroTime(time) ? null : formatTime(time.epochSeconds * 1000);
};

const microTimeForm = (value: unknown): string | null => {
  if (value === null) return null;
  if (typeof value !== 'string') throw MISMATCH;
  if (USUAL_MICRO_TIME.test(value)) return value;
  const time = parseMicroTime(value);
  return isZeroTime(time) ? null : formatMicroTime(time);
};

const durationForm = (value: unknown): string => {
  if (value === null) return '0s';
  if (typeof value !== 'string') throw MISMATCH;
  return formatDuration(parseDuration(value));
};

const bytesForm = (value: unknown): string | null => {
  if (typeof value === 'string') return canonicalBase64(value);
  if (value === null) return null;
  if (!Array.isArray(value)) throw MISMATCH;
  const isByte = (item: unknown): boolean =>
    item === null || (typeof item === 'number' && Number.isInteger(item) && item >= 0 && item <= 255);
  if (!value.every(isByte)) throw MISMATCH;
  return encodeBase64(Uint8Array.from(value as number[]));
};

const int32Form = (value: unknown): number => {
  if (value === null) return 0;
  if (typeof value !== 'number' || (value | 0) !== value) throw MISMATCH;
  return value;
};

const int64Form = (value: unknown): number | bigint => {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  if (value === null) return 0;
  if (typeof value === 'bigint' && BigInt.asIntN(64, value) === value) return value;
  throw MISMATCH;
};

const float64Form = (value: unknown): number => {
  if (value === null) return 0;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'number' || !Number.isFinite(value)) throw MISMATCH;
  return value;
};

const formOf = (scalar: ScalarName, value: unknown): unknown => {
  switch (scalar) {
    case 'string':
      if (typeof value === 'string') return value;
      break;
    case 'boolean':
      if (typeof value === 'boolean') return value;
      if (value === null) return false;
      break;
    case 'int32':
      return int32Form(value);
    case 'int64':
      return int64Form(value);
    case 'float64':
      return float64Form(value);
    case 'bytes':
      return bytesForm(value);
    case 'timestamp':
      return timeForm(value);
    case 'microtime':
      return microTimeForm(value);
    case 'duration':
      return durationForm(value);
    case 'quantity':
      return quantityForm(value);
    case 'intOrString':
      return typeof value === 'string' ? value : int32Form(value);
  }
  throw MISMATCH;
};

/** The canonical value of a scalar; null stands for its zero value. @throws MISMATCH */
export const normalizeScalar = (scalar: ScalarName, value: unknown): unknown => {
  try {
    return formOf(scalar, value);
  } catch (error) {
    return refused(error);
  }
};
