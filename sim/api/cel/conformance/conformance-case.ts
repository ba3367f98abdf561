/**
 * A case of the public conformance suite of the language, as its data has it, and what is needed to run it here:
 * types and values of variables, and how an outcome is written so that two can be compared.
 */
import type { SerializedIncrementalTestSuite } from '@bufbuild/cel-spec/testdata/tests.js';
import { BOOL, BYTES, type CelType, DOUBLE, DURATION, DYN, INT, listOf, mapOf, NULL } from '../types/type.ts';
import { STRING, TIMESTAMP, UINT } from '../types/type.ts';
import { itemsOf, ValueList, ValueMap } from '../values/containers.ts';
import { shown } from '../values/text.ts';
import {
  CelError,
  Double,
  isError,
  normalInt,
  type Result,
  typeOfValue,
  TypeValue,
  Uint,
} from '../values/value.ts';

type Json = Readonly<Record<string, unknown>>;

export interface ConformanceCase {
  /** `lists/index/zero_based_int`. */
  readonly name: string;
  readonly expression: string;
  readonly variables: ReadonlyMap<string, CelType>;
  readonly values: ReadonlyMap<string, Result>;
  readonly container: string;
  /** It is meant to run without a look at its types. */
  readonly isUnchecked: boolean;
  /** Only its type is asked. */
  readonly isCheckOnly: boolean;
  /** Undefined: an error. */
  readonly wanted: string | undefined;
  /** All that it says, to see of what it speaks. */
  readonly text: string;
}

export function casesIn(suite: SerializedIncrementalTestSuite, path = ''): readonly ConformanceCase[] {
  const own = (suite.tests ?? []).map(({ original }) => caseOf(original, path));
  return [...own, ...(suite.suites ?? []).flatMap((each) => casesIn(each, `${path}${each.name}/`))];
}

function caseOf(original: Json & { readonly expr: string }, path: string): ConformanceCase {
  const { typedResult, value, evalError, bindings = {}, typeEnv = [] } = original;
  const wanted = (value ?? (typedResult as { readonly result?: unknown } | undefined)?.result) as
    Json | undefined;
  return {
    name: `${path}${textIn(original['name'])}`,
    expression: original.expr,
    variables: new Map(
      (typeEnv as readonly Declared[]).map(({ name, ident }) => [name, typeIn(ident?.type)]),
    ),
    values: new Map(
      Object.entries(bindings as Readonly<Record<string, { readonly value?: Json }>>).map(
        ([name, bound]) => [name, valueIn(bound.value ?? {})] as const,
      ),
    ),
    container: textIn(original['container']),
    isUnchecked: original['disableCheck'] === true,
    isCheckOnly: original['checkOnly'] === true,
    wanted: evalError ? undefined : outcomeText(wanted ? valueIn(wanted) : true),
    text: JSON.stringify(original),
  };
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

interface Declared {
  readonly name: string;
  readonly ident?: { readonly type: Json };
}

const PRIMITIVES: Readonly<Record<string, CelType>> = {
  BOOL,
  INT64: INT,
  UINT64: UINT,
  DOUBLE,
  STRING,
  BYTES,
};
const WELL_KNOWN: Readonly<Record<string, CelType>> = { TIMESTAMP, DURATION };

/** Types of messages and functions are dyn: cases about those do not apply. */
function typeIn(type: Json | undefined): CelType {
  const primitive = PRIMITIVES[textIn(type?.['primitive'])] ?? WELL_KNOWN[textIn(type?.['wellKnown'])];
  if (primitive) return primitive;
  if (type?.['null'] !== undefined) return NULL;
  const list = type?.['listType'] as { readonly elemType?: Json } | undefined;
  if (list) return listOf(typeIn(list.elemType));
  const map = type?.['mapType'] as { readonly keyType?: Json; readonly valueType?: Json } | undefined;
  return map ? mapOf(typeIn(map.keyType), typeIn(map.valueType)) : DYN;
}

function valueIn(value: Json): Exclude<Result, { readonly kind: 'error' }> {
  const [[kind, content] = ['nullValue', null]] = Object.entries(value);
  switch (kind) {
    case 'int64Value':
      return normalInt(BigInt(String(content)));
    case 'uint64Value':
      return new Uint(BigInt(String(content)));
    case 'doubleValue':
      return new Double(Number(content));
    case 'bytesValue':
      return Uint8Array.from(atob(String(content)), (character) => character.charCodeAt(0));
    case 'boolValue':
      return content === true;
    case 'stringValue':
      return String(content);
    case 'typeValue':
      return new TypeValue(String(content));
    case 'listValue':
      return new ValueList(((content as { readonly values?: readonly Json[] }).values ?? []).map(valueIn));
    case 'mapValue':
      return new ValueMap(
        (
          (content as { readonly entries?: readonly { readonly key: Json; readonly value: Json }[] })
            .entries ?? []
        ).map((entry) => [valueIn(entry.key), valueIn(entry.value)] as const),
      );
    default:
      return null;
  }
}

/** With types, since 1 is not 1u; entries of maps in the order of their keys. Undefined: an error. */
export function outcomeText(value: Result): string | undefined {
  if (isError(value)) return undefined;
  if (typeof value === 'object' && value !== null && 'kind' in value) {
    if (value.kind === 'list') {
      const items = itemsOf(value);
      return items instanceof CelError ? undefined : `[${items.map(outcomeText).join(', ')}]`;
    }
    if (value.kind === 'map')
      return `{${value
        .keys()
        .map((key) => `${outcomeText(key)}: ${outcomeText(value.find(key) ?? null)}`)
        .toSorted()
        .join(', ')}}`;
  }
  return `${typeOfValue(value).name} ${shown(value)}`;
}
