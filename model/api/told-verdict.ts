/**
 * What an expression about an object comes to, as far as can be told without the server's own evaluator: members, plain
 * comparisons, and what joins them. Whatever else an expression uses makes it one that nobody here can tell.
 */
import type { CallExpression, Expression } from '../../sim/api/cel/syntax/expression.ts';
import { isEqual, isMapping, type Mapping } from './json.ts';

/** `failed`: evaluating it is an error. `untold`: it is not for this file to say. */
export type Told =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'failed' }
  | { readonly kind: 'untold' };

const FAILED: Told = { kind: 'failed' };
const UNTOLD: Told = { kind: 'untold' };
const told = (value: unknown): Told => ({ kind: 'value', value });

export function toldOf(expression: Expression, variables: Mapping): Told {
  switch (expression.kind) {
    case 'literal':
      return isPlain(expression.value) ? told(expression.value) : UNTOLD;
    case 'ident':
      return Object.hasOwn(variables, expression.name) ? told(variables[expression.name]) : UNTOLD;
    case 'select': {
      const operand = toldOf(expression.operand, variables);
      return operand.kind === 'value'
        ? memberOf(operand.value, expression.field, expression.isTest)
        : operand;
    }
    case 'list':
      return listOf(expression.elements, variables);
    case 'call':
      return calledOf(expression, variables);
    case 'map':
    case 'struct':
    case 'comprehension':
      return UNTOLD;
  }
}

const isPlain = (value: unknown): boolean =>
  value === null || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string';

function memberOf(value: unknown, name: string, isTest: boolean): Told {
  if (!isMapping(value)) return value === null ? FAILED : UNTOLD;
  const isThere = value[name] !== undefined;
  if (isTest) return told(isThere);
  return isThere ? told(value[name]) : FAILED;
}

function listOf(elements: readonly Expression[], variables: Mapping): Told {
  const values: unknown[] = [];
  for (const element of elements) {
    const item = toldOf(element, variables);
    if (item.kind !== 'value') return item;
    values.push(item.value);
  }
  return told(values);
}

function calledOf({ name, target, args }: CallExpression, variables: Mapping): Told {
  const [left, right] = [...(target ? [target] : []), ...args].map((each) => toldOf(each, variables));
  if (!left) return UNTOLD;
  if (name === '_&&_' || name === '_||_') return joined(left, right ?? UNTOLD, name === '_||_');
  for (const each of [left, right]) if (each && each.kind !== 'value') return each;
  const [first, second] = [left, right].map((each) => (each?.kind === 'value' ? each.value : undefined));
  if (right === undefined) return ofOne(name, first);
  return ofTwo(name, first, second);
}

/** Either side decides, whatever the other one comes to. */
function joined(left: Told, right: Told, deciding: boolean): Told {
  const sides = [left, right];
  if (sides.some((side) => side.kind === 'value' && side.value === deciding)) return told(deciding);
  return (
    sides.find(({ kind }) => kind === 'untold') ??
    sides.find(({ kind }) => kind === 'failed') ??
    told(!deciding)
  );
}

function ofOne(name: string, value: unknown): Told {
  if (name === '!_' && typeof value === 'boolean') return told(!value);
  if (name !== 'size') return UNTOLD;
  if (typeof value === 'string') return told([...value].length);
  if (Array.isArray(value)) return told(value.length);
  return isMapping(value) ? told(Object.keys(value).length) : UNTOLD;
}

function ofTwo(name: string, left: unknown, right: unknown): Told {
  if (name === '_==_' || name === '_!=_')
    return isPlain(left) && isPlain(right) ? told(isEqual(left, right) === (name === '_==_')) : UNTOLD;
  if (name === '@in' && Array.isArray(right)) return told(right.some((item) => isEqual(item, left)));
  if (name === '@in' && isMapping(right) && typeof left === 'string') return told(right[left] !== undefined);
  if (name === '_[_]' && isMapping(left) && typeof right === 'string') return memberOf(left, right, false);
  if (typeof left === 'string' && typeof right === 'string') return ofTexts(name, left, right);
  return typeof left === 'number' && typeof right === 'number' ? ofNumbers(name, left, right) : UNTOLD;
}

function ofTexts(name: string, left: string, right: string): Told {
  switch (name) {
    case 'startsWith':
      return told(left.startsWith(right));
    case 'endsWith':
      return told(left.endsWith(right));
    case 'contains':
      return told(left.includes(right));
    default:
      return UNTOLD;
  }
}

function ofNumbers(name: string, left: number, right: number): Told {
  switch (name) {
    case '_<_':
      return told(left < right);
    case '_<=_':
      return told(left <= right);
    case '_>_':
      return told(left > right);
    case '_>=_':
      return told(left >= right);
    default:
      return UNTOLD;
  }
}
