/** Operators: the types they take. */
import {
  type FunctionDeclaration,
  type Implementation,
  type Library,
  method,
  overload,
} from '../types/declarations.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  INT,
  listOf,
  mapOf,
  parameter,
  STRING,
  TIMESTAMP,
  typeOfType,
  UINT,
} from '../types/type.ts';
import { OPERATOR } from '../syntax/expression.ts';
import { add, divide, modulo, multiply, negate, subtract } from '../values/arithmetic.ts';
import { compare, isComparable } from '../values/equality.ts';
import { characterCount } from '../values/text.ts';
import {
  CelError,
  type CelValue,
  Duration,
  isError,
  isList,
  isMapValue,
  NO_OVERLOAD,
  type Result,
  Timestamp,
  typeOfValue,
  TypeValue,
} from '../values/value.ts';

const A = parameter('A');
const B = parameter('B');
const LIST = listOf(A);
const MAP = mapOf(A, B);

type Row = readonly [id: string, left: CelType, right: CelType, result: CelType];

function binary(name: string, rows: readonly Row[], call?: Implementation): FunctionDeclaration {
  const overloads = rows.map(([id, left, right, result]) => overload(id, [left, right], result));
  return { name, overloads, ...(call && { call }) };
}

/** Every pair of types that an order is defined for. */
function ordered(name: string, id: string, isTrue: (order: number) => boolean): FunctionDeclaration {
  const same: readonly (readonly [string, CelType])[] = [
    ['bool', BOOL],
    ['int64', INT],
    ['uint64', UINT],
    ['double', DOUBLE],
    ['string', STRING],
    ['bytes', BYTES],
    ['timestamp', TIMESTAMP],
    ['duration', DURATION],
  ];
  const numbers = same.filter(([, type]) => type === INT || type === UINT || type === DOUBLE);
  const rows: Row[] = same.map(([word, type]) => [`${id}_${word}`, type, type, BOOL]);
  for (const [left, leftType] of numbers)
    for (const [right, rightType] of numbers)
      if (left !== right) rows.push([`${id}_${left}_${right}`, leftType, rightType, BOOL]);
  return binary(name, rows, (a = null, b = null) => {
    if (!isComparable(a)) return new CelError(`no such overload: ${name}`);
    const order = compare(a, b);
    return typeof order === 'number' ? isTrue(order) : order;
  });
}

export function sizeOf(value: CelValue): Result {
  if (typeof value === 'string') return characterCount(value);
  if (value instanceof Uint8Array) return value.length;
  if (isList(value) || isMapValue(value)) return value.size;
  // These are asked themselves, and say less.
  if (value instanceof Timestamp || value instanceof Duration) return NO_OVERLOAD;
  return new CelError('no such overload: size');
}

export function isIn(element: CelValue, container: CelValue): Result {
  if (isList(container)) return container.contains(element);
  if (!isMapValue(container)) return NO_OVERLOAD;
  const found = container.find(element);
  return isError(found) ? found : found !== undefined;
}

const both =
  (call: (a: CelValue, b: CelValue) => Result): Implementation =>
  (a = null, b = null) =>
    call(a, b);

const ARITHMETIC: readonly FunctionDeclaration[] = [
  binary(
    OPERATOR.add,
    [
      ['add_bytes', BYTES, BYTES, BYTES],
      ['add_double', DOUBLE, DOUBLE, DOUBLE],
      ['add_duration_duration', DURATION, DURATION, DURATION],
      ['add_duration_timestamp', DURATION, TIMESTAMP, TIMESTAMP],
      ['add_timestamp_duration', TIMESTAMP, DURATION, TIMESTAMP],
      ['add_int64', INT, INT, INT],
      ['add_list', LIST, LIST, LIST],
      ['add_string', STRING, STRING, STRING],
      ['add_uint64', UINT, UINT, UINT],
    ],
    both(add),
  ),
  binary(
    OPERATOR.divide,
    [
      ['divide_double', DOUBLE, DOUBLE, DOUBLE],
      ['divide_int64', INT, INT, INT],
      ['divide_uint64', UINT, UINT, UINT],
    ],
    both(divide),
  ),
  binary(
    OPERATOR.modulo,
    [
      ['modulo_int64', INT, INT, INT],
      ['modulo_uint64', UINT, UINT, UINT],
    ],
    both(modulo),
  ),
  binary(
    OPERATOR.multiply,
    [
      ['multiply_double', DOUBLE, DOUBLE, DOUBLE],
      ['multiply_int64', INT, INT, INT],
      ['multiply_uint64', UINT, UINT, UINT],
    ],
    both(multiply),
  ),
  {
    name: OPERATOR.negate,
    overloads: [overload('negate_double', [DOUBLE], DOUBLE), overload('negate_int64', [INT], INT)],
    call: (value = null) => negate(value),
  },
  binary(
    OPERATOR.subtract,
    [
      ['subtract_double', DOUBLE, DOUBLE, DOUBLE],
      ['subtract_duration_duration', DURATION, DURATION, DURATION],
      ['subtract_int64', INT, INT, INT],
      ['subtract_timestamp_duration', TIMESTAMP, DURATION, TIMESTAMP],
      ['subtract_timestamp_timestamp', TIMESTAMP, TIMESTAMP, DURATION],
      ['subtract_uint64', UINT, UINT, UINT],
    ],
    both(subtract),
  ),
];

const LOGIC: readonly FunctionDeclaration[] = [
  { name: OPERATOR.conditional, overloads: [overload('conditional', [BOOL, A, A], A)] },
  binary(OPERATOR.and, [['logical_and', BOOL, BOOL, BOOL]]),
  binary(OPERATOR.or, [['logical_or', BOOL, BOOL, BOOL]]),
  {
    name: OPERATOR.not,
    overloads: [overload('logical_not', [BOOL], BOOL)],
    call: (value = null) => (typeof value === 'boolean' ? !value : NO_OVERLOAD),
  },
  { name: OPERATOR.notStrictlyFalse, overloads: [overload('not_strictly_false', [BOOL], BOOL)] },
  binary(OPERATOR.equals, [['equals', A, A, BOOL]]),
  binary(OPERATOR.notEquals, [['not_equals', A, A, BOOL]]),
];

const CONTAINERS: readonly FunctionDeclaration[] = [
  binary(OPERATOR.index, [
    ['index_list', LIST, INT, A],
    ['index_map', MAP, A, B],
  ]),
  binary(
    OPERATOR.in,
    [
      ['in_list', A, LIST, BOOL],
      ['in_map', A, MAP, BOOL],
    ],
    both(isIn),
  ),
  {
    name: 'size',
    overloads: (
      [
        ['bytes', BYTES],
        ['list', LIST],
        ['map', MAP],
        ['string', STRING],
      ] as const
    ).flatMap(([word, type]) => [overload(`size_${word}`, [type], INT), method(`${word}_size`, [type], INT)]),
    call: (value = null) => sizeOf(value),
  },
  {
    name: 'type',
    overloads: [overload('type', [A], typeOfType(A))],
    call: (value = null) => new TypeValue(typeOfValue(value).name),
  },
];

export const OPERATORS: Library = {
  functions: [
    ...LOGIC,
    ...ARITHMETIC,
    ordered(OPERATOR.less, 'less', (order) => order < 0),
    ordered(OPERATOR.lessEquals, 'less_equals', (order) => order <= 0),
    ordered(OPERATOR.greater, 'greater', (order) => order > 0),
    ordered(OPERATOR.greaterEquals, 'greater_equals', (order) => order >= 0),
    ...CONTAINERS,
  ],
};
