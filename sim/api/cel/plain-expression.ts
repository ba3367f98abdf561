/** An expression over plain JSON values, of which nothing is known before: what somebody wants to hold of an answer. */
import { compile, type Program } from './compile.ts';
import { environmentWith } from './environment.ts';
import { plainValue } from './schema/json-values.ts';
import { DYN } from './types/type.ts';
import { isError } from './values/value.ts';
import { shown } from './values/text.ts';

const MOST = 10_000_000;

/** It does not compile; the message says where. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

export class PlainExpression {
  readonly #program: Program;

  /** `names`: the variables that it may use. @throws ExpressionError */
  constructor(text: string, names: readonly string[]) {
    const compiled = compile(text, environmentWith(new Map(names.map((name) => [name, DYN]))));
    if (compiled.kind === 'failure') throw new ExpressionError(compiled.message);
    this.#program = compiled.program;
  }

  /** Undefined: it holds. Otherwise what it comes to instead of true. */
  problemWith(values: Readonly<Record<string, unknown>>): string | undefined {
    const { result } = this.#program.run(
      (name) => (Object.hasOwn(values, name) ? plainValue(values[name]) : undefined),
      MOST,
    );
    if (result === true) return undefined;
    return isError(result) ? `fails: ${result.message}` : `is ${shown(result)}`;
  }
}
