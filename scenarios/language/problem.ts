/** A mistake in a scenario file, and how it is shown: where, what was expected, the line, a caret. */

/** Lines and columns count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface Problem extends Position {
  readonly file: string;
  readonly message: string;
  /** What would be right here. */
  readonly expected?: string;
  /** Characters from the position on that are wrong; default 1. */
  readonly length?: number;
}

/** Beyond this the first mistakes say enough; one screen must do. */
const MOST_SHOWN = 4;
const CONTEXT_LINES = 2;

/** The problems of one file, in order of their place, on one screen. */
export function formatProblems(problems: readonly Problem[], text: string): string {
  const inOrder = [...problems].sort((a, b) => a.line - b.line || a.column - b.column);
  const shown = inOrder.slice(0, MOST_SHOWN).map((problem) => formatProblem(problem, text));
  const rest = inOrder.length - shown.length;
  if (rest > 0) shown.push(`… and ${rest} more ${rest === 1 ? 'problem' : 'problems'} in this file`);
  return shown.join('\n\n');
}

function formatProblem(problem: Problem, text: string): string {
  const { file, line, column, message, expected } = problem;
  const head = `${file}:${line}:${column}: ${message}`;
  const parts = [head];
  if (expected !== undefined) parts.push(`  expected: ${expected}`);
  parts.push(excerpt(text, problem));
  return parts.join('\n');
}

/** The line with two before it, and a caret below. */
export function excerpt(
  text: string,
  { line, column, length = 1 }: Position & { readonly length?: number },
): string {
  const lines = text.split(/\r?\n/);
  const first = Math.max(1, line - CONTEXT_LINES);
  const width = String(line).length;
  const shown: string[] = [];
  for (let number = first; number <= line; number++) {
    shown.push(`  ${String(number).padStart(width)} | ${lines[number - 1] ?? ''}`);
  }
  const lineLength = (lines[line - 1] ?? '').length;
  const carets = Math.max(1, Math.min(length, lineLength - column + 1));
  shown.push(`  ${' '.repeat(width)} | ${' '.repeat(column - 1)}${'^'.repeat(carets)}`);
  return shown.join('\n');
}
