/** The text of an expression, and errors shown in it: position, line and a caret, as users of CEL know them. */

/** An offset that is in no line. */
export const NOWHERE = -1;

export interface SourceError {
  readonly at: number;
  readonly message: string;
}

/** Longer lines are not repeated in messages. */
const LONGEST_SNIPPET = 16_384;
export const MOST_ERRORS = 100;
/** Below characters of more than one byte stand full-width marks. */
const WIDE_DOT = '．';
const WIDE_CARET = '＾';

export class Source {
  readonly text: string;
  /** Code points. */
  readonly characters: readonly string[];
  readonly #lineStarts: readonly number[];

  constructor(text: string) {
    this.text = text;
    this.characters = isAscii(text) ? text.split('') : [...text];
    const starts = [0];
    for (const [index, character] of this.characters.entries())
      if (character === '\n') starts.push(index + 1);
    this.#lineStarts = starts;
  }

  /** All errors in the order of their places, one below the other. */
  display(errors: readonly SourceError[]): string {
    const shown = errors
      .slice(0, MOST_ERRORS)
      .map((error, index) => ({ error, index, ...this.#place(error.at) }));
    shown.sort((a, b) => a.line - b.line || a.column - b.column || a.index - b.index);
    const texts = shown.map(({ error, line, column }) => this.#show(error.message, line, column));
    if (errors.length > MOST_ERRORS) texts.push(`${errors.length - MOST_ERRORS} more errors were truncated`);
    return texts.join('\n');
  }

  #place(at: number): { readonly line: number; readonly column: number } {
    if (at < 0) return { line: -1, column: -1 };
    let line = 0;
    while (line + 1 < this.#lineStarts.length && (this.#lineStarts[line + 1] ?? 0) <= at) line++;
    return { line: line + 1, column: at - (this.#lineStarts[line] ?? 0) };
  }

  #show(message: string, line: number, column: number): string {
    const head = `ERROR: <input>:${line}:${column + 1}: ${message}`;
    // Of nothing there is nothing to show.
    const snippet = this.characters.length > 0 ? this.#snippet(line) : undefined;
    return snippet ? `${head}\n | ${snippet.join('')}\n | ${marker(snippet, column)}` : head;
  }

  /** Undefined: there is no such line, or it is too long. */
  #snippet(line: number): readonly string[] | undefined {
    const start = this.#lineStarts[line - 1];
    if (start === undefined) return undefined;
    const end =
      this.#lineStarts[line] === undefined ? this.characters.length : (this.#lineStarts[line] ?? 0) - 1;
    if (end - start > LONGEST_SNIPPET) return undefined;
    const characters = this.characters.slice(start, end);
    if (new TextEncoder().encode(characters.join('')).length > LONGEST_SNIPPET) return undefined;
    return characters.map((character) => (character === '\t' ? ' ' : character));
  }
}

const isAscii = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
};

function marker(snippet: readonly string[], column: number): string {
  let dots = '';
  for (const character of snippet.slice(0, column)) dots += character > '\x7f' ? WIDE_DOT : '.';
  return dots + ((snippet[column] ?? ' ') > '\x7f' ? WIDE_CARET : '^');
}
