/**
 * From the text of an expression to something that can be run, or to the message that the real server would give.
 * Pure: the same text and environment give the same program. Neither knows what its variables are for.
 */
import { estimateCost, type SizeOf } from './cost/estimate.ts';
import type { Range } from './cost/range.ts';
import { type Activation, type Evaluator, Frame } from './evaluate/frame.ts';
import { plan, PlanProblem } from './evaluate/plan.ts';
import type { Expression } from './syntax/expression.ts';
import { parse } from './syntax/parser.ts';
import { Source } from './syntax/source.ts';
import { check, type Checked } from './types/checker.ts';
import type { Environment } from './types/declarations.ts';
import { type CelType, DYN } from './types/type.ts';
import { CostExceeded, EvaluationEnded, enterEvaluation, leaveEvaluation } from './values/effort.ts';
import { literalErrors } from './types/validators.ts';
import { CelError, type Result } from './values/value.ts';

export type Compiled = { readonly kind: 'program'; readonly program: Program } | CompileFailure;

export interface CompileFailure {
  readonly kind: 'failure';
  /** `constant`: well formed and typed, but a constant in it cannot be worked out. */
  readonly stage: 'check' | 'constant';
  readonly message: string;
  /** Known if only a constant is wrong. */
  readonly type?: CelType;
}

export interface Outcome {
  readonly result: Result;
  readonly cost: number;
  /** It ran out of budget; the result says so. */
  readonly isExhausted: boolean;
}

export function compile(text: string, environment: Environment): Compiled {
  const source = new Source(text);
  const parsed = parse(source, environment);
  if (parsed.errors.length > 0) return failure(source.display(parsed.errors));
  const checked = check(parsed.expression, environment);
  if (checked.errors.length > 0) return failure(source.display(checked.errors));
  const literals = literalErrors(checked);
  if (literals.length > 0) return failure(source.display(literals));
  const type = checked.types.get(checked.expression) ?? DYN;
  try {
    return {
      kind: 'program',
      program: new Program(checked, type, plan(checked, environment.hasLibraryCosts)),
    };
  } catch (error) {
    if (!(error instanceof PlanProblem)) throw error;
    return { kind: 'failure', stage: 'constant', message: error.message, type };
  }
}

const failure = (message: string): CompileFailure => ({ kind: 'failure', stage: 'check', message });

export class Program {
  /** Of what it evaluates to. */
  readonly type: CelType;
  readonly #checked: Checked;
  readonly #evaluate: Evaluator;

  constructor(checked: Checked, type: CelType, evaluate: Evaluator) {
    this.#checked = checked;
    this.type = type;
    this.#evaluate = evaluate;
  }

  /** With its macros expanded. */
  get expression(): Expression {
    return this.#checked.expression;
  }

  uses(variable: string): boolean {
    for (const reference of this.#checked.references.values())
      if (reference.kind === 'variable' && reference.name === variable) return true;
    return false;
  }

  estimate(sizeOf: SizeOf): Range {
    return estimateCost(this.#checked, sizeOf);
  }

  run(activation: Activation, costLimit: number): Outcome {
    const frame = new Frame(activation, costLimit);
    enterEvaluation();
    try {
      const result = this.#evaluate(frame);
      return { result, cost: frame.cost, isExhausted: false };
    } catch (error) {
      if (!(error instanceof EvaluationEnded)) throw error;
      const isExhausted = error instanceof CostExceeded;
      return { result: new CelError(error.message), cost: frame.cost, isExhausted };
    } finally {
      leaveEvaluation();
    }
  }
}
