/**
 * Turns a checked expression into closures, once. What is constant is worked out here; a constant that cannot be
 * (`int("x")`) refuses the expression.
 */
import {
  type CallExpression,
  type ComprehensionExpression,
  type Expression,
  type ListExpression,
  type MapExpression,
  type StructExpression,
  OPERATOR,
} from '../syntax/expression.ts';
import type { Checked, Reference } from '../types/checker.ts';
import type { FunctionDeclaration, Implementation } from '../types/declarations.ts';
import { DYN, isDyn } from '../types/type.ts';
import { type CallCost, callCost } from '../cost/call-cost.ts';
import { ValueList, ValueMap } from '../values/containers.ts';
import {
  CelError,
  type CelValue,
  isError,
  NO_OVERLOAD,
  Optional,
  type Result,
  TypeValue,
} from '../values/value.ts';
import { ENUM_VALUES, MESSAGES } from '../library/messages.ts';
import { patternOf } from '../library/regex.ts';
import { Attribute } from './attribute.ts';
import { comprehension } from './comprehension.ts';
import { implementationOf } from './dispatch.ts';
import { equality, junction, listMembership, mapBuilder, listBuilder, messageBuilder } from './operators.ts';
import { type Evaluator, Frame } from './frame.ts';

/** A constant is no good. */
export class PlanProblem extends Error {}

/** Something planned: a constant, an attribute that more may be selected of, or anything else. */
type Planned =
  | { readonly kind: 'constant'; readonly value: CelValue }
  | { readonly kind: 'attribute'; readonly attribute: Attribute }
  | { readonly kind: 'other'; readonly evaluate: Evaluator };

/** @throws PlanProblem */
export function plan(checked: Checked, hasLibraryCosts: boolean): Evaluator {
  return evaluatorOf(new Planner(checked, hasLibraryCosts).plan(checked.expression));
}

function evaluatorOf(planned: Planned): Evaluator {
  switch (planned.kind) {
    case 'constant': {
      const { value } = planned;
      return () => value;
    }
    case 'attribute': {
      const { attribute } = planned;
      return (frame) => attribute.evaluate(frame);
    }
    case 'other':
      return planned.evaluate;
  }
}

const other = (evaluate: Evaluator): Planned => ({ kind: 'other', evaluate });
const constant = (value: CelValue): Planned => ({ kind: 'constant', value });

const CONVERSIONS: ReadonlySet<string> = new Set([
  ...['bool', 'bytes', 'double', 'duration', 'dyn', 'int', 'string', 'timestamp', 'type', 'uint'],
]);
const NOTHING = new Frame(() => undefined, Number.POSITIVE_INFINITY);

class Planner {
  readonly #checked: Checked;
  readonly #hasLibraryCosts: boolean;
  /** Names of the comprehensions around, by slot. */
  readonly #locals: string[] = [];

  constructor(checked: Checked, hasLibraryCosts: boolean) {
    this.#checked = checked;
    this.#hasLibraryCosts = hasLibraryCosts;
  }

