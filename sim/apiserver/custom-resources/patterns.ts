/** Regular expressions of schemas: Go's syntax, run by an engine that never backtracks. */
import { RE2JS } from 're2js';

export interface Pattern {
  test(text: string): boolean;
}

interface Compiled {
  readonly pattern?: Pattern;
  /** Why it is no regular expression, in Go's words. */
  readonly problem?: string;
}

const compiled = new Map<string, Compiled>();

/** Undefined: not a regular expression. */
export const patternOf = (source: string): Pattern | undefined => compiledOf(source).pattern;

export const problemOf = (source: string): string | undefined => compiledOf(source).problem;

function compiledOf(source: string): Compiled {
  const known = compiled.get(source);
  if (known) return known;
  const made = compile(source);
  compiled.set(source, made);
  return made;
}

function compile(source: string): Compiled {
  try {
    const pattern = RE2JS.compile(source);
    return { pattern: { test: (text) => pattern.matcher(text).find() } };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
