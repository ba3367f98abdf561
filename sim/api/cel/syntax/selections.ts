/** Which fields an expression selects, and of what: also where it only asks whether they are there. Types are not looked at. */
import { type Expression, OPERATOR, partsOf } from './expression.ts';

export interface Selection {
  /** Name of the variable whose field it is; undefined: of something else. */
  readonly of: string | undefined;
  readonly field: string;
}

/** In the order of the expression, macros expanded. */
export function* selectionsIn(expression: Expression): Generator<Selection> {
  const own = selectionOf(expression);
  if (own) yield own;
  for (const part of partsOf(expression)) yield* selectionsIn(part);
}

function selectionOf(expression: Expression): Selection | undefined {
  if (expression.kind === 'select') return { of: nameOf(expression.operand), field: expression.field };
  if (expression.kind !== 'call' || expression.name !== OPERATOR.optionalSelect) return undefined;
  const [operand, field] = expression.args;
  if (!operand || field?.kind !== 'literal' || typeof field.value !== 'string') return undefined;
  return { of: nameOf(operand), field: field.value };
}

const nameOf = (expression: Expression): string | undefined =>
  expression.kind === 'ident' ? expression.name : undefined;
