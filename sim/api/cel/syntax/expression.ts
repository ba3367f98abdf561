/** The tree of an expression, as parsed and with its macros expanded. Knows no types; places are offsets in characters. */
import type { CelValue } from '../values/value.ts';

export type Expression =
  | LiteralExpression
  | IdentExpression
  | SelectExpression
  | CallExpression
  | ListExpression
  | MapExpression
  | StructExpression
  | ComprehensionExpression;

interface Node {
  /** Offset, in code points, at which errors about this node are shown. */
  readonly at: number;
}

export interface LiteralExpression extends Node {
  readonly kind: 'literal';
  readonly value: CelValue;
}

export interface IdentExpression extends Node {
  readonly kind: 'ident';
  readonly name: string;
}

export interface SelectExpression extends Node {
  readonly kind: 'select';
  readonly operand: Expression;
  readonly field: string;
  /** `has(operand.field)` */
  readonly isTest: boolean;
}

export interface CallExpression extends Node {
  readonly kind: 'call';
  readonly name: string;
  readonly target?: Expression;
  readonly args: readonly Expression[];
}

export interface ListExpression extends Node {
  readonly kind: 'list';
  readonly elements: readonly Expression[];
  /** Indexes of elements written `?element`. */
  readonly optional: ReadonlySet<number>;
}

export interface MapEntry {
  readonly at: number;
  readonly key: Expression;
  readonly value: Expression;
  readonly isOptional: boolean;
}

export interface MapExpression extends Node {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

export interface StructField {
  readonly at: number;
  readonly name: string;
  readonly value: Expression;
  readonly isOptional: boolean;
}

export interface StructExpression extends Node {
  readonly kind: 'struct';
  readonly typeName: string;
  readonly fields: readonly StructField[];
}

/** What macros become: a fold over a range. */
export interface ComprehensionExpression extends Node {
  readonly kind: 'comprehension';
  readonly range: Expression;
  readonly variable: string;
  readonly accumulator: string;
  readonly initial: Expression;
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}

/** Names of operators, as error messages show them. */
export const OPERATOR = {
  conditional: '_?_:_',
  and: '_&&_',
  or: '_||_',
  not: '!_',
  notStrictlyFalse: '@not_strictly_false',
  equals: '_==_',
  notEquals: '_!=_',
  less: '_<_',
  lessEquals: '_<=_',
  greater: '_>_',
  greaterEquals: '_>=_',
  add: '_+_',
  subtract: '_-_',
  multiply: '_*_',
  divide: '_/_',
  modulo: '_%_',
  negate: '-_',
  index: '_[_]',
  in: '@in',
  optionalSelect: '_?._',
  optionalIndex: '_[?_]',
} as const;

/** Direct parts, in the order in which they are written. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'literal':
    case 'ident':
      return [];
    case 'select':
      return [expression.operand];
    case 'call':
      return expression.target ? [expression.target, ...expression.args] : expression.args;
    case 'list':
      return expression.elements;
    case 'map':
      return expression.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return expression.fields.map(({ value }) => value);
    case 'comprehension': {
      const { range, initial, condition, step, result } = expression;
      return [range, initial, condition, step, result];
    }
  }
}

/** `a.b.c` as a name; undefined for anything else. */
export function qualifiedName(expression: Expression): string | undefined {
  if (expression.kind === 'ident') return expression.name;
  if (expression.kind !== 'select' || expression.isTest) return undefined;
  const prefix = qualifiedName(expression.operand);
  return prefix === undefined ? undefined : `${prefix}.${expression.field}`;
}
