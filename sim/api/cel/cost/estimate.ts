/**
 * Estimates what an expression may cost before it has run: sizes are taken from literals and from the bounds
 * of the schema, and what is not known is taken to be endless. Figures and gaps are those of cel-go.
 */
import { type CallExpression, type ComprehensionExpression, type Expression } from '../syntax/expression.ts';
import { ACCUMULATOR } from '../syntax/macros.ts';
import type { Checked } from '../types/checker.ts';
import { type CelType, DYN } from '../types/type.ts';
import { characterCount } from '../values/text.ts';
import { estimateCall, type Estimated } from './estimate-call.ts';
import { ONE, plus, type Range, range, sum, times, UNBOUNDED, union, ZERO } from './range.ts';

/** Bounds of what is found along a path from a variable; elements are `@items`, `@keys`, `@values`. */
export type SizeOf = (path: readonly string[]) => Range | undefined;

export function estimateCost(checked: Checked, sizeOf: SizeOf): Range {
  return new Estimator(checked, sizeOf).cost(checked.expression);
}

const LIST_COST = range(10);
const MAP_COST = range(30);
const STRUCT_COST = range(40);
const SCALARS: ReadonlySet<string> = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);

class Estimator {
  readonly #checked: Checked;
  readonly #sizeOf: SizeOf;
  readonly #paths = new Map<Expression, readonly string[]>();
  readonly #sizes = new Map<Expression, Range>();
  /** Ranges of the variables of the comprehensions around. */
  readonly #iterated: { readonly name: string; readonly over: Expression }[] = [];

  constructor(checked: Checked, sizeOf: SizeOf) {
    this.#checked = checked;
    this.#sizeOf = sizeOf;
  }

  cost(expression: Expression): Range {
    const reference = this.#checked.references.get(expression);
    if (reference?.kind === 'variable') return this.#ident(expression, reference.name);
    switch (expression.kind) {
      case 'literal':
        return ZERO;
      case 'ident':
        return this.#ident(expression, expression.name);
      case 'select': {
        const { operand, field, isTest } = expression;
        const cost = this.cost(operand);
        if (isTest) return cost;
        this.#paths.set(expression, [...(this.#paths.get(operand) ?? []), field]);
        const { kind } = this.#typeOf(operand);
        return kind === 'map' || kind === 'struct' || kind === 'parameter' ? plus(cost, ONE) : cost;
      }
      case 'call':
        return this.#call(expression);
      case 'list':
        return plus(sum(expression.elements.map((element) => this.cost(element))), LIST_COST);
      case 'map':
        return plus(
          sum(expression.entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)])),
          MAP_COST,
        );
      case 'struct':
        return plus(sum(expression.fields.map(({ value }) => this.cost(value))), STRUCT_COST);
      case 'comprehension':
        return this.#comprehension(expression);
    }
  }

  #typeOf(expression: Expression): CelType {
    return this.#checked.types.get(expression) ?? DYN;
  }

  #ident(expression: Expression, name: string): Range {
    const over = this.#iterated.findLast((each) => each.name === name)?.over;
    if (!over) this.#paths.set(expression, [name]);
    else {
      const { kind } = this.#typeOf(over);
      const path = this.#paths.get(over) ?? [];
      if (kind === 'list') this.#paths.set(expression, [...path, '@items']);
      if (kind === 'map') this.#paths.set(expression, [...path, '@keys']);
    }
    return ONE;
  }

  #node(expression: Expression): Estimated {
    const path = this.#paths.get(expression);
    return {
      expression,
      type: this.#typeOf(expression),
      path: path?.[0] === ACCUMULATOR ? undefined : path,
      size: this.#sizes.get(expression) ?? literalSize(expression),
    };
  }

  /** Of libraries: what is not known is endless, scalars too. */
  readonly #librarySize = ({ size, path }: Estimated): Range =>
    size ?? (path && path.length > 0 ? this.#sizeOf(path) : undefined) ?? range(0, UNBOUNDED);

  readonly #size = (node: Estimated): Range => {
    const { size, path, type } = node;
    if (size) return size;
    const known = path && path.length > 0 ? this.#sizeOf(path) : undefined;
    return known ?? (SCALARS.has(type.kind) ? ONE : range(0, UNBOUNDED));
  };

  #call(expression: CallExpression): Range {
    const { args, target } = expression;
    const costs = args.map((arg) => this.cost(arg));
    const reference = this.#checked.references.get(expression);
    if (reference?.kind !== 'function' || reference.overloads.length === 0) return ZERO;
    const hasTarget = target !== undefined && !reference.isQualified;
    const targetCost = hasTarget ? this.cost(target) : ZERO;
    const nodes = args.map((arg) => this.#node(arg));
    const own = hasTarget ? this.#node(target) : undefined;
    let total: Range = { min: UNBOUNDED, max: 0 };
    let size: Range | undefined;
    for (const overload of reference.overloads) {
      const estimate = estimateCall({
        name: reference.declaration.name,
        overload,
        target: own,
        args: nodes,
        costs,
        size: this.#size,
        librarySize: this.#librarySize,
      });
      total = union(total, estimate.cost);
      if (estimate.size) size = size ? union(size, estimate.size) : estimate.size;
      this.#follow(expression, overload);
    }
    if (size) this.#sizes.set(expression, size);
    return plus(targetCost, total);
  }

  /** What is found by an index has the bounds of the elements. */
  #follow(expression: CallExpression, overload: string): void {
    const [container] = expression.args;
    const path = container && this.#paths.get(container);
    if (overload === 'index_list') this.#paths.set(expression, [...(path ?? []), '@items']);
    if (overload === 'index_map') this.#paths.set(expression, [...(path ?? []), '@values']);
  }

  #comprehension(fold: ComprehensionExpression): Range {
    const before = plus(this.cost(fold.range), this.cost(fold.initial));
    this.#iterated.push({ name: fold.variable, over: fold.range });
    const each = plus(this.cost(fold.condition), this.cost(fold.step));
    this.#iterated.pop();
    const after = plus(before, this.cost(fold.result));
    const count = this.#size(this.#node(fold.range));
    this.#sizes.set(fold, count);
    return plus(after, times(count, each));
  }
}

function literalSize(expression: Expression): Range | undefined {
  switch (expression.kind) {
    case 'literal': {
      const { value } = expression;
      if (typeof value === 'string') return range(characterCount(value));
      return value instanceof Uint8Array ? range(value.length) : ONE;
    }
    case 'list':
      return range(expression.elements.length);
    case 'map':
      return range(expression.entries.length);
    default:
      return undefined;
  }
}