  plan(expression: Expression): Planned {
    const reference = this.#checked.references.get(expression);
    if (reference?.kind === 'variable') return this.#variable(expression, reference.name);
    switch (expression.kind) {
      case 'literal':
        return constant(expression.value);
      case 'select':
        return this.#selected(expression.operand, {
          key: expression.field,
          isOptional: false,
          isTest: expression.isTest,
        });
      case 'call':
        return this.#call(expression, reference);
      case 'list':
        return this.#list(expression);
      case 'map':
        return this.#map(expression);
      case 'comprehension':
        return this.#comprehension(expression);
      case 'struct':
        return this.#struct(expression);
      default:
        throw new PlanProblem(`unsupported expr: ${expression.kind}`);
    }
  }

  #evaluator(expression: Expression): Evaluator {
    return evaluatorOf(this.plan(expression));
  }

  #variable(expression: Expression, name: string): Planned {
    const slot = this.#locals.lastIndexOf(name);
    if (slot >= 0) return { kind: 'attribute', attribute: new Attribute({ kind: 'local', slot }) };
    const type = this.#checked.types.get(expression) ?? DYN;
    const enumerated = ENUM_VALUES.get(name);
    if (enumerated !== undefined) return constant(enumerated);
    if (type.kind === 'type' && (type.parameters[0]?.isWrapper || type.parameters[0]?.kind === 'any'))
      throw new PlanProblem(`reference to undefined type: ${name}`);
    if (type.kind === 'type') return constant(new TypeValue(type.parameters[0]?.name ?? name));
    return { kind: 'attribute', attribute: new Attribute({ kind: 'variable', name }) };
  }

  #attributeOf(planned: Planned): Attribute {
    if (planned.kind === 'attribute') return planned.attribute;
    return new Attribute({ kind: 'value', evaluate: evaluatorOf(planned) });
  }

  #selected(operand: Expression, qualifier: Parameters<Attribute['add']>[0]): Planned {
    const attribute = this.#attributeOf(this.plan(operand));
    const problem = attribute.add(qualifier);
    if (problem !== undefined) throw new PlanProblem(problem);
    return { kind: 'attribute', attribute };
  }

  #call(expression: CallExpression, reference: Reference | undefined): Planned {
    if (reference?.kind !== 'function') throw new PlanProblem(`no such overload: ${expression.name}`);
    const { declaration } = reference;
    const hasTarget = expression.target !== undefined && !reference.isQualified;
    const args = hasTarget && expression.target ? [expression.target, ...expression.args] : expression.args;
    const [first, second, third] = args;
    switch (declaration.name) {
      case OPERATOR.and:
      case OPERATOR.or:
        return other(
          junction(
            args.map((arg) => this.#evaluator(arg)),
            declaration.name === OPERATOR.or,
          ),
        );
      case OPERATOR.conditional:
        return first && second && third ? this.#conditional(first, second, third) : constant(null);
      case OPERATOR.index:
      case OPERATOR.optionalSelect:
      case OPERATOR.optionalIndex: {
        const isOptional = declaration.name !== OPERATOR.index;
        return first && second ? this.#index(first, second, isOptional) : constant(null);
      }
      default:
        return this.#function(args, reference);
    }
  }

  #conditional(condition: Expression, yes: Expression, no: Expression): Planned {
    const root = {
      kind: 'choice',
      condition: this.#evaluator(condition),
      yes: this.#attributeOf(this.plan(yes)),
      no: this.#attributeOf(this.plan(no)),
    } as const;
    return { kind: 'attribute', attribute: new Attribute(root) };
  }

  #index(operand: Expression, index: Expression, isOptional: boolean): Planned {
    const planned = this.plan(index);
    // An index is not paid for as a variable: what is selected by it is.
    const key =
      planned.kind === 'constant'
        ? planned.value
        : planned.kind === 'attribute'
          ? (frame: Frame) => planned.attribute.resolve(frame)
          : planned.evaluate;
    return this.#selected(operand, { key, isOptional, isTest: false });
  }

  #function(args: readonly Expression[], reference: Extract<Reference, { kind: 'function' }>): Planned {
    const { declaration, overloads } = reference;
    const planned = args.map((arg) => this.plan(arg));
    const [first, second] = planned;
    const only = overloads.length === 1 ? (overloads[0] ?? '') : '';
    switch (declaration.name) {
      case OPERATOR.equals:
      case OPERATOR.notEquals:
        if (first && second)
          return other(
            equality(evaluatorOf(first), evaluatorOf(second), declaration.name === OPERATOR.notEquals),
          );
        break;
      case OPERATOR.notStrictlyFalse:
        if (first) return other(notStrictlyFalse(evaluatorOf(first)));
        break;
      case 'or':
      case 'orValue':
        if (first && second)
          return other(orElse(evaluatorOf(first), evaluatorOf(second), declaration.name === 'orValue'));
        break;
      case OPERATOR.in:
        if (only === 'in_list' && first && second?.kind === 'constant') {
          const membership = listMembership(evaluatorOf(first), second.value);
          if (membership !== undefined)
            return typeof membership === 'function' ? other(membership) : constant(false);
        }
        break;
      default:
        break;
    }
    const isChecked = args.every((arg) => !isDyn(this.#checked.types.get(arg) ?? DYN));
    const call =
      ofConstantPattern(declaration, overloads, planned) ??
      implementationOf(declaration, overloads, isChecked);
    const cost = callCost(this.#hasLibraryCosts ? declaration.name : undefined, only);
    const evaluate = invocation(cost, planned.map(evaluatorOf), call);
    if (planned.length !== 1 || first?.kind !== 'constant' || !CONVERSIONS.has(declaration.name))
      return other(evaluate);
    const value = evaluate(NOTHING);
    if (isError(value)) throw new PlanProblem(value.message);
    return constant(value);
  }

  #list({ elements, optional }: ListExpression): Planned {
    const planned = elements.map((element) => this.plan(element));
    const values = constantsOf(planned);
    if (values && optional.size === 0) return constant(new ValueList(values));
    return other(listBuilder(planned.map(evaluatorOf), optional));
  }

  #map({ entries }: MapExpression): Planned {
    const planned = entries.map(({ key, value, isOptional }) => ({
      key: this.plan(key),
      value: this.plan(value),
      isOptional,
    }));
    const keys = constantsOf(planned.map(({ key }) => key));
    const values = constantsOf(planned.map(({ value }) => value));
    const isHashable = keys?.every((key) => !(key instanceof Uint8Array));
    if (isHashable && keys && values && planned.every(({ isOptional }) => !isOptional))
      return constant(new ValueMap(keys.map((key, index) => [key, values[index] ?? null] as const)));
    return other(
      mapBuilder(
        planned.map(({ key, value, isOptional }) => ({
          key: evaluatorOf(key),
          value: evaluatorOf(value),
          isOptional,
        })),
      ),
    );
  }

  #struct({ typeName, fields }: StructExpression): Planned {
    const message = MESSAGES.get(typeName.replace(/^\./, ''));
    if (!message) throw new PlanProblem(`unsupported expr: struct`);
    return other(
      messageBuilder(
        fields.map(({ name, value, isOptional }) => ({ name, value: this.#evaluator(value), isOptional })),
        message.make,
      ),
    );
  }

  #comprehension(fold: ComprehensionExpression): Planned {
    const initial = this.#evaluator(fold.initial);
    const range = this.#evaluator(fold.range);
    const slot = this.#locals.length;
    this.#locals.push(fold.accumulator, fold.variable);
    const condition = this.#evaluator(fold.condition);
    const step = this.#evaluator(fold.step);
    this.#locals.pop();
    const result = this.#evaluator(fold.result);
    this.#locals.pop();
    return other(comprehension({ slot, initial, range, condition, step, result }));
  }
}

