/** Regular expressions of schemas. */
import { goPattern } from '../../api/go-pattern.ts';

export interface Pattern {
  test(text: string): boolean;
}

/** Undefined: not a regular expression. */
export function patternOf(source: string): Pattern | undefined {
  const made = goPattern(source);
  return made.kind === 'pattern' ? made.pattern : undefined;
}

/** Why it is no regular expression, in Go's words. */
export function problemOf(source: string): string | undefined {
  const made = goPattern(source);
  return made.kind === 'problem' ? made.problem : undefined;
}
