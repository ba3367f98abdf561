/** Optional values: `optional.of(x)`, `x.?y`, `x.orValue(y)`. */
import { type Library, method, overload } from '../types/declarations.ts';
import { BOOL, DYN, INT, listOf, mapOf, optionalOf, parameter, STRING, typeOfType } from '../types/type.ts';
import { OPERATOR } from '../syntax/expression.ts';
import {
  CelError,
  type CelValue,
  Double,
  Duration,
  isList,
  isMapValue,
  NO_OVERLOAD,
  Optional,
  type Result,
  Timestamp,
  Uint,
} from '../values/value.ts';
import { FIRST_SECOND } from '../values/arithmetic.ts';

const K = parameter('K');
const V = parameter('V');
const OPTIONAL = optionalOf(V);

function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === 0 || value === '') return true;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Double) return value.value === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration) return value.nanos === 0n;
  if (value instanceof Timestamp) return value.seconds === FIRST_SECOND && value.nanos === 0;
  // Lists and maps of objects do not say whether they are empty.
  if (isList(value) || isMapValue(value)) return 'isZero' in value ? value.isZero === true : value.size === 0;
  return false;
}

const EMPTY = new CelError('optional.none() dereference');

const valueOf = (value: CelValue = null): Result =>
  value instanceof Optional ? (value.value === undefined ? EMPTY : value.value) : NO_OVERLOAD;

export const OPTIONALS: Library = {
  functions: [
    {
      name: 'optional.of',
      overloads: [overload('optional_of', [V], OPTIONAL, (value = null) => new Optional(value))],
    },
    {
      name: 'optional.ofNonZeroValue',
      overloads: [
        overload('optional_ofNonZeroValue', [V], OPTIONAL, (value = null) =>
          isZero(value) ? Optional.NONE : new Optional(value),
        ),
      ],
    },
    { name: 'optional.none', overloads: [overload('optional_none', [], OPTIONAL, () => Optional.NONE)] },
    { name: 'value', overloads: [method('optional_value', [OPTIONAL], V, valueOf)] },
    {
      name: 'hasValue',
      overloads: [
        method('optional_hasValue', [OPTIONAL], BOOL, (value) =>
          value instanceof Optional ? value.value !== undefined : NO_OVERLOAD,
        ),
      ],
    },
    { name: 'or', overloads: [method('optional_or_optional', [OPTIONAL, OPTIONAL], OPTIONAL)] },
    { name: 'orValue', overloads: [method('optional_orValue_value', [OPTIONAL, V], V)] },
    {
      name: OPERATOR.optionalSelect,
      overloads: [overload('select_optional_field', [DYN, STRING], OPTIONAL)],
    },
    {
      name: OPERATOR.optionalIndex,
      overloads: [
        overload('list_optindex_optional_int', [listOf(V), INT], OPTIONAL),
        overload('optional_list_optindex_optional_int', [optionalOf(listOf(V)), INT], OPTIONAL),
        overload('map_optindex_optional_value', [mapOf(K, V), K], OPTIONAL),
        overload('optional_map_optindex_optional_value', [optionalOf(mapOf(K, V)), K], OPTIONAL),
      ],
    },
    {
      name: OPERATOR.index,
      overloads: [
        overload('optional_list_index_int', [optionalOf(listOf(V)), INT], OPTIONAL),
        overload('optional_map_index_value', [optionalOf(mapOf(K, V)), K], OPTIONAL),
      ],
    },
  ],
  variables: new Map([['optional_type', typeOfType(OPTIONAL)]]),
};
