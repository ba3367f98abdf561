/**
 * Cuts an expression into tokens. What is no token is reported and skipped, as the real lexer does, so that
 * the parser may find more.
 */
import type { Source, SourceError } from './source.ts';

export type TokenKind =
  | 'identifier'
  | 'int'
  | 'uint'
  | 'float'
  | 'string'
  | 'bytes'
  /** An operator, a bracket or a keyword: its text says which. */
  | 'symbol'
  | 'end';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly at: number;
}

export interface Tokens {
  readonly tokens: readonly Token[];
  readonly errors: readonly SourceError[];
  /** The characters, those left out that belong to no token and are no blanks. */
  readonly read: readonly string[];
}

const KEYWORDS: ReadonlySet<string> = new Set(['true', 'false', 'null', 'in']);
const SYMBOLS: readonly string[] = [
  ...['==', '!=', '<=', '>=', '&&', '||'],
  ...['<', '>', '[', ']', '{', '}', '(', ')', '.', ',', '-', '!', '?', ':', '+', '*', '/', '%'],
];

export function tokensOf({ characters }: Source): Tokens {
  const tokens: Token[] = [];
  const errors: SourceError[] = [];
  const read = [...characters];
  for (let at = 0; at < characters.length;) {
    const { kind, end } = scan(characters, at);
    const text = characters.slice(at, end).join('');
    if (kind === 'none') {
      errors.push({ at, message: `Syntax error: token recognition error at: '${text}'` });
      read.fill('', at, end);
    } else if (kind !== 'space') tokens.push({ kind, text, at });
    at = end;
  }
  tokens.push({ kind: 'end', text: '<EOF>', at: characters.length });
  return { tokens, errors, read };
}

interface Scanned {
  readonly kind: TokenKind | 'space' | 'none';
  readonly end: number;
}

const isDigit = (character = ''): boolean => character >= '0' && character <= '9';
const isHex = (character = ''): boolean => /^[0-9a-fA-F]$/.test(character);
const isLetter = (character = ''): boolean => /^[A-Za-z_]$/.test(character);

function scan(characters: readonly string[], at: number): Scanned {
  const first = characters[at] ?? '';
  if (/^[\t\r\n\f ]$/.test(first))
    return { kind: 'space', end: until(characters, at, (c) => !/^[\t\r\n\f ]$/.test(c)) };
  if (first === '/' && characters[at + 1] === '/')
    return { kind: 'space', end: until(characters, at, (character) => character === '\n') };
  if (isDigit(first) || (first === '.' && isDigit(characters[at + 1]))) return scanNumber(characters, at);
  const quoted = scanQuoted(characters, at);
  if (quoted) return quoted;
  if (isLetter(first)) {
    const end = until(characters, at, (character) => !isLetter(character) && !isDigit(character));
    return { kind: KEYWORDS.has(characters.slice(at, end).join('')) ? 'symbol' : 'identifier', end };
  }
  const pair = first + (characters[at + 1] ?? '');
  const symbol = SYMBOLS.find((each) => (each.length === 2 ? each === pair : each === first));
  if (symbol) return { kind: 'symbol', end: at + symbol.length };
  // Half of a pair takes the character with it that should have been the other half.
  const end = first === '=' || first === '&' || first === '|' ? at + 2 : at + 1;
  return { kind: 'none', end: Math.min(end, characters.length) };
}

function until(characters: readonly string[], from: number, isEnd: (character: string) => boolean): number {
  let end = from;
  while (end < characters.length && !isEnd(characters[end] ?? '')) end++;
  return end;
}

function scanNumber(characters: readonly string[], at: number): Scanned {
  const digitsFrom = (from: number): number => until(characters, from, (character) => !isDigit(character));
  if (characters[at] === '0' && characters[at + 1] === 'x' && isHex(characters[at + 2])) {
    const end = until(characters, at + 2, (character) => !isHex(character));
    return unsignedOr(characters, end);
  }
  let end = digitsFrom(at);
  let isFloat = false;
  if (characters[end] === '.' && isDigit(characters[end + 1])) {
    end = digitsFrom(end + 1);
    isFloat = true;
  }
  if (/^[eE]$/.test(characters[end] ?? '')) {
    const sign = /^[+-]$/.test(characters[end + 1] ?? '') ? 1 : 0;
    if (isDigit(characters[end + 1 + sign])) {
      end = digitsFrom(end + 1 + sign);
      isFloat = true;
    }
  }
  return isFloat ? { kind: 'float', end } : unsignedOr(characters, end);
}

const unsignedOr = (characters: readonly string[], end: number): Scanned =>
  /^[uU]$/.test(characters[end] ?? '') ? { kind: 'uint', end: end + 1 } : { kind: 'int', end };

/** `"…"`, `'''…'''`, with `r` and `b` before it; undefined if no quote begins here. */
function scanQuoted(characters: readonly string[], at: number): Scanned | undefined {
  let start = at;
  const isBytes = /^[bB]$/.test(characters[start] ?? '');
  if (isBytes) start++;
  const isRaw = /^[rR]$/.test(characters[start] ?? '');
  if (isRaw) start++;
  const quote = characters[start];
  if (quote !== '"' && quote !== "'") return undefined;
  const isTriple = characters[start + 1] === quote && characters[start + 2] === quote;
  const kind = isBytes ? 'bytes' : 'string';
  const long = isTriple ? closed(characters, start + 3, { quote, isRaw, isTriple }) : undefined;
  if (long?.isClosed) return { kind, end: long.end };
  const short = closed(characters, start + 1, { quote, isRaw, isTriple: false });
  if (short.isClosed) return { kind, end: short.end };
  // Letters before a quote that is never closed are a name of their own.
  if (start > at) return undefined;
  return { kind: 'none', end: Math.min(Math.max(long?.end ?? 0, short.end) + 1, characters.length) };
}

interface Quotation {
  readonly quote: string;
  readonly isRaw: boolean;
  readonly isTriple: boolean;
}

/** Where the quotation ends, or what could not stand in it. */
function closed(
  characters: readonly string[],
  from: number,
  { quote, isRaw, isTriple }: Quotation,
): { readonly isClosed: boolean; readonly end: number } {
  let at = from;
  while (at < characters.length) {
    const character = characters[at] ?? '';
    if (character === quote) {
      if (!isTriple) return { isClosed: true, end: at + 1 };
      if (characters[at + 1] === quote && characters[at + 2] === quote)
        return { isClosed: true, end: at + 3 };
    }
    if (!isTriple && (character === '\n' || character === '\r')) return { isClosed: false, end: at };
    if (character === '\\' && !isRaw) {
      const length = escapeLength(characters, at);
      if (length === 0) return { isClosed: false, end: Math.min(at + 1, characters.length) };
      at += length;
    } else at++;
  }
  return { isClosed: false, end: at };
}

/** Characters of the escape that begins here; 0: none does. */
function escapeLength(characters: readonly string[], at: number): number {
  const text = characters.slice(at + 1, at + 10).join('');
  const match = /^(?:[abfnrtv"'\\?`]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})/.exec(
    text,
  );
  return match ? match[0].length + 1 : 0;
}
