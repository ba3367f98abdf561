/** Macros: calls that are replaced by folds while the expression is read. */
import { type Expression, OPERATOR } from './expression.ts';

/** Accumulator of every fold that a macro makes. */
export const ACCUMULATOR = '__result__';
const UNUSED = '#unused';

export interface MacroCall {
  readonly name: string;
  readonly target: Expression | undefined;
  readonly args: readonly Expression[];
  readonly at: number;
}

export type Expansion =
  | { readonly expression: Expression }
  | { readonly problem: string; readonly at: number }
  /** No macro. */
  | undefined;

export interface KnownMacros {
  readonly hasOptionals: boolean;
  /** `cel.bind(variable, value, expression)`. */
  readonly hasBindings?: boolean;
}

export function expandMacro(call: MacroCall, { hasOptionals, hasBindings = false }: KnownMacros): Expansion {
  const { name, target, args } = call;
  const [first, second, third] = args;
  if (!target) return name === 'has' && args.length === 1 && first ? expandHas(call, first) : undefined;
  if (!first || !second) return undefined;
  const fold: Fold = { ...call, range: target, first, body: second };
  const isBinding = name === 'bind' && target.kind === 'ident' && target.name === 'cel';
  if (args.length === 3 && isBinding && hasBindings && third) return expandBinding(fold, third);
  if (args.length === 3)
    return name === 'map' && third ? expandMap({ ...fold, body: third }, second) : undefined;
  if (args.length !== 2) return undefined;
  switch (name) {
    case 'all':
    case 'exists':
    case 'exists_one':
      return expandQuantifier(fold);
    case 'map':
      return expandMap(fold);
    case 'filter':
      return expandFilter(fold);
    case 'optMap':
    case 'optFlatMap':
      return hasOptionals ? expandOptional(fold) : undefined;
    default:
      return undefined;
  }
}

interface Fold extends MacroCall {
  readonly range: Expression;
  /** Should be the variable. */
  readonly first: Expression;
  readonly body: Expression;
}

function expandHas({ at }: MacroCall, argument: Expression): Expansion {
  if (argument.kind !== 'select') return { problem: 'invalid argument to has() macro', at: argument.at };
  const { operand, field } = argument;
  return { expression: { kind: 'select', operand, field, isTest: true, at } };
}

const literal = (value: boolean | number, at: number): Expression => ({ kind: 'literal', value, at });
const ident = (name: string, at: number): Expression => ({ kind: 'ident', name, at });
const call = (at: number, name: string, ...args: readonly Expression[]): Expression => ({
  kind: 'call',
  name,
  args,
  at,
});
const listOf = (at: number, ...elements: readonly Expression[]): Expression => ({
  kind: 'list',
  elements,
  optional: new Set(),
  at,
});

function expandQuantifier({ name, range, first, body, at }: Fold): Expansion {
  if (first.kind !== 'ident') return { problem: 'argument must be a simple name', at: first.at };
  const accumulated = ident(ACCUMULATOR, at);
  const base = { kind: 'comprehension', range, variable: first.name, accumulator: ACCUMULATOR, at } as const;
  if (name === 'exists_one') {
    const one = call(at, OPERATOR.add, accumulated, literal(1, at));
    return {
      expression: {
        ...base,
        initial: literal(0, at),
        condition: literal(true, at),
        step: call(at, OPERATOR.conditional, body, one, accumulated),
        result: call(at, OPERATOR.equals, accumulated, literal(1, at)),
      },
    };
  }
  const isAll = name === 'all';
  const going = isAll ? accumulated : call(at, OPERATOR.not, accumulated);
  return {
    expression: {
      ...base,
      initial: literal(isAll, at),
      condition: call(at, OPERATOR.notStrictlyFalse, going),
      step: call(at, isAll ? OPERATOR.and : OPERATOR.or, accumulated, body),
      result: accumulated,
    },
  };
}

function expandMap({ range, first, body, at }: Fold, filter?: Expression): Expansion {
  if (first.kind !== 'ident') return { problem: 'argument is not an identifier', at: first.at };
  const accumulated = ident(ACCUMULATOR, at);
  const step = call(at, OPERATOR.add, accumulated, listOf(at, body));
  return {
    expression: {
      kind: 'comprehension',
      range,
      variable: first.name,
      accumulator: ACCUMULATOR,
      initial: listOf(at),
      condition: literal(true, at),
      step: filter ? call(at, OPERATOR.conditional, filter, step, accumulated) : step,
      result: accumulated,
      at,
    },
  };
}

/** Nothing is folded: the accumulator is the variable. */
function expandBinding({ first, body: initial, at }: Fold, result: Expression): Expansion {
  if (first.kind !== 'ident')
    return { problem: 'cel.bind() variable names must be simple identifiers', at: first.at };
  return {
    expression: {
      kind: 'comprehension',
      range: listOf(at),
      variable: UNUSED,
      accumulator: first.name,
      initial,
      condition: literal(false, at),
      step: ident(first.name, at),
      result,
      at,
    },
  };
}

function expandFilter(fold: Fold): Expansion {
  return expandMap({ ...fold, body: fold.first }, fold.body);
}

/** `x.optMap(v, f)`: `x.hasValue() ? optional.of(f with v = x.value()) : optional.none()`. */
function expandOptional({ name, range, first, body, at }: Fold): Expansion {
  if (first.kind !== 'ident')
    return { problem: `${name}() variable name must be a simple identifier`, at: first.at };
  const bound: Expression = {
    kind: 'comprehension',
    range: listOf(at),
    variable: UNUSED,
    accumulator: first.name,
    initial: { kind: 'call', name: 'value', target: range, args: [], at },
    condition: literal(false, at),
    step: ident(first.name, at),
    result: body,
    at,
  };
  const present: Expression = { kind: 'call', name: 'hasValue', target: range, args: [], at };
  const some = name === 'optMap' ? call(at, 'optional.of', bound) : bound;
  return { expression: call(at, OPERATOR.conditional, present, some, call(at, 'optional.none')) };
}
