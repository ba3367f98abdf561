/**
 * Values while an expression runs. Whole numbers are plain numbers as long as they are exact, else bigints; all
 * other numbers are wrapped, so that types stay apart. Errors are values, too: `||` and `&&` absorb them.
 */
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  TIMESTAMP,
  TYPE,
  UINT,
} from '../types/type.ts';

/** `int` is number or bigint. */
export type CelValue = null | boolean | number | bigint | string | Uint8Array | ValueObject;

export type ValueObject =
  Double | Uint | ListValue | MapValue | Timestamp | Duration | Optional | TypeValue | OpaqueValue;

/** What an evaluation comes to. */
export type Result = CelValue | CelError;

export class CelError {
  readonly kind = 'error';
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

export class Double {
  readonly kind = 'double';
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

export class Uint {
  readonly kind = 'uint';
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

export interface ListValue {
  readonly kind: 'list';
  readonly size: number;
  /** Of an index that is there. */
  get(index: number): Result;
  equals(other: Result): Result;
  contains(value: CelValue): Result;
  plus(other: ListValue): Result;
}

export interface MapValue {
  readonly kind: 'map';
  readonly size: number;
  /** Undefined: no such key. */
  find(key: CelValue): Result | undefined;
  keys(): readonly CelValue[];
  equals(other: Result): Result;
}

export class Timestamp {
  readonly kind = 'timestamp';
  readonly seconds: number;
  /** 0 to 999,999,999. */
  readonly nanos: number;
  /** In which zone it was written; counts for its text alone. */
  readonly offsetSeconds: number;
  constructor(seconds: number, nanos: number, offsetSeconds = 0) {
    this.seconds = seconds;
    this.nanos = nanos;
    this.offsetSeconds = offsetSeconds;
  }
}

export class Duration {
  readonly kind = 'duration';
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class Optional {
  readonly kind = 'optional';
  static readonly NONE = new Optional(undefined);
  readonly value: CelValue | undefined;
  constructor(value: CelValue | undefined) {
    this.value = value;
  }
}

export class TypeValue {
  readonly kind = 'type';
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** A value of a library: an address, a URL, a quantity, an authorizer. */
export interface OpaqueValue {
  readonly kind: 'opaque';
  readonly type: CelType;
  equals(other: Result): Result;
  /** What `size` counts for costs; 1 if undefined. */
  readonly size?: number;
  readonly text?: string;
}

export const NO_OVERLOAD = new CelError('no such overload');

export const isError = (value: Result | undefined): value is CelError => value instanceof CelError;

/** The error itself if it is one, else that there is no overload for the value. */
export const noOverload = (value: Result): CelError => (value instanceof CelError ? value : NO_OVERLOAD);

export const isInt = (value: Result): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint';

/** Numbers that are exact are no bigints. */
export const normalInt = (value: bigint): number | bigint =>
  value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;

export const isList = (value: Result): value is ListValue =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'list';

export const isMapValue = (value: Result): value is MapValue =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'map';

const LIST = listOf(DYN);
const MAP = mapOf(DYN, DYN);
const OPTIONAL = optionalOf(DYN);

/** The type of a value as it is met at run time: parts are not looked at. */
export function typeOfValue(value: CelValue): CelType {
  switch (typeof value) {
    case 'boolean':
      return BOOL;
    case 'number':
    case 'bigint':
      return INT;
    case 'string':
      return STRING;
    default:
      return value === null ? NULL : value instanceof Uint8Array ? BYTES : typeOfObject(value);
  }
}

function typeOfObject(value: ValueObject): CelType {
  switch (value.kind) {
    case 'double':
      return DOUBLE;
    case 'uint':
      return UINT;
    case 'list':
      return LIST;
    case 'map':
      return MAP;
    case 'timestamp':
      return TIMESTAMP;
    case 'duration':
      return DURATION;
    case 'optional':
      return OPTIONAL;
    case 'type':
      return TYPE;
    case 'opaque':
      return value.type;
  }
}
