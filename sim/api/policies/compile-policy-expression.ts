/** One expression of a policy: compiled, and of a type that it may have. */
import { compile, type Program } from '../cel/compile.ts';
import type { Environment } from '../cel/types/declarations.ts';
import type { TypeKind } from '../cel/types/type.ts';

export interface PolicyExpression {
  readonly text: string;
  readonly program: Program | undefined;
  readonly problem: string | undefined;
  /** The server is at a loss, not the author. */
  readonly isInternal: boolean;
}

const WORDS: Readonly<Partial<Record<TypeKind, string>>> = { null: 'null_type' };

/** `allowed`: kinds of types that it may evaluate to; empty: any. */
export function compilePolicyExpression(
  text: string,
  environment: Environment,
  allowed: readonly TypeKind[],
): PolicyExpression {
  const failed = (problem: string, isInternal = false): PolicyExpression => ({
    text,
    program: undefined,
    problem,
    isInternal,
  });
  const compiled = compile(text, environment);
  if (compiled.kind === 'failure' && compiled.stage === 'check')
    return failed(`compilation failed: ${compiled.message}`);
  const type = compiled.kind === 'program' ? compiled.program.type : compiled.type;
  if (allowed.length > 0 && type && !allowed.includes(type.kind)) {
    const words = allowed.map((kind) => WORDS[kind] ?? kind);
    return failed(
      words.length === 1 ? `must evaluate to ${words[0]}` : `must evaluate to one of [${words.join(' ')}]`,
    );
  }
  if (compiled.kind === 'failure') return failed(`program instantiation failed: ${compiled.message}`, true);
  return { text, program: compiled.program, problem: undefined, isInternal: false };
}
