/**
 * Variables and what is selected of them (`self.spec.list[0].?name`): one unit, as in cel-go, because that is how
 * costs are counted: one for the variable and one for each selection.
 */
import { EmptyMessage } from '../library/messages.ts';
import { sameNumbers, ValueList, ValueMap } from '../values/containers.ts';
import { shown } from '../values/text.ts';
import {
  CelError,
  type CelValue,
  Double,
  Duration,
  isError,
  isInt,
  isList,
  isMapValue,
  NO_OVERLOAD,
  Optional,
  type Result,
  Timestamp,
  typeOfValue,
  Uint,
} from '../values/value.ts';
import type { Evaluator, Frame } from './frame.ts';

export interface Qualifier {
  /** A name or a constant index; else it is found out each time. */
  readonly key: CelValue | Evaluator;
  readonly isOptional: boolean;
  /** `has(…)` */
  readonly isTest: boolean;
}

/** Where selection begins. */
export type Root =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'local'; readonly slot: number }
  | { readonly kind: 'value'; readonly evaluate: Evaluator }
  | {
      readonly kind: 'choice';
      readonly condition: Evaluator;
      readonly yes: Attribute;
      readonly no: Attribute;
    };

export class Attribute {
  readonly #root: Root;
  readonly #qualifiers: Qualifier[] = [];

  constructor(root: Root) {
    this.#root = root;
  }

  /** Undefined: it was added; else why no value at all can be looked into with it. */
  add(qualifier: Qualifier): string | undefined {
    const { key } = qualifier;
    const misfit = typeof key === 'function' ? undefined : goTypeOfMisfit(key);
    if (misfit !== undefined) return `invalid qualifier type: ${misfit}`;
    if (this.#root.kind === 'choice') {
      this.#root.yes.add(qualifier);
      this.#root.no.add(qualifier);
    } else this.#qualifiers.push(qualifier);
    return undefined;
  }

  /** With its own cost. */
  evaluate(frame: Frame): Result {
    const isTest = this.#qualifiers.at(-1)?.isTest === true;
    if (this.#root.kind !== 'choice' && !isTest) frame.charge(1);
    const result = this.resolve(frame);
    if (!this.#isTest()) return result;
    return result instanceof Optional ? result.value !== undefined : result;
  }

  #isTest(): boolean {
    if (this.#root.kind === 'choice') return this.#root.yes.#isTest();
    return this.#qualifiers.at(-1)?.isTest === true;
  }

  /** As part of something else, which pays for it. */
  resolve(frame: Frame): Result {
    const root = this.#root;
    switch (root.kind) {
      case 'variable': {
        const value = frame.resolve(root.name);
        if (value === undefined) return new CelError(`no such attribute(s): ${root.name}`);
        return this.#select(frame, value);
      }
      case 'local':
        return this.#select(frame, frame.locals[root.slot] ?? null);
      case 'value':
        return this.#select(frame, root.evaluate(frame));
      case 'choice': {
        const condition = root.condition(frame);
        if (condition === true) return root.yes.resolve(frame);
        if (condition === false) return root.no.resolve(frame);
        return isError(condition) ? condition : NO_OVERLOAD;
      }
    }
  }

  #select(frame: Frame, from: Result): Result {
    if (isError(from)) return from;
    let value: CelValue = from;
    let isOptional = false;
    if (value instanceof Optional && this.#qualifiers.length > 0) {
      if (value.value === undefined) return value;
      value = bare(value.value);
      isOptional = true;
    }
    for (const qualifier of this.#qualifiers) {
      isOptional ||= qualifier.isOptional;
      const found = qualified(frame, value, qualifier, isOptional);
      if (found === undefined) return Optional.NONE;
      if (isError(found)) return found;
      value = found;
    }
    return isOptional ? new Optional(value) : value;
  }
}

/** What is in an optional has lost its schema: names are not unescaped, formats not read. */
const bare = (value: CelValue): CelValue =>
  typeof value === 'object' && value !== null && 'bare' in value ? (value.bare as () => CelValue)() : value;

/** Undefined: an optional selection finds nothing. */
function qualified(
  frame: Frame,
  value: CelValue,
  { key: given, isTest }: Qualifier,
  isOptional: boolean,
): Result | undefined {
  const key = typeof given === 'function' ? given(frame) : given;
  if (isError(key)) return key;
  const found = find(value, key, isOptional || isTest);
  if (!isOptional || isTest || found !== undefined) frame.charge(1);
  if (isTest && !isOptional) return isError(found) ? found : found !== undefined;
  return found;
}

function find(value: CelValue, key: CelValue, isAbsentAllowed: boolean): Result | undefined {
  const type = goTypeOfMisfit(key);
  if (type !== undefined) return new CelError(`invalid qualifier type: ${type}`);
  if (isMapValue(value)) {
    const found = value.find(key);
    return found === undefined && !isAbsentAllowed ? missing(key) : found;
  }
  if (isList(value)) {
    const index = indexOf(key);
    if (isError(index)) return index;
    if (index >= 0 && index < value.size) return value.get(Number(index));
    return isAbsentAllowed ? undefined : new CelError(`index out of bounds: ${shown(key)}`);
  }
  if (value instanceof EmptyMessage) return new CelError(`no such field '${shown(key)}'`);
  return isAbsentAllowed ? undefined : missing(key);
}

/** What can be neither a key nor an index, by its Go type. */
function goTypeOfMisfit(key: CelValue): string | undefined {
  if (key === null) return 'types.Null';
  if (typeof key !== 'object' || key instanceof Double || key instanceof Uint) return undefined;
  if (key instanceof Timestamp) return 'types.Timestamp';
  if (key instanceof Duration) return 'types.Duration';
  if (key instanceof Uint8Array) return 'types.Bytes';
  if (isList(key)) return key instanceof ValueList ? '*types.baseList' : '*common.unstructuredList';
  if (isMapValue(key)) return key instanceof ValueMap ? '*types.baseMap' : '*common.unstructuredMap';
  if (key instanceof Optional) return '*types.Optional';
  return GO_TYPES[typeOfValue(key).name];
}

const GO_TYPES: Readonly<Record<string, string>> = {
  type: '*types.Type',
  'kubernetes.Quantity': 'cel.Quantity',
  'kubernetes.URL': 'cel.URL',
  'net.IP': 'cel.IP',
  'net.CIDR': 'cel.CIDR',
};

const missing = (key: CelValue): CelError => new CelError(`no such key: ${shown(key)}`);

function indexOf(key: CelValue): number | bigint | CelError {
  if (isInt(key)) return key;
  if (key instanceof Double || key instanceof Uint) {
    const [whole] = sameNumbers(key);
    return whole !== undefined && isInt(whole)
      ? whole
      : new CelError(`unsupported index value ${shown(key)} in list`);
  }
  return new CelError(`unsupported index type '${typeOfValue(key).name}' in list`);
}
