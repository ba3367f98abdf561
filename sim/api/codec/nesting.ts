/**
 * How deep a JSON text is nested, found in one pass and without recursion, before anything that recurses sees the
 * text. Go's decoder goes 10,000 levels deep; the walks here have less room, and a stack that runs out in the wrong
 * place ends the process. So what lies deeper than `MAX_KEPT_DEPTH` is cut off where types drop it anyway, and
 * refused where it would be kept.
 */

/** Levels that every walk over a value has room for, several times over. */
export const MAX_KEPT_DEPTH = 1_200;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const isOpening = (unit: number): boolean => unit === 0x7b || unit === 0x5b;
const isClosing = (unit: number): boolean => unit === 0x7d || unit === 0x5d;

/** Index behind the string that begins at `start`; the end of the text if it is not closed. */
export const endOfString = (text: string, start: number): number => {
  for (let from = start + 1; ;) {
    const quoteAt = text.indexOf('"', from);
    if (quoteAt < 0) return text.length;
    let before = quoteAt - 1;
    while (before > start && text.charCodeAt(before) === BACKSLASH) before--;
    if ((quoteAt - before) % 2 === 1) return quoteAt + 1;
    from = quoteAt + 1;
  }
};

const BRACKET = /[[{]/g;

/** Cheap, and true of hardly any text: most have fewer brackets than there may be levels. */
const hasBrackets = (text: string, moreThan: number): boolean => {
  if (text.length <= moreThan) return false;
  BRACKET.lastIndex = 0;
  for (let count = 0; count <= moreThan; count++) if (!BRACKET.test(text)) return false;
  return true;
};

/** Whether a JSON text has more levels. */
export const isNestedBeyond = (text: string, levels: number): boolean => {
  if (!hasBrackets(text, levels)) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(text, at) - 1;
    else if (isOpening(unit)) {
      if (++depth > levels) return true;
    } else if (isClosing(unit)) depth--;
  }
  return false;
};

/** Whether a JSON text is nested deeper than walks go. */
export const isNestedTooDeep = (text: string): boolean => isNestedBeyond(text, MAX_KEPT_DEPTH);

/** A well-formed text with all that lies deeper than `MAX_KEPT_DEPTH` cut out of its containers. */
export const withoutDeepParts = (text: string): string => {
  const parts: string[] = [];
  let depth = 0;
  let keptFrom = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(text, at) - 1;
    else if (isOpening(unit)) {
      if (++depth === MAX_KEPT_DEPTH) parts.push(text.slice(keptFrom, at + 1));
    } else if (isClosing(unit) && depth-- === MAX_KEPT_DEPTH) keptFrom = at;
  }
  parts.push(text.slice(keptFrom));
  return parts.join('');
};
