/**
 * Quoted texts that go on no further right than what they belong to stands: Go's reader takes them, and generators of
 * definitions have written them for years; the YAML library does not. Their lines are moved to the right, which changes
 * nothing of what they say. Pure.
 */

/** Columns that hardly anything stands behind. */
const INDENT = ' '.repeat(200);
const MARK = /^(?:---|\.\.\.)(?:[ \t]|$)/;

/**
 * The text with the lines of one quoted text moved, from where the library has lost it (`at`: the end of a line) to where
 * it is closed. Undefined: it is not, or a document begins or ends amid it.
 */
export function withMovedLines(text: string, at: number, quote: '"' | "'"): string | undefined {
  const end = closingQuote(text, at, quote);
  if (end === undefined) return undefined;
  const lines = text.slice(at, end).split('\n');
  if (lines.length < 2 || lines.some((line, index) => index > 0 && MARK.test(line))) return undefined;
  const moved = lines.map((line, index) => (index === 0 || /^\s*$/.test(line) ? line : INDENT + line));
  // The last line may be nothing but the quote.
  if (/^\s*$/.test(lines.at(-1) ?? '')) moved[moved.length - 1] = INDENT;
  const joined = moved.join('\n');
  return joined === text.slice(at, end) ? undefined : text.slice(0, at) + joined + text.slice(end);
}

function closingQuote(text: string, from: number, quote: '"' | "'"): number | undefined {
  for (let at = from; at < text.length; at += 1) {
    const unit = text[at];
    if (quote === '"' && unit === '\\') at += 1;
    else if (unit === quote) {
      if (quote === '"' || text[at + 1] !== quote) return at;
      at += 1;
    }
  }
  return undefined;
}
