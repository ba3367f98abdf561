/**
 * Expressions over the claims of a token, or over the user that they make: compiled with what a server of the release
 * understands (such expressions are read from a file, never written through the API), and worked out within a budget.
 */
import { compile, type Program } from '../../../api/cel/compile.ts';
import { environmentWith } from '../../../api/cel/environment.ts';
import type { Environment } from '../../../api/cel/types/declarations.ts';
import {
  ANY,
  BOOL,
  type CelType,
  isSameType,
  listOf,
  mapOf,
  STRING,
  struct,
} from '../../../api/cel/types/type.ts';
import { type CelValue, isError } from '../../../api/cel/values/value.ts';

const USER = struct('kubernetes.UserInfo');
const TEXTS = listOf(STRING);
const USER_FIELDS: ReadonlyMap<string, CelType> = new Map([
  ['username', STRING],
  ['uid', STRING],
  ['groups', TEXTS],
  ['extra', mapOf(STRING, TEXTS)],
]);

type Variable = 'claims' | 'user';

const ENVIRONMENTS: Readonly<Record<Variable, Environment>> = {
  claims: environmentWith(new Map([['claims', mapOf(STRING, ANY)]]), { areStored: true }),
  user: environmentWith(new Map([['user', USER]]), {
    areStored: true,
    fieldsOf: (name) => (name === USER.name ? USER_FIELDS : undefined),
  }),
};

const MOST_PER_CALL = 1_000_000;

/** It failed; the message says at what. */
export class ExpressionFailure extends Error {
  override readonly name = 'ExpressionFailure';
}

export class UserExpression {
  readonly text: string;
  readonly program: Program;
  readonly #variable: Variable;

  constructor(text: string, program: Program, variable: Variable) {
    this.text = text;
    this.program = program;
    this.#variable = variable;
  }

  /** @throws ExpressionFailure */
  of(value: CelValue): CelValue {
    const { result } = this.program.run(
      (name) => (name === this.#variable ? value : undefined),
      MOST_PER_CALL,
    );
    if (isError(result))
      throw new ExpressionFailure(`expression '${this.text}' resulted in error: ${result.message}`);
    return result;
  }
}

export type CompiledExpression =
  | { readonly kind: 'expression'; readonly expression: UserExpression }
  | { readonly kind: 'invalid' | 'internal'; readonly detail: string };

/** `type`: what it has to evaluate to; absent: anything, which is looked at once it is worked out. */
export function compileUserExpression(text: string, variable: Variable, type?: 'bool'): CompiledExpression {
  const compiled = compile(text, ENVIRONMENTS[variable]);
  if (compiled.kind === 'failure' && compiled.stage === 'check')
    return { kind: 'invalid', detail: `compilation failed: ${compiled.message}` };
  const own = compiled.kind === 'program' ? compiled.program.type : compiled.type;
  if (type === 'bool' && own && !isSameType(own, BOOL))
    return { kind: 'invalid', detail: 'must evaluate to bool' };
  if (compiled.kind === 'failure')
    return { kind: 'internal', detail: `program instantiation failed: ${compiled.message}` };
  return { kind: 'expression', expression: new UserExpression(text, compiled.program, variable) };
}
