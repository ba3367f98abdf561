/**
 * Whether a YAML text is nested deeper than its parser has room for, found without recursion before that parser sees
 * it: a parser that runs out of stack can take the process with it. Finds too many levels rather than too few.
 */
import { Lexer } from 'yaml';

/** Levels of collections in brackets, and of collections by indentation. */
export const MAX_LEVELS = 200;

const OPENING = /[[{]/g;

const hasManyBrackets = (text: string): boolean => {
  OPENING.lastIndex = 0;
  for (let count = 0; count <= MAX_LEVELS; count++) if (!OPENING.test(text)) return false;
  return true;
};

/** Which brackets are text only the lexer knows. */
const isFlowTooDeep = (text: string): boolean => {
  if (!hasManyBrackets(text)) return false;
  let depth = 0;
  for (const token of new Lexer().lex(text)) {
    if (token === '[' || token === '{') {
      if (++depth > MAX_LEVELS) return true;
    } else if (token === ']' || token === '}') depth = Math.max(depth - 1, 0);
  }
  return false;
};

const SPACE = 0x20;
const LINE_FEED = 0x0a;
const DASH = 0x2d;
const QUESTION_MARK = 0x3f;
const COLON = 0x3a;

/** Whether the unit opens a collection when a space follows. */
const isIndicator = (unit: number): boolean => unit === DASH || unit === QUESTION_MARK || unit === COLON;

/** Each place deeper in its line than the one before may be a level: of lines that are text as well. */
const isBlockTooDeep = (text: string): boolean => {
  const columns: number[] = [];
  for (let lineAt = 0; lineAt < text.length;) {
    let at = lineAt;
    for (;;) {
      while (text.charCodeAt(at) === SPACE) at++;
      const column = at - lineAt;
      while ((columns.at(-1) ?? -1) >= column) columns.pop();
      columns.push(column);
      if (columns.length > MAX_LEVELS) return true;
      const next = text.charCodeAt(at + 1);
      if (!isIndicator(text.charCodeAt(at)) || next > SPACE || next === LINE_FEED) break;
      at++;
    }
    const end = text.indexOf('\n', at);
    lineAt = end < 0 ? text.length : end + 1;
  }
  return false;
};

export const isYamlTooDeep = (text: string): boolean => isBlockTooDeep(text) || isFlowTooDeep(text);