function constantsOf(planned: readonly Planned[]): readonly CelValue[] | undefined {
  const values: CelValue[] = [];
  for (const each of planned) {
    if (each.kind !== 'constant') return undefined;
    values.push(each.value);
  }
  return values;
}

const PATTERN_FUNCTIONS: ReadonlySet<string> = new Set(['matches', 'find', 'findAll']);

/** A constant pattern is compiled at once, and what it is looked for in is not held against overloads. */
function ofConstantPattern(
  { name, overloads, call }: FunctionDeclaration,
  ids: readonly string[],
  args: readonly Planned[],
): Implementation | undefined {
  const pattern = args[1];
  if (!PATTERN_FUNCTIONS.has(name) || pattern?.kind !== 'constant' || typeof pattern.value !== 'string')
    return undefined;
  const compiled = patternOf(pattern.value);
  if (compiled instanceof CelError) throw new PlanProblem(compiled.message);
  const own = call ?? overloads.find(({ id }) => ids.includes(id))?.call;
  return own && ((...given) => (typeof given[0] === 'string' ? own(...given) : NO_OVERLOAD));
}

/** All but what is false is good enough to go on. */
const notStrictlyFalse =
  (operand: Evaluator): Evaluator =>
  (frame) => {
    const value = operand(frame);
    frame.charge(1);
    return value !== false;
  };

const orElse =
  (optional: Evaluator, otherwise: Evaluator, wantsValue: boolean): Evaluator =>
  (frame) => {
    const value = optional(frame);
    if (!(value instanceof Optional)) return value;
    if (value.value === undefined) return otherwise(frame);
    return wantsValue ? value.value : value;
  };

type Call = (...args: readonly CelValue[]) => Result;

function invocation(cost: CallCost, args: readonly Evaluator[], call: Call): Evaluator {
  const [first, second] = args;
  if (args.length === 1 && first) {
    return (frame) => {
      const value = first(frame);
      const result = isError(value) ? value : call(value);
      frame.charge(typeof cost === 'number' ? cost : cost([value], result));
      return result;
    };
  }
  if (args.length === 2 && first && second) {
    return (frame) => {
      const left = first(frame);
      const right = second(frame);
      const result = isError(left) ? left : isError(right) ? right : call(left, right);
      frame.charge(typeof cost === 'number' ? cost : cost([left, right], result));
      return result;
    };
  }
  return (frame) => {
    const values: CelValue[] = [];
    for (const arg of args) {
      const value = arg(frame);
      if (isError(value)) return value;
      values.push(value);
    }
    const result = call(...values);
    frame.charge(typeof cost === 'number' ? cost : cost(values, result));
    return result;
  };
}
