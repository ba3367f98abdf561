/**
 * Values of `Warning` headers. When they are too long altogether each is cut, and those that still
 * do not fit are left out. Specification: "Behavior on requests to deprecated endpoints".
 */
const MAX_TOTAL = 4_096;
const MAX_WHEN_CUT = 256;

export function warningHeaders(texts: readonly string[]): readonly string[] {
  if (texts.length === 0) return texts;
  const total = texts.reduce((sum, text) => sum + text.length, 0);
  if (total <= MAX_TOTAL) return texts.map(warningHeader);
  const kept: string[] = [];
  let left = MAX_TOTAL;
  for (const text of texts) {
    const cut = text.slice(0, MAX_WHEN_CUT);
    if (cut.length > left) break;
    left -= cut.length;
    kept.push(warningHeader(cut));
  }
  return kept;
}

const warningHeader = (text: string): string =>
  `299 - "${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
