/**
 * Values of `Warning` headers. What has control characters cannot be one, and is left out. When they are too long
 * altogether each is cut, and those that still do not fit are left out.
 * Specification: "Behavior on requests to deprecated endpoints".
 */
const MAX_TOTAL = 4_096;
const MAX_WHEN_CUT = 256;
const CONTROL = /\p{Cc}/u;

export function warningHeaders(all: readonly string[]): readonly string[] {
  if (all.length === 0) return all;
  const texts = all.filter((text) => !CONTROL.test(text));
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
