/** What is found while the rules of an issuer are read, in the order in which it is found. */
import { append } from '../../../api/append.ts';
import type { FieldError } from '../../../api/status.ts';
import { internalProblem, invalid } from '../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../api/validation/field-path.ts';
import type { CompiledExpression, UserExpression } from './claim-expressions.ts';

export class RuleFindings {
  readonly errors: FieldError[] = [];
  readonly isStructured: boolean;

  /** `isStructured`: what needs the feature may be there. */
  constructor(isStructured: boolean) {
    this.isStructured = isStructured;
  }

  add(errors: readonly FieldError[]): void {
    append(this.errors, errors);
  }

  needStructure(path: FieldPath, value: string, what: string): void {
    if (this.isStructured) return;
    const why = `${what} not supported when StructuredAuthenticationConfiguration feature gate is disabled`;
    this.add([invalid(path, value, why)]);
  }

  /** Undefined: it does not compile, which is noted. */
  compiled(expression: CompiledExpression, path: FieldPath, text: string): UserExpression | undefined {
    if (expression.kind === 'expression') return expression.expression;
    const { kind, detail } = expression;
    this.add([kind === 'invalid' ? invalid(path, text, detail) : internalProblem(path, detail)]);
    return undefined;
  }
}
